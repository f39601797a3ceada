/** Why mutants of the sandbox may survive. */
export const sandbox = {
  'packages/sandbox/src/api/api.ts': {
    'read only where a subscription was created or updated, and then its rule states it': [['false', 'true']],
    'the value is undefined either way': [['{ value: undefined }', '{}']],
    'narrows a type only: an error has at least one reason': [['failure.details[0]?.code', 'failure.details[0].code']],
    'narrows a type only: every route has an operation, and every operation a rule, which another test checks': [
      ['!operation', 'false'],
      ['!rule', 'false'],
      ["'The router found a path without an operation.'", '""'],
      ['`No rule answers ${operation.id}.`', '``'],
    ],
    'narrows a type only: the router gives an index for every parameter': [
      ["typeof place === 'number'", 'true'],
      ['values?.[place]', 'values[place]'],
      ["''", '"Stryker was here!"'],
    ],
  },
  'packages/sandbox/src/api/automations.ts': {
    'narrows a type only: the router gives every parameter of a path': [["''", '"Stryker was here!"']],
  },
  'packages/sandbox/src/api/auth.ts': {
    'JSON.parse(null) is null, too': [['key.publications === null', 'false']],
  },
  'packages/sandbox/src/api/content.ts': {
    'narrows a type only: the router gives every parameter of a path, and a name that is split has a first part': [
      ["''", '"Stryker was here!"'],
    ],
    'the text before the prefix stays, and so there is no such id': [['/^(?:user|guest)_/', '/(?:user|guest)_/']],
    'the names are only compared with each other': [
      [
        `name.normalize('NFC').trim().replaceAll(/\\s+/g, ' ').toLowerCase()`,
        `name.normalize('NFC').trim().replaceAll(/\\s+/g, ' ').toUpperCase()`,
      ],
    ],
    'one more part that no record has': [['[]', '["Stryker was here"]']],
    'narrows a type only: the tier of an access is always stored': [['tier?.id', 'tier.id']],
  },
  'packages/sandbox/src/api/custom-fields.ts': {
    'narrows a type only: the router gives every parameter of a path': [["''", '"Stryker was here!"']],
    'the kind only separates the numbers and ids of different records': [["'custom_field'", '""']],
  },
  'packages/sandbox/src/api/deletion-requests.ts': {
    'narrows a type only: the router gives every parameter of a path': [["''", '"Stryker was here!"']],
  },
  'packages/sandbox/src/api/paging.ts': {
    'a cursor is written again from what was read and must come out the same, which refuses any other text': [
      ['/^1:[a-z_]+:(asc|desc):(\\d{1,12}):(\\d{1,15})$/', '/1:[a-z_]+:(asc|desc):(\\d{1,12}):(\\d{1,15})$/'],
      ['/^1:[a-z_]+:(asc|desc):(\\d{1,12}):(\\d{1,15})$/', '/^1:[a-z_]+:(asc|desc):(\\d{1,12}):(\\d{1,15})/'],
    ],
    'the first element, the whole match, is not read': [['[]', '["Stryker was here"]']],
    'without a match the cursor written again is another one, and so it is refused': [
      ['written === undefined', 'false'],
    ],
    'SQLite sorts in ascending order where none is named': [["'asc'", '""']],
    'the specification has no registry of error codes, so no caller may rely on one': [
      ["'INVALID_PAGINATION'", '""'],
      ["'INVALID_CURSOR'", '""'],
    ],
  },
  'packages/sandbox/src/api/read-request.ts': {
    'narrows a type only: a chunked request has a body': [['[]', '["Stryker was here"]']],
    'a shortcut: a query without a percent sign decodes without an error': [["'%'", '""']],
    'narrows a type only: null is no media type': [['type === null', 'false']],
  },
  'packages/sandbox/src/api/rule.ts': {
    'narrows a type only: the publication was found before': [
      ['ofPublication && !call.publication', 'false'],
      ['`${id} was called without a publication.`', '``'],
    ],
    'the name only has to differ from those of the other lists': [
      ['`_${letter.toLowerCase()}`', '``'],
      ['(letter) => `_${letter.toLowerCase()}`', '() => undefined'],
    ],
  },
  'packages/sandbox/src/api/subscriptions.ts': {
    'narrows a type only: the router gives every parameter of a path': [["''", '"Stryker was here!"']],
  },
  'packages/sandbox/src/api/validation.ts': {
    'no text has another minimum length than 1': [['issue.minimum === 1', 'true']],
    'only requests to the control API have fields of other types, and nothing shows the changes of those': [
      ["'text'", '""'],
    ],
    'a shortcut: a second reading of the same input finds the same problems': [['unknown.length === 0', 'false']],
    'narrows a type only: a path of zod leads through objects and lists': [
      ["typeof value === 'object' && value !== null", 'true'],
      ["typeof value === 'object' && value !== null", "typeof value === 'object' || value !== null"],
      ["typeof value === 'object'", 'true'],
      ['value !== null', 'true'],
      ["typeof holder === 'object' && holder !== null && key !== undefined", 'true'],
      ["typeof holder === 'object' && holder !== null", 'true'],
      [
        "typeof holder === 'object' && holder !== null && key !== undefined",
        "typeof holder === 'object' && holder !== null || key !== undefined",
      ],
      ["typeof holder === 'object' && holder !== null", "typeof holder === 'object' || holder !== null"],
      ["typeof holder === 'object'", 'true'],
      ['holder !== null', 'true'],
      ['key !== undefined', 'true'],
    ],
  },
  'packages/sandbox/src/world/clock.ts': {
    'only shortens the quotation of a long input in an error message': [['duration.slice(0, 40)', 'duration']],
    'a missing part is 0 either way: Number("") is 0': [["'0'", '""']],
    'a shortcut: adding no months leads to the same time': [['months === 0', 'false']],
  },
  'packages/sandbox/src/world/complimentary-access.ts': {
    'the kind only separates the numbers of different records': [["'gift'", '""']],
    'narrows a type only: a scheduled end has its grant, and a grant its access': [
      ['!gift || !access', 'false'],
      ['!gift || !access', '!gift && !access'],
    ],
    'an access that never ends has neither a duration nor a unit with a designator': [
      ['duration === null || designator === undefined', 'duration === null && designator === undefined'],
      ['duration === null', 'false'],
      ['designator === undefined', 'false'],
    ],
  },
  'packages/sandbox/src/world/custom-fields.ts': {
    'a shortcut: without entries there are neither values nor warnings': [['entries.length === 0', 'false']],
    'a type guard: no field has undefined as its display text': [['name === undefined', 'false']],
    'the names are only compared with each other': [
      ["text.normalize('NFC').trim().toLowerCase()", "text.normalize('NFC').trim().toUpperCase()"],
    ],
  },
  'packages/sandbox/src/world/deletion.ts': {
    'the kind only separates the numbers and ids of different records': [["'deletion_request'", '""']],
    'narrows a type only: a scheduled event has its deletion request': [['!request', 'false']],
  },
  'packages/sandbox/src/world/jobs.ts': {
    'the kind only separates the numbers and ids of different records': [["'job'", '""']],
    'narrows a type only: a scheduled job is stored, and so is its publication': [
      ['!job || !publication', 'false'],
      ['!job || !publication', '!job && !publication'],
    ],
    'a shortcut: without ids no list is looked for': [['joining.length + leaving.length === 0', 'false']],
    'narrows a type only: an item is refused for no other reason': [['!(error instanceof Refusal)', 'false']],
  },
  'packages/sandbox/src/world/journeys.ts': {
    'the kind only separates the numbers and ids of different records': [["'aj'", '""']],
    'narrows a type only: a scheduled step has its journey, and a journey its subscriber': [
      [
        "!journey || !subscriber || journey.status !== 'in_progress'",
        "(!journey || !subscriber) && journey.status !== 'in_progress'",
      ],
      ['!journey || !subscriber', 'false'],
      ['!journey || !subscriber', '!journey && !subscriber'],
    ],
  },
  'packages/sandbox/src/world/mail.ts': {
    'narrows a type only: the subscription and its publication are always stored': [
      ['state', 'true'],
      ['!state', 'false'],
      ['row?.email', 'row.email'],
      ['!publication', 'false'],
    ],
    'a shortcut: the same state is stored again': [['asked !== state.asked || welcome !== state.welcome', 'true']],
    'narrows a type only: the e-mails of automations come with their subject': [
      ["kind === 'automation'", 'false'],
      ["'automation'", '""'],
    ],
    'only redaction changes an address, and it deletes the e-mails to the old one': [
      ['row?.email === recipient', 'true'],
    ],
    'the kind only separates the numbers and ids of different records': [["'message'", '""']],
  },
  'packages/sandbox/src/world/open-world.ts': {
    'the e-mails that follow note other events than subscriptions': [['events.slice()', 'events']],
    'narrows a type only: every kind that is scheduled is in the table': [
      ['scheduledEvents[kind]?.(world, subject, note)', 'scheduledEvents[kind](world, subject, note)'],
    ],
  },
  'packages/sandbox/src/world/subscribe.ts': {
    'the kind only separates the numbers and ids of different records': [["'sub'", '""']],
    'narrows a type only: the row was written in the same transaction': [
      ["'The subscription that was just written cannot be found.'", '""'],
      ['!row', 'false'],
    ],
    'narrows a type only: the subscription of a scheduled check is stored': [['row?.status', 'row.status']],
    'a shortcut: without names no tier is looked for': [
      ['(request.premium_tiers ?? request.premium_tier_ids) !== undefined', 'true'],
    ],
    'a list that is not read: no tier is looked for in it, or the request is refused': [['[]', '["Stryker was here"]']],
  },
  'packages/sandbox/src/api/nearest.ts': {
    'narrows a type only: a request has its parts, and an operation with a body its example and fields': [
      ["''", '"Stryker was here!"'],
      ['[]', '["Stryker was here"]'],
      [
        'Object.entries(bodyExamples).find(([id]) => id === found.id)?.[1]',
        'Object.entries(bodyExamples).find(([id]) => id === found.id)[1]',
      ],
      ['found.body?.required', 'found.body.required'],
      ['found.body?.fields', 'found.body.fields'],
      ['last === undefined', 'false'],
      ["typeof to === 'string'", 'true'],
    ],
    'what follows stays in the name, and so there is no such parameter': [['/\\[\\d*\\]$/', '/\\[\\d*\\]/']],
    'the validation writes no text that only begins or ends like this': [
      ['/^at most (\\d+) items$/', '/at most (\\d+) items$/'],
      ['/^at most (\\d+) items$/', '/^at most (\\d+) items/'],
      ['/^(?:text$|another value$|at (?:most|least) )/', '/(?:text$|another value$|at (?:most|least) )/'],
      ['/^(?:text$|another value$|at (?:most|least) )/', '/^(?:text$|another value|at (?:most|least) )/'],
    ],
    'JSON.parse(null) is null, which is no record either': [['text === null', 'false']],
    'a function that returns nothing returns undefined': [['{ return undefined; }', '{}']],
    'limits the work only: what is left out resembles no operation': [
      ['actual.slice(0, 60)', 'actual'],
      ["path.split('/').filter(Boolean).slice(0, 20)", "path.split('/').filter(Boolean)"],
    ],
  },
} as const;

/** Why a mutant may survive: mutations that no test can notice, or that no test should. */

export interface Explanation {
  /** Path of the mutated file from the root of the repository. */
  readonly file: string;
  /** The code that is replaced; white space is collapsed. */
  readonly original: string;
  /** The mutation; white space is collapsed. */
  readonly replacement: string;
  /** One sentence: why the behaviour stays the same, or why the difference does not matter. */
  readonly reason: string;
}

const duration = 'packages/sandbox/src/world/clock.ts';
const paging = 'packages/sandbox/src/api/paging.ts';
const mail = 'packages/sandbox/src/world/mail.ts';
const deletion = 'packages/sandbox/src/world/deletion.ts';
const fingerprint = 'packages/core/src/watch/fingerprint.ts';
const watchState = 'packages/core/src/watch/state.ts';
const access = 'packages/sandbox/src/world/complimentary-access.ts';
const sandboxFields = 'packages/sandbox/src/world/custom-fields.ts';
const endpoint = 'packages/core/src/endpoint/admission.ts';
const submission = 'packages/core/src/endpoint/submission.ts';
const redaction = 'packages/core/src/engine/redact.ts';
const batchReader = 'packages/core/src/import/batch-reader.ts';
const importRun = 'packages/core/src/import/import-subscriptions.ts';
const update = 'packages/core/src/import/await-update.ts';
const journal = 'packages/core/src/import/journal.ts';
const delivery = 'packages/core/src/import/delivery.ts';
const watermark = 'packages/core/src/watch/watermark.ts';
const reconciler = 'packages/core/src/sync/reconciler.ts';
const contact = 'packages/core/src/sync/contact.ts';
const contactIndex = 'packages/core/src/sync/contact-index.ts';
const pair = 'packages/core/src/sync/plan-pair.ts';
const syncMapping = 'packages/core/src/sync/mapping.ts';
const unmatched = 'packages/core/src/sync/plan-unmatched.ts';
const clientAddress = 'packages/relay/src/admission/client-address.ts';
const attackDetector = 'packages/relay/src/admission/attack-detector.ts';
const formToken = 'packages/relay/src/admission/form-token.ts';
const fieldValue = 'packages/core/src/import/field-value.ts';
const request = 'packages/core/src/import/request.ts';
const consent = 'packages/relay/src/admission/consent.ts';
const turnstile = 'packages/relay/src/admission/turnstile.ts';
const triggerPoll = 'nodes/Newsletter/trigger/poll.ts';
const triggerSettings = 'nodes/Newsletter/trigger/settings.ts';
const dispatch = 'nodes/Newsletter/operations/dispatch.ts';
const attempt = 'packages/core/src/engine/attempt.ts';
const engine = 'packages/core/src/engine/engine.ts';

export const explanations: readonly Explanation[] = [
  {
    file: duration,
    original: 'duration.slice(0, 40)',
    replacement: 'duration',
    reason: 'only shortens the quotation of a long input in an error message',
  },
  { file: duration, original: "'0'", replacement: '""', reason: 'a missing part is 0 either way: Number("") is 0' },
  {
    file: duration,
    original: 'months === 0',
    replacement: 'false',
    reason: 'a shortcut: adding no months leads to the same time',
  },
  ...['/1:[a-z_]+:(asc|desc):(\\d{1,12}):(\\d{1,15})$/', '/^1:[a-z_]+:(asc|desc):(\\d{1,12}):(\\d{1,15})/'].map(
    (replacement) => ({
      file: paging,
      original: '/^1:[a-z_]+:(asc|desc):(\\d{1,12}):(\\d{1,15})$/',
      replacement,
      reason: 'a cursor is written again from what was read and must come out the same, which refuses any other text',
    }),
  ),
  {
    file: paging,
    original: '[]',
    replacement: '["Stryker was here"]',
    reason: 'the first element, the whole match, is not read',
  },
  {
    file: paging,
    original: 'written === undefined',
    replacement: 'false',
    reason: 'without a match the cursor written again is another one, and so it is refused',
  },
  {
    file: paging,
    original: "'asc'",
    replacement: '""',
    reason: 'SQLite sorts in ascending order where none is named',
  },
  ...[
    ['state', 'true'],
    ['!state', 'false'],
    ['row?.email', 'row.email'],
    ['!publication', 'false'],
  ].map(([original = '', replacement = '']) => ({
    file: mail,
    original,
    replacement,
    reason: 'narrows a type only: the subscription and its publication are always stored',
  })),
  {
    file: mail,
    original: 'asked !== state.asked || welcome !== state.welcome',
    replacement: 'true',
    reason: 'a shortcut: the same state is stored again',
  },
  ...[
    ["kind === 'automation'", 'false'],
    ["'automation'", '""'],
  ].map(([original = '', replacement = '']) => ({
    file: mail,
    original,
    replacement,
    reason: 'narrows a type only: the e-mails of automations come with their subject',
  })),
  {
    file: mail,
    original: 'row?.email === recipient',
    replacement: 'true',
    reason: 'only redaction changes an address, and it deletes the e-mails to the old one',
  },
  ...[
    [mail, "'message'"],
    [deletion, "'deletion_request'"],
  ].map(([file = '', original = '']) => ({
    file,
    original,
    replacement: '""',
    reason: 'the kind only separates the numbers and ids of different records',
  })),
  ...["'INVALID_PAGINATION'", "'INVALID_CURSOR'"].map((original) => ({
    file: paging,
    original,
    replacement: '""',
    reason: 'the specification has no registry of error codes, so no caller may rely on one',
  })),
  {
    file: access,
    original: "'gift'",
    replacement: '""',
    reason: 'the kind only separates the numbers of different records',
  },
  ...['false', '!gift && !access'].map((replacement) => ({
    file: access,
    original: '!gift || !access',
    replacement,
    reason: 'narrows a type only: a scheduled end has its grant, and a grant its access',
  })),
  ...[
    ['duration === null || designator === undefined', 'duration === null && designator === undefined'],
    ['duration === null', 'false'],
    ['designator === undefined', 'false'],
  ].map(([original = '', replacement = '']) => ({
    file: access,
    original,
    replacement,
    reason: 'an access that never ends has neither a duration nor a unit with a designator',
  })),
  {
    file: sandboxFields,
    original: 'given.length === 0',
    replacement: 'false',
    reason: 'a shortcut: without entries there are neither values nor warnings',
  },
  {
    file: sandboxFields,
    original: 'name === undefined',
    replacement: 'false',
    reason: 'a type guard: no field has undefined as its display text',
  },
  {
    file: sandboxFields,
    original: "text.normalize('NFC').trim().toLowerCase()",
    replacement: "text.normalize('NFC').trim().toUpperCase()",
    reason: 'the names are only compared with each other',
  },
  {
    file: deletion,
    original: '!request',
    replacement: 'false',
    reason: 'narrows a type only: a scheduled event has its deletion request',
  },
  {
    file: 'packages/core/src/engine/lost-response.ts',
    original: "'unclear'",
    replacement: '""',
    reason: 'a label for debugging: every text but "absent" counts as unclear',
  },
  {
    file: redaction,
    original: '[]',
    replacement: '["Stryker was here"]',
    reason: 'a default list of secrets or errors: no text holds this secret, and a text is no error',
  },
  {
    file: redaction,
    original: "'errors' in error && Array.isArray(error.errors)",
    replacement: "'errors' in error || Array.isArray(error.errors)",
    reason: 'no error of the platform has a field "errors" that is no list',
  },
  ...[
    ['!end', 'false', 'a type guard: a batch has rows'],
    ['!row', 'false', 'a type guard: a batch of one row has one'],
    ['sent.id === undefined', 'false', 'an id that is undefined is left out when the record is written as JSON'],
    ['importId !== undefined', 'true', 'a type guard: an answer to a bulk creation without an id is refused before'],
  ].map(([original = '', replacement = '', reason = '']) => ({ file: delivery, original, replacement, reason })),
  {
    file: 'packages/core/src/engine/api-promise.ts',
    original: '{ return Promise; }',
    replacement: '{}',
    reason: 'by the language, undefined stands for Promise here',
  },
  {
    file: 'packages/core/src/engine/api-promise.ts',
    original: 'requestIdHeader === undefined',
    replacement: 'false',
    reason: 'no header is named "undefined", so there is no id either way',
  },
  {
    file: 'packages/core/src/engine/retry.ts',
    original: 'layer === undefined',
    replacement: 'false',
    reason: 'a shortcut: a policy without a layer is copied instead, with the same values',
  },
  {
    file: fingerprint,
    original: "''",
    replacement: '"Stryker was here!"',
    reason: 'JSON.stringify gives a text for every value that comes out of JSON',
  },
  ...['a <= b', 'a >= b'].map((replacement) => ({
    file: fingerprint,
    original: 'a < b',
    replacement,
    reason: 'no two fields of a subscription have the same name, and any fixed order will do',
  })),
  ...[
    ["typeof version === 'number'", 'a version that is no number is not above 2, and the checks that follow refuse it'],
    ["typeof value === 'number'", 'a type guard: Number.isFinite is false for everything but numbers'],
    ["typeof value === 'string'", 'a table of another type has no whole number of entries, which is refused too'],
  ].map(([original = '', reason = '']) => ({ file: watchState, original, replacement: 'true', reason })),
  {
    file: watermark,
    original: 'newest.created < watermark.created',
    replacement: 'false',
    reason: 'items that are all older add no id and do not raise the watermark, so the same watermark is made again',
  },
  {
    file: watermark,
    original: '[]',
    replacement: '["Stryker was here"]',
    reason: 'one more id that no record has',
  },
  {
    file: reconciler,
    original: 'plans.some((plan) => plan.findings.length > 0 || hasWrites(plan))',
    replacement: 'true',
    reason: 'only saves memory: a pair without changes and findings adds nothing to the plan',
  },
  {
    file: reconciler,
    original: 'plan.findings.length > 0 || hasWrites(plan)',
    replacement: 'true',
    reason: 'only saves memory: a pair without changes and findings adds nothing to the plan',
  },
  {
    file: reconciler,
    original: 'plan.findings.length > 0',
    replacement: 'plan.findings.length >= 0',
    reason: 'only saves memory: a pair without changes and findings adds nothing to the plan',
  },
  {
    file: reconciler,
    original: 'row !== undefined',
    replacement: 'true',
    reason: 'a type guard: a list that is not empty has a first element',
  },
  {
    file: reconciler,
    original: 'linked[0] === row',
    replacement: 'true',
    reason: 'a contact that is not linked has no token from which a base could be read',
  },
  {
    file: reconciler,
    original: 'other.row !== each.row',
    replacement: 'true',
    reason: 'a contact that is opted out itself gets no opt-out from another one',
  },
  {
    file: reconciler,
    original: 'planned += 1',
    replacement: 'planned -= 1',
    reason: 'a negative count has the remainder zero at the same records',
  },
  ...[
    ['{ fatal: true }', '{}'],
    ['true', 'false'],
  ].map(([original = '', replacement = '']) => ({
    file: endpoint,
    original,
    replacement,
    reason: 'the decoder is made once, so only the first test that reads a body counts as running this line',
  })),
  {
    file: endpoint,
    original: 'plain',
    replacement: 'false',
    reason: 'a shortcut: the general way finds the same encoding',
  },
  ...[
    ["value === ''", 'false'],
    ["''", '"Stryker was here!"'],
  ].map(([original = '', replacement = '']) => ({
    file: submission,
    original,
    replacement,
    reason: 'a shortcut: an empty text is empty after its cleaning as well',
  })),
  {
    file: submission,
    original: "typeof value === 'number'",
    replacement: 'true',
    reason: 'a type guard: Number.isFinite is false for everything but numbers',
  },
  {
    file: unmatched,
    original: 'yesNo(contact.optOut) === true',
    replacement: 'false',
    reason: 'checked again before any subscription is created, for all contacts with the address',
  },
  {
    file: unmatched,
    original: 'old',
    replacement: 'true',
    reason: 'a type guard: the contact is in the map',
  },
  {
    file: unmatched,
    original: 'row !== undefined',
    replacement: 'true',
    reason: 'a type guard: a list that is not empty has a first element',
  },
  {
    file: unmatched,
    original: '!base',
    replacement: 'false',
    reason: 'a type guard: only contacts with a readable token are linked anew',
  },
  {
    file: unmatched,
    original: 'plans[0]?.findings',
    replacement: 'plans[0].findings',
    reason: 'a type guard: a list that is not empty has a first element',
  },
  {
    file: unmatched,
    original: 'base?.consent',
    replacement: 'base.consent',
    reason: 'a type guard: only an address of a contact with a readable token can have moved',
  },
  {
    file: unmatched,
    original: '[]',
    replacement: '["Stryker was here"]',
    reason: 'the base of a field that is a text holds nothing, like the base of no field',
  },
  ...[
    ["scope === 'incoming'", 'true', 'only saves memory: the addresses of a complete run are not read'],
    ['[]', '["Stryker was here"]', 'an entry without an id is no custom field that a mapping names'],
  ].map(([original = '', replacement = '', reason = '']) => ({
    file: 'packages/core/src/sync/run.ts',
    original,
    replacement,
    reason,
  })),
  ...[
    ["typeof value === 'object'", 'false'],
    ["'object'", '""'],
  ].map(([original = '', replacement = '']) => ({
    file: 'packages/core/src/sync/run.ts',
    original,
    replacement,
    reason: 'the copy of a list is for the type of the request alone: nothing changes it',
  })),
  ...[
    ['-1', '+1', 'a type guard: the tables have every character of a token and of an id'],
    ["''", '"Stryker was here!"', 'a type guard: there are 64 digits'],
    ['agreed !== undefined', 'true', 'a type guard: without a number no character is written'],
    [
      'token.length < headLength + checksumLength',
      'false',
      'a shorter text names no consent or ends too early, and is refused when it is read',
    ],
    [
      'headLength + checksumLength',
      'headLength - checksumLength',
      'a shorter text names no consent or ends too early, and is refused when it is read',
    ],
    ['at < idStart + 22', 'at <= idStart + 22', 'the digits beyond those of an id are not read'],
    ['at < 32', 'at <= 32', 'the digits are taken by threes, and none begins at 32'],
    [
      '{ return (Math.imul(key ^ (key >>> 15), 0x2c1b3c6d) + bits) | 0; }',
      '{}',
      'any key does that is the same for the same id, because the ids are compared, too',
    ],
    [
      'Math.imul(key ^ (key >>> 15), 0x2c1b3c6d) + bits',
      'Math.imul(key ^ key >>> 15, 0x2c1b3c6d) - bits',
      'any key does that is the same for the same id, because the ids are compared, too',
    ],
  ].map(([original = '', replacement = '', reason = '']) => ({
    file: 'packages/core/src/sync/token.ts',
    original,
    replacement,
    reason,
  })),
  ...[
    ["'linked'", '""'],
    ['plans[0]?.situation', 'plans[0].situation'],
  ].map(([original = '', replacement = '']) => ({
    file: 'packages/core/src/sync/plan.ts',
    original,
    replacement,
    reason: 'a type guard: a subscription with changes has a plan',
  })),
  ...[
    ['default: return plainText(value satisfies unknown);', 'default:', 'a type guard: every kind has its case'],
    ["'string'", '""', 'texts are read in the default case as well'],
    [
      '/(?:Z|[+-]\\d{2}:?\\d{2})$/i',
      '/(?:Z|[+-]\\d{2}:?\\d{2})/i',
      'the text has the form of a time, in which a zone is only at the end',
    ],
  ].map(([original = '', replacement = '', reason = '']) => ({
    file: 'packages/core/src/sync/canonical-value.ts',
    original,
    replacement,
    reason,
  })),
  {
    file: pair,
    original: "''",
    replacement: '"Stryker was here!"',
    reason: 'a type guard: a field that is written to the newsletter has a custom field',
  },
  {
    file: pair,
    original: "'crm'",
    replacement: '""',
    reason: 'every winner but "newsletter" and "review" counts as the CRM',
  },
  ...[
    ["'is missing.'", '""'],
    ['checks[key]?.(undefined)', 'checks[key](undefined)'],
  ].map(([original = '', replacement = '']) => ({
    file: syncMapping,
    original,
    replacement,
    reason: 'a type guard: every required setting has a check, which names what is missing',
  })),
  { file: contact, original: 'known', replacement: 'false', reason: 'a cache: the path is split again' },
  {
    file: contact,
    original: '[path]',
    replacement: '[]',
    reason: 'the last name of an empty list is the path itself',
  },
  ...[
    ['[undefined]', '[]'],
    ['[0]', '[]'],
    ['[1]', '[]'],
    ['this.#tokens.push(undefined);', ';'],
    ['this.#keys.push(0);', ';'],
    ['this.#matched.push(0);', ';'],
  ].map(([original = '', replacement = '']) => ({
    file: contactIndex,
    original,
    replacement,
    reason: 'a row is written by its number, and number 0 is never read: the entries only keep the lists dense',
  })),
  ...[
    ["typeof found === 'number' && this.#isOnlyLink(found, id)", 'false'],
    ["typeof found === 'number'", 'true'],
    ["typeof found === 'number'", "typeof found !== 'number'"],
    ["'number'", '""'],
    ['linked.length === 1 && found === linked[0]', 'false'],
    ['linked.length === 1', 'true'],
    ['linked.length === 1', 'linked.length !== 1'],
    ['found === linked[0]', 'false'],
    [
      '{ const token = this.#tokens[row]; return token !== undefined && this.#bySubscription.get(this.#keys[row] ?? 0) === row && isTokenOf(token, id); }',
      '{}',
    ],
    ['token !== undefined && this.#bySubscription.get(this.#keys[row] ?? 0) === row && isTokenOf(token, id)', 'false'],
    ['token !== undefined', 'token === undefined'],
    ['this.#keys[row] ?? 0', 'this.#keys[row] && 0'],
    ['rows === undefined', 'false'],
  ].map(([original = '', replacement = '']) => ({
    file: contactIndex,
    original,
    replacement,
    reason: 'a shortcut for the usual case: the general way finds the same rows',
  })),
  ...[
    ['email.length < 64 && usualAddress.test(email)', 'false'],
    ['email.length < 64', 'email.length <= 64'],
  ].map(([original = '', replacement = '']) => ({
    file: contactIndex,
    original,
    replacement,
    reason: 'a shortcut: the full check accepts every usual address',
  })),
  ...[
    ['token === undefined', 'false'],
    ['token !== undefined', 'true'],
    ["''", '"Stryker was here!"'],
  ].map(([original = '', replacement = '']) => ({
    file: contactIndex,
    original,
    replacement,
    reason: 'a type guard: only linked rows are asked for',
  })),
  ...[
    [
      "rowsOf(this.#bySubscription.get(idKey(id))).filter((row) => isTokenOf(this.#tokens[row] ?? '', id))",
      'rowsOf(this.#bySubscription.get(idKey(id)))',
    ],
  ].map(([original = '', replacement = '']) => ({
    file: contactIndex,
    original,
    replacement,
    reason: 'ids are compared again because two may share a number of 32 bits',
  })),
  {
    file: clientAddress,
    original: "''",
    replacement: '"Stryker was here!"',
    reason: 'a default for a missing text, which is no IP address either way, or for groups that are not read',
  },
  {
    file: clientAddress,
    original: "'0'",
    replacement: '""',
    reason: 'a missing prefix is 0 either way: Number("") is 0',
  },
  {
    file: clientAddress,
    original: '[]',
    replacement: '["Stryker was here"]',
    reason: 'the first element of a match is not read, and an entry that is no IP address is ignored like no entry',
  },
  {
    file: clientAddress,
    original: "'ipv6'",
    replacement: '""',
    reason: 'Node takes every address family but ipv4 as IPv6',
  },
  {
    file: attackDetector,
    original: 'passed >= lengthMs',
    replacement: 'passed > lengthMs',
    reason: 'at the end of a window its posts count in full, whether it is the current window or the one before',
  },
  {
    file: attackDetector,
    original: 'passed >= 0',
    replacement: 'passed > 0',
    reason: 'a window that has just begun does not end, so no time has passed only outside of this branch',
  },
  {
    file: attackDetector,
    original: 'passed < 2 * lengthMs',
    replacement: 'passed <= 2 * lengthMs',
    reason: 'two windows later the posts of the window before have no weight',
  },
  {
    file: formToken,
    original: "''",
    replacement: '"Stryker was here!"',
    reason: 'the time or signature of a text that is no token, which is refused because it has no nonce',
  },
  {
    file: formToken,
    original: '[]',
    replacement: '["Stryker was here"]',
    reason: 'the first element, the whole match, is not read',
  },
  {
    file: formToken,
    original: "'unusable'",
    replacement: '""',
    reason: 'every text but "valid" and "young" counts as unusable',
  },
  {
    file: 'packages/relay/src/admission/mail-domain.ts',
    original: 'oldest !== undefined',
    replacement: 'true',
    reason: 'a full cache has an oldest domain; the check is for the type',
  },
  {
    file: consent,
    original: 'referrer === null',
    replacement: 'false',
    reason: 'a type guard: no referrer is no URL either',
  },
  {
    file: 'packages/relay/src/admission/mail-domain.ts',
    original: '{ timeout: 1000, tries: 2 }',
    replacement: '{}',
    reason: 'tests ask no name servers on the network; the limits only matter where those do not answer',
  },
  {
    file: turnstile,
    original: "typeof body['hostname'] === 'string'",
    replacement: 'true',
    reason: 'a type guard: the set of hostnames has texts only',
  },
  {
    file: turnstile,
    original: '[]',
    replacement: '["Stryker was here"]',
    reason: 'an unknown error code counts like none',
  },
  {
    file: 'packages/relay/src/delivery/bulk-confirmation.ts',
    original: '[]',
    replacement: '["Stryker was here"]',
    reason: 'no signup has this address',
  },
  ...[
    [
      "pulled && 'then' in pulled",
      'true',
      'a shortcut: waiting for a row that is there already gives the same row, later',
    ],
    ['this.#open.rows.length > 0', 'true', 'a shortcut: a batch without rows is not sent'],
    ['this.#open.rows.length > 0', 'this.#open.rows.length >= 0', 'a shortcut: a batch without rows is not sent'],
    [
      'this.#open.rows.length > 0',
      'false',
      'rows before a settled one are sent already: the batch before it ended at its own last row',
    ],
    [
      'this.#open.rows.length > 0',
      'this.#open.rows.length <= 0',
      'rows before a settled one are sent already: the batch before it ended at its own last row',
    ],
    [
      "''",
      '"Stryker was here!"',
      'stands for a row that is invalid: any text does, as long as every run takes the same',
    ],
    ['rows.length > 0', 'true', 'a batch without rows is not sent'],
    ['rows.length > 0', 'rows.length >= 0', 'a batch without rows is not sent'],
    ["!('request' in checked)", 'false', 'a type guard: invalid rows are left out before'],
    ['last === undefined', 'false', 'the delivery leaves out a batch without rows, too'],
    ['!table', 'false', 'a type guard: the masked number has a table'],
    [
      'table.size * words > table.slots.length * loadFactor',
      'table.size * words >= table.slots.length * loadFactor',
      'a table that grows one address earlier holds the same',
    ],
    ['old.length / words', 'old.length * words', 'a larger table holds the same'],
    ['at < old.length', 'at <= old.length', 'beyond the end there is no row'],
    ['slot + 1', 'slot - 1', 'beyond the last slot no key is found, and the search goes on at the first one'],
    ['row !== 0', 'true', 'a free slot is written as a free slot'],
  ].map(([original = '', replacement = '', reason = '']) => ({ file: batchReader, original, replacement, reason })),
  ...[
    [
      'slots[at] === a && slots[at + 1] === b && slots[at + 2] === c',
      'slots[at] === a && slots[at + 1] === b || slots[at + 2] === c',
    ],
    ['slots[at] === a && slots[at + 1] === b', 'true'],
    ['slots[at] === a && slots[at + 1] === b', 'slots[at] === a || slots[at + 1] === b'],
    ['slots[at] === a', 'true'],
    ['slots[at + 1] === b', 'true'],
    ['slots[at + 2] === c', 'true'],
  ].map(([original = '', replacement = '']) => ({
    file: batchReader,
    original,
    replacement,
    reason: 'two addresses would have to agree in 32 bits of their hashes',
  })),
  ...[
    ['{ id: undefined, notify: () => undefined }', '{}', 'a type guard: a batch of one row has one'],
    ['!row', 'false', 'a type guard: a batch of one row has one'],
    ['row', 'true', 'a type guard: a batch of one row has one'],
  ].map(([original = '', replacement = '', reason = '']) => ({ file: importRun, original, replacement, reason })),
  ...[
    ["''", '"Stryker was here!"', 'neither text is the status of a job that has ended'],
    ['subscription_id !== undefined', 'true', 'a type guard: no word of a line is undefined'],
    ['index === undefined', 'false', 'a list has no entry undefined'],
    ["typeof line === 'object'", 'true', 'the characters of a text name no item'],
    ['/[\\s"\'(),:;<>[\\]{}]+/', '/[\\s"\'(),:;<>[\\]{}]/', 'an empty word names no item'],
    ['index !== undefined', 'true', 'a type guard: undefined is no whole number'],
  ].map(([original = '', replacement = '', reason = '']) => ({ file: update, original, replacement, reason })),
  ...[
    ['this.#ranges[middle]?.last', 'this.#ranges[middle].last', 'a type guard: the middle of two bounds is a range'],
    [
      'record.last > this.#latest.last',
      'record.last >= this.#latest.last',
      'a range that is sent again has the same digest',
    ],
  ].map(([original = '', replacement = '', reason = '']) => ({ file: journal, original, replacement, reason })),
  ...[['part.at(-1)?.ordinal', 'part.at(-1).ordinal', 'a type guard: each part has rows']].map(
    ([original = '', replacement = '', reason = '']) => ({
      file: 'packages/core/src/import/batch.ts',
      original,
      replacement,
      reason,
    }),
  ),
  ...[fieldValue, request].map((file) => ({
    file,
    original: "typeof value === 'number'",
    replacement: 'true',
    reason: 'a type guard: Number.isFinite is false for everything but numbers',
  })),
  {
    file: fieldValue,
    original: "''",
    replacement: '"Stryker was here!"',
    reason: 'stands for a value that is no text, and is no day either way',
  },
  {
    file: 'packages/core/src/import/options.ts',
    original: 'this.#startedAt === undefined',
    replacement: 'false',
    reason: 'without a start the seconds are no number, which is not above 0 either',
  },
  {
    file: fieldValue,
    original: "typeof number === 'number'",
    replacement: 'true',
    reason: 'a type guard: Number.isFinite is false for everything but numbers',
  },
  ...['/\\d{4}-\\d{2}-\\d{2}$/', '/^\\d{4}-\\d{2}-\\d{2}/'].map((replacement) => ({
    file: fieldValue,
    original: '/^\\d{4}-\\d{2}-\\d{2}$/',
    replacement,
    reason: 'the text has ten characters at most, and the pattern fits ten',
  })),
  {
    file: fieldValue,
    original: '/^.{10}(?:$|[T ]\\d)/',
    replacement: '/.{10}(?:$|[T ]\\d)/',
    reason: 'a text with a day and then other words before a time is no time for Date.parse either',
  },
  ...[
    ['Array.isArray(members) && !members.some(isRecord)', 'true'],
    ['members.some(isRecord)', 'members.every(isRecord)'],
  ].map(([original = '', replacement = '']) => ({
    file: fieldValue,
    original,
    replacement,
    reason: 'JSON in brackets is a list, and a list with a record in it is refused because its members must be texts',
  })),
  {
    file: fieldValue,
    original: '{ return undefined; }',
    replacement: '{}',
    reason: 'a function without return gives undefined',
  },
  {
    file: 'packages/core/src/import/headings.ts',
    original: '/[\\s_-]+/g',
    replacement: '/[\\s_-]/g',
    reason: 'every match is removed, so several in a row need not be one match',
  },
  {
    file: 'nodes/Newsletter/trigger/events.ts',
    original: 'a < b',
    replacement: 'a <= b',
    reason: 'no two fields of the filter have the same name',
  },
  {
    file: 'nodes/Newsletter/trigger/limits.ts',
    original: 'size !== null',
    replacement: 'true',
    reason: 'a type guard: null is not above any number',
  },
  ...[
    ["displayOptions?.show?.['/event']?.includes", "displayOptions?.show?.['/event'].includes"],
    ["displayOptions?.show?.['/event']", "displayOptions?.show['/event']"],
  ].map(([original = '', replacement = '']) => ({
    file: triggerSettings,
    original,
    replacement,
    reason: 'a type guard: an option or filter with a condition has one for the event',
  })),
  {
    file: triggerSettings,
    original: '[]',
    replacement: '["Stryker was here"]',
    reason: 'a type guard: the required parameter Changes is a list',
  },
  {
    file: triggerSettings,
    original: "'T'",
    replacement: '""',
    reason: 'V8 reads a day and Z without a time as midnight, too',
  },
  {
    file: triggerSettings,
    original: 'parts.find((each) => each.type === type)?.value',
    replacement: 'parts.find(each => each.type === type).value',
    reason: 'a type guard: the format names all of these parts',
  },
  {
    file: 'nodes/Newsletter/trigger/state.ts',
    original: '{ return {}; }',
    replacement: '{}',
    reason: 'the text itself is refused as damaged, like a record without fields',
  },
  {
    file: triggerPoll,
    original: 'Math.ceil(capacity / pageLimit.max) + 2',
    replacement: 'Math.ceil(capacity / pageLimit.max) - 2',
    reason: 'only matters for a list that is about as long as the capacity, of which the next poll reads the rest',
  },
  {
    file: triggerPoll,
    original: 'capacity / pageLimit.max',
    replacement: 'capacity * pageLimit.max',
    reason: 'a list that takes more requests exceeds the capacity, and is refused',
  },
  ...[
    [
      "found.events .filter((one): one is Exclude<typeof one, { readonly type: 'removed' }> => one.type !== 'removed')",
      'found.events',
    ],
    ["one.type !== 'removed'", 'true'],
    ["'removed'", '""'],
    ["type === 'removed'", 'false'],
  ].map(([original = '', replacement = '']) => ({
    file: triggerPoll,
    original,
    replacement,
    reason: 'a type guard: no event of the trigger reports removed subscriptions',
  })),
  ...[
    ["changes.filter((change) => change === 'tier' || change === 'custom_fields')", 'changes'],
    ["change === 'tier' || change === 'custom_fields'", 'true'],
  ].map(([original = '', replacement = '']) => ({
    file: triggerPoll,
    original,
    replacement,
    reason: 'a type guard: the parameter Changes has these two values',
  })),
  ...[
    ["type === 'created' || type === 'removed'", 'false'],
    ["type === 'created' || type === 'removed'", "type === 'created' && type === 'removed'"],
    ["type === 'created'", 'false'],
    ["'created'", '""'],
  ].map(([original = '', replacement = '']) => ({
    file: triggerPoll,
    original,
    replacement,
    reason: 'the item of a new subscription shows no status before it, also where the event has one',
  })),
  ...['subscriptionCreated', 'subscriptionUnsubscribed'].map((event) => ({
    file: triggerPoll,
    original: `events['${event}']?.name`,
    replacement: `events['${event}'].name`,
    reason: 'a type guard: the table of events has it',
  })),
  {
    file: triggerPoll,
    original: "''",
    replacement: '"Stryker was here!"',
    reason: 'a type guard: failures of these statuses have a description',
  },
  {
    file: dispatch,
    original: 'recordParameter === undefined',
    replacement: 'false',
    reason: 'a shortcut: reading the name of no parameter fails for each item, and is caught',
  },
  {
    file: dispatch,
    original: 'JSON.stringify([...values]).toLowerCase()',
    replacement: 'JSON.stringify([...values]).toUpperCase()',
    reason: 'the keys of groups are only compared with each other',
  },
  {
    file: dispatch,
    original: "''",
    replacement: '"Stryker was here!"',
    reason: 'operations of the workspace have no publication in their path',
  },
  {
    file: dispatch,
    original: 'resources[resource]?.workspace',
    replacement: 'resources[resource].workspace',
    reason: 'the resource exists, because its operation was found',
  },
  {
    file: attempt,
    original: '!(error instanceof InvalidAnswerError)',
    replacement: 'false',
    reason: 'narrows a type only: reading a success throws no other error',
  },
  {
    file: attempt,
    original: "'network'",
    replacement: '""',
    reason: 'every failure but "timeout" and "aborted" counts as a lost response, and the event names the status',
  },
  {
    file: attempt,
    original: '!(error instanceof SyntaxError)',
    replacement: 'false',
    reason: 'narrows a type only: JSON.parse throws no other error',
  },
  {
    file: attempt,
    original: '[]',
    replacement: '["Stryker was here"]',
    reason: 'one more secret that no message holds',
  },
  {
    file: engine,
    original: 'options.token === undefined',
    replacement: 'false',
    reason: 'narrows a type only: a source made of undefined gives undefined, and the request is sent without a token',
  },
  {
    file: engine,
    original: 'body === undefined',
    replacement: 'false',
    reason: 'narrows a type only: JSON.stringify(undefined) is undefined',
  },
  {
    file: 'packages/core/src/engine/host.ts',
    original: "''",
    replacement: '"Stryker was here!"',
    reason: 'no pattern of a code matches either text',
  },
  ...[
    ['!lookUp', 'false', 'narrows a type only: a call without a lookup is not looked up'],
    ['time !== undefined', 'true', 'narrows a type only: undefined is below no number'],
    [
      "typeof value === 'string'",
      'true',
      'narrows a type only: Date.parse finds no time in values that JSON has besides',
    ],
  ].map(([original = '', replacement = '', reason = '']) => ({
    file: 'packages/core/src/engine/lost-response.ts',
    original,
    replacement,
    reason,
  })),
  ...[
    ['{ readAt: 0, remaining: 0, background: 0 }', '{}', 'the first answer begins the first window'],
    ['newResetAt < resetAt', 'newResetAt <= resetAt', 'equal times are the same window'],
    ['false', 'true', 'the first 429 sets it again, and no rate is known before'],
    ['due > now', 'due >= now', 'a request that is due at this moment has neither waited nor been early'],
    ["''", '"Stryker was here!"', 'no date either'],
  ].map(([original = '', replacement = '', reason = '']) => ({
    file: 'packages/core/src/engine/rate-limit.ts',
    original,
    replacement,
    reason,
  })),
  ...[
    ['!queue.first() && nextTurnAt(now, waiter) <= now', 'false', 'a shortcut: the queue grants the same turn'],
    ['nextTurnAt(now, waiter) <= now', 'nextTurnAt(now, waiter) < now', 'a shortcut: the queue grants the same turn'],
    ['deadline !== undefined', 'true', 'narrows a type only: no number is at least undefined'],
    ['stream?.delete', 'stream.delete', 'narrows a type only: a waiting call is in its stream'],
  ].map(([original = '', replacement = '', reason = '']) => ({
    file: 'packages/core/src/engine/pacer.ts',
    original,
    replacement,
    reason,
  })),
  ...[
    ['call.token === undefined', 'false', 'narrows a type only: undefined, read as a text, is no problem either'],
    ["{ retry: 'upsert' }", '{}', 'all classes but "once" are retried alike'],
    ["'upsert'", '""', 'all classes but "once" are retried alike'],
    ["'unclear'", '""', 'a label for debugging: every text but "absent" counts as unclear'],
    ['lookUpOf(operation.id)?.advice', 'lookUpOf(operation.id).advice', 'narrows a type only: the call has a lookup'],
    ['delay !== null', 'true', 'narrows a type only: null is the result either way'],
  ].map(([original = '', replacement = '', reason = '']) => ({
    file: 'packages/core/src/engine/send.ts',
    original,
    replacement,
    reason,
  })),
  ...[
    [
      "''",
      '"Stryker was here!"',
      'narrows a type only: a match has its group, a split text its first part, a request its publication',
    ],
    ['/\\[\\]$/', '/\\[\\]/', 'no parameter has brackets but at its end'],
    ['before', 'false', 'a cache: without it the same sets are made for each call'],
    ['known.set(operation, targets);', ';', 'a cache: without it the same sets are made for each call'],
    ['retry === undefined', 'false', 'narrows a type only: without a retry class there is a problem'],
    ['whole.origin === base.origin', 'true', 'a second check: a path that begins with one slash keeps the origin'],
  ].map(([original = '', replacement = '', reason = '']) => ({
    file: 'packages/core/src/engine/request.ts',
    original,
    replacement,
    reason,
  })),
  ...[
    ["'json'", '""', 'narrows a type only: a post in another encoding is refused before'],
    ["''", '"Stryker was here!"', 'neither text is an encoding or a media type'],
    ['origin !== null', 'true', 'narrows a type only: null is no allowed origin'],
  ].map(([original = '', replacement = '', reason = '']) => ({ file: endpoint, original, replacement, reason })),
  {
    file: 'packages/core/src/endpoint/answers.ts',
    original: "''",
    replacement: '"Stryker was here!"',
    reason: 'narrows a type only: every character that is found has its entity',
  },
  {
    file: submission,
    original: '[]',
    replacement: '["Stryker was here"]',
    reason: 'the submission is refused, so that its fields are not used',
  },
  ...[
    ['[]', '["Stryker was here"]', 'what has no type of an event is not reported'],
    ['pageItems.delete(id);', ';', 'a shortcut: a subscription that was just recorded shows no change'],
  ].map(([original = '', replacement = '', reason = '']) => ({
    file: 'packages/core/src/watch/poll.ts',
    original,
    replacement,
    reason,
  })),
  ...[
    ['[]', '["Stryker was here"]', 'narrows a type only: each sighting has its item'],
    ['item === undefined', 'false', 'narrows a type only: each sighting has its item'],
    ['() => false', '() => undefined', 'the result is only tested for truth'],
    ['moved.reached === null', 'false', 'narrows a type only: null was null before the page too'],
    ['stretch.to > from', 'stretch.to >= from', 'a stretch that ends here is not cut'],
    ['left[index]?.at', 'left[index].at', 'narrows a type only: each gap has two neighbours'],
    ...['first === undefined || second === undefined', 'first === undefined', 'second === undefined'].map(
      (original) => [original, 'false', 'narrows a type only: each gap has two neighbours'],
    ),
    [
      'first === undefined || second === undefined',
      'first === undefined && second === undefined',
      'narrows a type only: each gap has two neighbours',
    ],
  ].map(([original = '', replacement = '', reason = '']) => ({
    file: 'packages/core/src/watch/scan.ts',
    original,
    replacement,
    reason,
  })),
  {
    file: 'packages/core/src/watch/segment.ts',
    original: 'at < packed.length',
    replacement: 'at <= packed.length',
    reason: 'the marks begin within the entries: none begins at the end',
  },
  {
    file: 'packages/core/src/watch/created.ts',
    original: 'state.walk === null',
    replacement: 'false',
    reason: 'narrows a type only: the cursor that is dropped comes from a walk',
  },
  {
    file: 'packages/core/src/watch/created.ts',
    original: '[]',
    replacement: '["Stryker was here"]',
    reason: 'one more id that no record has',
  },
  ...[
    ...[
      ['`The table has no entry ${index}.`', '``'],
      ['value === undefined', 'false'],
      ['segment !== undefined', 'true'],
    ].map((mutation) => [...mutation, 'narrows a type only: every index is within its list']),
    ...[
      ['{ second: from, hash: 0 }', '{}'],
      ['{ second: second + 1, hash: 0 }', '{}'],
      ['second + 1', 'second - 1'],
      ['old.second > to', 'false'],
      ['!someMark(old, isGone)', 'false'],
    ].map((mutation) => [...mutation, 'a shortcut: the entries of more segments are looked at, one by one']),
    ['() => false', '() => undefined', 'the value is only compared with true'],
    [
      'widthFor(sighting.second - segment.second) > segment.width',
      'false',
      'a shortcut: no entry of the segment has a key of such a late second',
    ],
    ['rank < bestRank', 'rank <= bestRank', 'of entries with the same rank, any may be taken'],
  ].map(([original = '', replacement = '', reason = '']) => ({
    file: 'packages/core/src/watch/table.ts',
    original,
    replacement,
    reason,
  })),
  ...[
    ['createdAt !== null', 'true', 'narrows a type only: null counts as 0, which is long before the signup'],
    [
      "typeof value === 'object'",
      'false',
      "copies a list, because the request's type can be changed; the values are the same",
    ],
    ["'object'", '""', "copies a list, because the request's type can be changed; the values are the same"],
  ].map(([original = '', replacement = '', reason = '']) => ({
    file: 'packages/relay/src/delivery/single-delivery.ts',
    original,
    replacement,
    reason,
  })),
  ...[
    ['form !== undefined', 'true', 'narrows a type only: a lane claims the signups of its own forms'],
    ['rest.length > 0', 'true', 'a shortcut: releasing no signups changes nothing'],
    ['rest.length > 0', 'rest.length >= 0', 'a shortcut: releasing no signups changes nothing'],
    [
      "decision.kind === 'retry'",
      'true',
      'narrows a type only: the other cases are handled before, or have no such property',
    ],
  ].map(([original = '', replacement = '', reason = '']) => ({
    file: 'packages/relay/src/delivery/bulk-delivery.ts',
    original,
    replacement,
    reason,
  })),
  ...[
    ["{ publicationId: '', apiKey: '' }", '{}', 'narrows a type only: a group has at least one form'],
    ["''", '"Stryker was here!"', 'narrows a type only: a group has at least one form, and a key is the key of a form'],
    ['affected[0]?.name', 'affected[0].name', 'narrows a type only: a key is the key of a form'],
    ['free > 0', 'true', 'a shortcut: a claim of no signups, or of fewer, claims none'],
    ['free > 0', 'free >= 0', 'a shortcut: a claim of no signups, or of fewer, claims none'],
    ['nextDueAt !== null', 'true', 'narrows a type only: null counts as 0, which is not far ahead'],
  ].map(([original = '', replacement = '', reason = '']) => ({
    file: 'packages/relay/src/delivery/dispatcher.ts',
    original,
    replacement,
    reason,
  })),
  ...[
    ["'challenge'", '""', 'the purpose only has to differ from those of other keys'],
    ["'challenge solution'", '""', 'the purpose only has to differ from those of other keys'],
    [
      '{ return null; // The library throws on some malformed solutions. }',
      '{}',
      'a second check: no known solution of the right shape makes the library throw',
    ],
    ['{ return null; }', '{}', 'a proof that cannot be decoded has no form, whether null or undefined'],
  ].map(([original = '', replacement = '', reason = '']) => ({
    file: 'packages/relay/src/admission/proof-of-work.ts',
    original,
    replacement,
    reason,
  })),
  ...[
    [
      "''",
      '"Stryker was here!"',
      'narrows a type only: an address has a name and a domain, and the ring buffer no hole',
    ],
    ['[]', '["Stryker was here"]', 'the library passes the values with every statement'],
    [
      '(Object.keys(all) as LimitKind[]) .filter((kind) => all[kind].length > 0)',
      'Object.keys(all) as LimitKind[]',
      'a shortcut: a kind without rules counts nothing',
    ],
    ['all[kind].length > 0', 'true', 'a shortcut: a kind without rules counts nothing'],
    ['all[kind].length > 0', 'all[kind].length >= 0', 'a shortcut: a kind without rules counts nothing'],
    ["'signup'", '""', 'the name only has to differ from those of the other counters'],
    ["'limit'", '""', 'the purpose only has to differ from those of other keys'],
    ['client === null', 'false', 'narrows a type only: null is no IP address, and so has no network'],
    ["'all'", '""', 'all signups are counted under one key, whatever it is'],
    ["'review'", '""', 'the text only has to differ from that of the other signups'],
    ["'mail'", '""', 'the text only has to differ from that of the other signups'],
    ['`beyond ${content}`', '``', 'written only so that every case makes the same calls; nothing reads it'],
    ['() => Promise.resolve()', '() => undefined', 'what is awaited may be no promise'],
    ["'client'", '""', 'the library asks only whether it is a pool'],
  ].map(([original = '', replacement = '', reason = '']) => ({
    file: 'packages/relay/src/admission/rate-limits.ts',
    original,
    replacement,
    reason,
  })),
  ...[
    ["'token'", '""', 'the name only has to differ from those of the other counters'],
    ["'proof'", '""', 'the name only has to differ from those of the other counters'],
    [
      'tokenLifetimeMs / 1000',
      'tokenLifetimeMs * 1000',
      'a use that is remembered for longer changes nothing: an expired token is refused before',
    ],
    ["'form token'", '""', 'the purpose only has to differ from those of other keys'],
    ["'visitor'", '""', 'the purpose only has to differ from those of other keys'],
    ['origin === null', 'false', 'narrows a type only: null is no allowed origin'],
    ['origin !== null', 'true', 'narrows a type only: null is no allowed origin'],
    ['token === undefined', 'false', 'narrows a type only: a missing token cannot be read either'],
    ["''", '"Stryker was here!"', 'narrows a type only: a post without a proof was refused before'],
    ["'passed'", '""', 'every text but "failed" and "unknown" counts as passed'],
  ].map(([original = '', replacement = '', reason = '']) => ({
    file: 'packages/relay/src/admission/abuse-protection.ts',
    original,
    replacement,
    reason,
  })),
  ...[
    ['/^(?:user|guest)_/', '/(?:user|guest)_/', 'the text before the prefix stays, and so there is no such id'],
    [
      "name.normalize('NFC').trim().replaceAll(/\\s+/g, ' ').toLowerCase()",
      "name.normalize('NFC').trim().replaceAll(/\\s+/g, ' ').toUpperCase()",
      'the names are only compared with each other',
    ],
    ['[]', '["Stryker was here"]', 'one more part that no record has'],
    ['tier?.id', 'tier.id', 'narrows a type only: the tier of an access is always stored'],
  ].map(([original = '', replacement = '', reason = '']) => ({
    file: 'packages/sandbox/src/api/content.ts',
    original,
    replacement,
    reason,
  })),
  ...[['key.publications === null', 'false', 'JSON.parse(null) is null, too']].map(
    ([original = '', replacement = '', reason = '']) => ({
      file: 'packages/sandbox/src/api/auth.ts',
      original,
      replacement,
      reason,
    }),
  ),
  ...[
    ['ofPublication && !call.publication', 'false', 'narrows a type only: the publication was found before'],
    ['`${id} was called without a publication.`', '``', 'narrows a type only: the publication was found before'],
    ['`_${letter.toLowerCase()}`', '``', 'the name only has to differ from those of the other lists'],
    [
      '(letter) => `_${letter.toLowerCase()}`',
      '() => undefined',
      'the name only has to differ from those of the other lists',
    ],
  ].map(([original = '', replacement = '', reason = '']) => ({
    file: 'packages/sandbox/src/api/rule.ts',
    original,
    replacement,
    reason,
  })),
  ...[
    ['unknown.length === 0', 'false', 'a shortcut: a second reading of the same input finds the same problems'],
    [
      "typeof value === 'object' && value !== null",
      'true',
      'narrows a type only: a path of zod leads through objects and lists',
    ],
    [
      "typeof value === 'object' && value !== null",
      "typeof value === 'object' || value !== null",
      'narrows a type only: a path of zod leads through objects and lists',
    ],
    ["typeof value === 'object'", 'true', 'narrows a type only: a path of zod leads through objects and lists'],
    ['value !== null', 'true', 'narrows a type only: a path of zod leads through objects and lists'],
    [
      "typeof holder === 'object' && holder !== null && key !== undefined",
      'true',
      'narrows a type only: a path of zod leads through objects and lists',
    ],
    [
      "typeof holder === 'object' && holder !== null",
      'true',
      'narrows a type only: a path of zod leads through objects and lists',
    ],
    [
      "typeof holder === 'object' && holder !== null && key !== undefined",
      "typeof holder === 'object' && holder !== null || key !== undefined",
      'narrows a type only: a path of zod leads through objects and lists',
    ],
    [
      "typeof holder === 'object' && holder !== null",
      "typeof holder === 'object' || holder !== null",
      'narrows a type only: a path of zod leads through objects and lists',
    ],
    ["typeof holder === 'object'", 'true', 'narrows a type only: a path of zod leads through objects and lists'],
    ['holder !== null', 'true', 'narrows a type only: a path of zod leads through objects and lists'],
    ['key !== undefined', 'true', 'narrows a type only: a path of zod leads through objects and lists'],
  ].map(([original = '', replacement = '', reason = '']) => ({
    file: 'packages/sandbox/src/api/validation.ts',
    original,
    replacement,
    reason,
  })),
  ...[
    ['{ value: undefined }', '{}', 'the value is undefined either way'],
    ['failure.details[0]?.code', 'failure.details[0].code', 'narrows a type only: an error has at least one reason'],
    [
      '!operation',
      'false',
      'narrows a type only: every route has an operation, and every operation a rule, which another test checks',
    ],
    [
      '!rule',
      'false',
      'narrows a type only: every route has an operation, and every operation a rule, which another test checks',
    ],
    [
      "'The router found a path without an operation.'",
      '""',
      'narrows a type only: every route has an operation, and every operation a rule, which another test checks',
    ],
    [
      '`No rule answers ${operation.id}.`',
      '``',
      'narrows a type only: every route has an operation, and every operation a rule, which another test checks',
    ],
    ["typeof place === 'number'", 'true', 'narrows a type only: the router gives an index for every parameter'],
    ['values?.[place]', 'values[place]', 'narrows a type only: the router gives an index for every parameter'],
    ["''", '"Stryker was here!"', 'narrows a type only: the router gives an index for every parameter'],
  ].map(([original = '', replacement = '', reason = '']) => ({
    file: 'packages/sandbox/src/api/api.ts',
    original,
    replacement,
    reason,
  })),
  ...[
    ["'%'", '""', 'a shortcut: a query without a percent sign decodes without an error'],
    ['type === null', 'false', 'narrows a type only: null is no media type'],
  ].map(([original = '', replacement = '', reason = '']) => ({
    file: 'packages/sandbox/src/api/read-request.ts',
    original,
    replacement,
    reason,
  })),
  ...[["'custom_field'", '""', 'the kind only separates the numbers and ids of different records']].map(
    ([original = '', replacement = '', reason = '']) => ({
      file: 'packages/sandbox/src/api/custom-fields.ts',
      original,
      replacement,
      reason,
    }),
  ),
  ...[["'job'", '""', 'the kind only separates the numbers and ids of different records']].map(
    ([original = '', replacement = '', reason = '']) => ({
      file: 'packages/sandbox/src/world/jobs.ts',
      original,
      replacement,
      reason,
    }),
  ),
  ...[["'aj'", '""', 'the kind only separates the numbers and ids of different records']].map(
    ([original = '', replacement = '', reason = '']) => ({
      file: 'packages/sandbox/src/world/journeys.ts',
      original,
      replacement,
      reason,
    }),
  ),
  ...[["'sub'", '""', 'the kind only separates the numbers and ids of different records']].map(
    ([original = '', replacement = '', reason = '']) => ({
      file: 'packages/sandbox/src/world/subscribe.ts',
      original,
      replacement,
      reason,
    }),
  ),
  ...[
    [
      "!journey || !subscriber || journey.status !== 'in_progress'",
      "(!journey || !subscriber) && journey.status !== 'in_progress'",
      'narrows a type only: a scheduled step has its journey, and a journey its subscriber',
    ],
    [
      '!journey || !subscriber',
      'false',
      'narrows a type only: a scheduled step has its journey, and a journey its subscriber',
    ],
    [
      '!journey || !subscriber',
      '!journey && !subscriber',
      'narrows a type only: a scheduled step has its journey, and a journey its subscriber',
    ],
  ].map(([original = '', replacement = '', reason = '']) => ({
    file: 'packages/sandbox/src/world/journeys.ts',
    original,
    replacement,
    reason,
  })),
  ...[
    ['!job || !publication', 'false', 'narrows a type only: a scheduled job is stored, and so is its publication'],
    [
      '!job || !publication',
      '!job && !publication',
      'narrows a type only: a scheduled job is stored, and so is its publication',
    ],
    ['joining.length + leaving.length === 0', 'false', 'a shortcut: without ids no list is looked for'],
    ['!(error instanceof Refusal)', 'false', 'narrows a type only: an item is refused for no other reason'],
  ].map(([original = '', replacement = '', reason = '']) => ({
    file: 'packages/sandbox/src/world/jobs.ts',
    original,
    replacement,
    reason,
  })),
  ...[
    [
      "'The subscription that was just written cannot be found.'",
      '""',
      'narrows a type only: the row was written in the same transaction',
    ],
    ['!row', 'false', 'narrows a type only: the row was written in the same transaction'],
    ['row?.status', 'row.status', 'narrows a type only: the subscription of a scheduled check is stored'],
    [
      '(request.premium_tiers ?? request.premium_tier_ids) !== undefined',
      'true',
      'a shortcut: without names no tier is looked for',
    ],
    ['[]', '["Stryker was here"]', 'a list that is not read: no tier is looked for in it, or the request is refused'],
  ].map(([original = '', replacement = '', reason = '']) => ({
    file: 'packages/sandbox/src/world/subscribe.ts',
    original,
    replacement,
    reason,
  })),
  ...[
    ['events.slice()', 'events', 'the e-mails that follow note other events than subscriptions'],
    [
      'scheduledEvents[kind]?.(world, subject, note)',
      'scheduledEvents[kind](world, subject, note)',
      'narrows a type only: every kind that is scheduled is in the table',
    ],
  ].map(([original = '', replacement = '', reason = '']) => ({
    file: 'packages/sandbox/src/world/open-world.ts',
    original,
    replacement,
    reason,
  })),
];

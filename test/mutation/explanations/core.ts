/** Why mutants of the core may survive. */
export const core = {
  'packages/core/src/endpoint/admission.ts': {
    'the decoder is made once, so only the first test that reads a body counts as running this line': [
      ['{ fatal: true }', '{}'],
      ['true', 'false'],
    ],
    'a shortcut: the general way finds the same encoding': [['plain', 'false']],
    'narrows a type only: a post in another encoding is refused before': [["'json'", '""']],
    'neither text is an encoding or a media type': [["''", '"Stryker was here!"']],
    'narrows a type only: null is no allowed origin': [['origin !== null', 'true']],
  },
  'packages/core/src/endpoint/answers.ts': {
    'narrows a type only: every character that is found has its entity': [["''", '"Stryker was here!"']],
  },
  'packages/core/src/endpoint/submission.ts': {
    'a shortcut: an empty text is empty after its cleaning as well': [
      ["value === ''", 'false'],
      ["''", '"Stryker was here!"'],
    ],
    'a type guard: Number.isFinite is false for everything but numbers': [["typeof value === 'number'", 'true']],
    'the submission is refused, so that its fields are not used': [['[]', '["Stryker was here"]']],
  },
  'packages/core/src/engine/api-promise.ts': {
    'by the language, undefined stands for Promise here': [['{ return Promise; }', '{}']],
    'no header is named "undefined", so there is no id either way': [['requestIdHeader === undefined', 'false']],
  },
  'packages/core/src/engine/attempt.ts': {
    'narrows a type only: reading a success throws no other error': [
      ['!(error instanceof InvalidAnswerError)', 'false'],
    ],
    'every failure but "timeout" and "aborted" counts as a lost response, and the event names the status': [
      ["'network'", '""'],
    ],
    'narrows a type only: JSON.parse throws no other error': [['!(error instanceof SyntaxError)', 'false']],
    'one more secret that no message holds': [['[]', '["Stryker was here"]']],
  },
  'packages/core/src/engine/engine.ts': {
    'narrows a type only: a source made of undefined gives undefined, and the request is sent without a token': [
      ['options.token === undefined', 'false'],
    ],
    'narrows a type only: JSON.stringify(undefined) is undefined': [['body === undefined', 'false']],
  },
  'packages/core/src/engine/host.ts': {
    'no pattern of a code matches either text': [["''", '"Stryker was here!"']],
  },
  'packages/core/src/engine/lost-response.ts': {
    'a label for debugging: every text but "absent" counts as unclear': [["'unclear'", '""']],
    'narrows a type only: a call without a lookup is not looked up': [['!lookUp', 'false']],
    'narrows a type only: undefined is below no number': [['time !== undefined', 'true']],
    'narrows a type only: Date.parse finds no time in values that JSON has besides': [
      ["typeof value === 'string'", 'true'],
    ],
  },
  'packages/core/src/engine/pacer.ts': {
    'a shortcut: the queue grants the same turn': [
      ['!queue.first() && nextTurnAt(now, waiter) <= now', 'false'],
      ['nextTurnAt(now, waiter) <= now', 'nextTurnAt(now, waiter) < now'],
    ],
    'narrows a type only: no number is at least undefined': [['deadline !== undefined', 'true']],
    'narrows a type only: a waiting call is in its stream': [['stream?.delete', 'stream.delete']],
  },
  'packages/core/src/engine/rate-limit.ts': {
    'the first answer begins the first window': [['{ readAt: 0, remaining: 0, background: 0 }', '{}']],
    'equal times are the same window': [['newResetAt < resetAt', 'newResetAt <= resetAt']],
    'the first 429 sets it again, and no rate is known before': [['false', 'true']],
    'a request that is due at this moment has neither waited nor been early': [['due > now', 'due >= now']],
    'no date either': [["''", '"Stryker was here!"']],
  },
  'packages/core/src/engine/redact.ts': {
    'a default list of secrets or errors: no text holds this secret, and a text is no error': [
      ['[]', '["Stryker was here"]'],
    ],
    'no error of the platform has a field "errors" that is no list': [
      ["'errors' in error && Array.isArray(error.errors)", "'errors' in error || Array.isArray(error.errors)"],
    ],
  },
  'packages/core/src/engine/request.ts': {
    'narrows a type only: a match has its group, a split text its first part, a request its publication': [
      ["''", '"Stryker was here!"'],
    ],
    'no parameter has brackets but at its end': [['/\\[\\]$/', '/\\[\\]/']],
    'a cache: without it the same sets are made for each call': [
      ['before', 'false'],
      ['known.set(operation, targets);', ';'],
    ],
    'narrows a type only: without a retry class there is a problem': [['retry === undefined', 'false']],
    'a second check: a path that begins with one slash keeps the origin': [['whole.origin === base.origin', 'true']],
  },
  'packages/core/src/engine/retry.ts': {
    'a shortcut: a policy without a layer is copied instead, with the same values': [['layer === undefined', 'false']],
  },
  'packages/core/src/engine/send.ts': {
    'narrows a type only: undefined, read as a text, is no problem either': [['call.token === undefined', 'false']],
    'all classes but "once" are retried alike': [
      ["{ retry: 'upsert' }", '{}'],
      ["'upsert'", '""'],
    ],
    'a label for debugging: every text but "absent" counts as unclear': [["'unclear'", '""']],
    'narrows a type only: the call has a lookup': [['lookUpOf(operation.id)?.advice', 'lookUpOf(operation.id).advice']],
    'narrows a type only: null is the result either way': [['delay !== null', 'true']],
  },
  'packages/core/src/import/await-update.ts': {
    'neither text is the status of a job that has ended': [["''", '"Stryker was here!"']],
    'a type guard: no word of a line is undefined': [['subscription_id !== undefined', 'true']],
    'a list has no entry undefined': [['index === undefined', 'false']],
    'the characters of a text name no item': [["typeof line === 'object'", 'true']],
    'an empty word names no item': [[`/[\\s"'(),:;<>[\\]{}]+/`, `/[\\s"'(),:;<>[\\]{}]/`]],
    'a type guard: undefined is no whole number': [['index !== undefined', 'true']],
  },
  'packages/core/src/import/batch-reader.ts': {
    'a shortcut: waiting for a row that is there already gives the same row, later': [
      ["pulled && 'then' in pulled", 'true'],
    ],
    'a shortcut: a batch without rows is not sent': [
      ['this.#open.rows.length > 0', 'true'],
      ['this.#open.rows.length > 0', 'this.#open.rows.length >= 0'],
    ],
    'rows before a settled one are sent already: the batch before it ended at its own last row': [
      ['this.#open.rows.length > 0', 'false'],
      ['this.#open.rows.length > 0', 'this.#open.rows.length <= 0'],
    ],
    'stands for a row that is invalid: any text does, as long as every run takes the same': [
      ["''", '"Stryker was here!"'],
    ],
    'a batch without rows is not sent': [
      ['rows.length > 0', 'true'],
      ['rows.length > 0', 'rows.length >= 0'],
    ],
    'a type guard: invalid rows are left out before': [["!('request' in checked)", 'false']],
    'the delivery leaves out a batch without rows, too': [['last === undefined', 'false']],
    'a type guard: the masked number has a table': [['!table', 'false']],
    'a table that grows one address earlier holds the same': [
      ['table.size * words > table.slots.length * loadFactor', 'table.size * words >= table.slots.length * loadFactor'],
    ],
    'a larger table holds the same': [['old.length / words', 'old.length * words']],
    'beyond the end there is no row': [['at < old.length', 'at <= old.length']],
    'beyond the last slot no key is found, and the search goes on at the first one': [['slot + 1', 'slot - 1']],
    'a free slot is written as a free slot': [['row !== 0', 'true']],
    'two addresses would have to agree in 32 bits of their hashes': [
      [
        'slots[at] === a && slots[at + 1] === b && slots[at + 2] === c',
        'slots[at] === a && slots[at + 1] === b || slots[at + 2] === c',
      ],
      ['slots[at] === a && slots[at + 1] === b', 'true'],
      ['slots[at] === a && slots[at + 1] === b', 'slots[at] === a || slots[at + 1] === b'],
      ['slots[at] === a', 'true'],
      ['slots[at + 1] === b', 'true'],
      ['slots[at + 2] === c', 'true'],
    ],
  },
  'packages/core/src/import/batch.ts': {
    'a type guard: each part has rows': [['part.at(-1)?.ordinal', 'part.at(-1).ordinal']],
  },
  'packages/core/src/import/delivery.ts': {
    'a type guard: a batch has rows': [['!end', 'false']],
    'a type guard: a batch of one row has one': [['!row', 'false']],
    'an id that is undefined is left out when the record is written as JSON': [['sent.id === undefined', 'false']],
    'a type guard: an answer to a bulk creation without an id is refused before': [['importId !== undefined', 'true']],
  },
  'packages/core/src/import/field-value.ts': {
    'a type guard: Number.isFinite is false for everything but numbers': [
      ["typeof value === 'number'", 'true'],
      ["typeof number === 'number'", 'true'],
    ],
    'stands for a value that is no text, and is no day either way': [["''", '"Stryker was here!"']],
    'the text has ten characters at most, and the pattern fits ten': [
      ['/^\\d{4}-\\d{2}-\\d{2}$/', '/\\d{4}-\\d{2}-\\d{2}$/'],
      ['/^\\d{4}-\\d{2}-\\d{2}$/', '/^\\d{4}-\\d{2}-\\d{2}/'],
    ],
    'a text with a day and then other words before a time is no time for Date.parse either': [
      ['/^.{10}(?:$|[T ]\\d)/', '/.{10}(?:$|[T ]\\d)/'],
    ],
    'JSON in brackets is a list, and a list with a record in it is refused because its members must be texts': [
      ['Array.isArray(members) && !members.some(isRecord)', 'true'],
      ['members.some(isRecord)', 'members.every(isRecord)'],
    ],
    'a function without return gives undefined': [['{ return undefined; }', '{}']],
  },
  'packages/core/src/import/headings.ts': {
    'every match is removed, so several in a row need not be one match': [['/[\\s_-]+/g', '/[\\s_-]/g']],
  },
  'packages/core/src/import/import-subscriptions.ts': {
    'a type guard: a batch of one row has one': [
      ['{ id: undefined, notify: () => undefined }', '{}'],
      ['!row', 'false'],
      ['row', 'true'],
    ],
  },
  'packages/core/src/import/journal.ts': {
    'a type guard: the middle of two bounds is a range': [['this.#ranges[middle]?.last', 'this.#ranges[middle].last']],
    'a range that is sent again has the same digest': [
      ['record.last > this.#latest.last', 'record.last >= this.#latest.last'],
    ],
  },
  'packages/core/src/import/options.ts': {
    'without a start the seconds are no number, which is not above 0 either': [
      ['this.#startedAt === undefined', 'false'],
    ],
  },
  'packages/core/src/import/request.ts': {
    'a type guard: Number.isFinite is false for everything but numbers': [["typeof value === 'number'", 'true']],
  },
  'packages/core/src/sync/canonical-value.ts': {
    'a type guard: every kind has its case': [['default: return plainText(value satisfies unknown);', 'default:']],
    'texts are read in the default case as well': [["'string'", '""']],
    'the text has the form of a time, in which a zone is only at the end': [
      ['/(?:Z|[+-]\\d{2}:?\\d{2})$/i', '/(?:Z|[+-]\\d{2}:?\\d{2})/i'],
    ],
  },
  'packages/core/src/sync/contact-index.ts': {
    'a row is written by its number, and number 0 is never read: the entries only keep the lists dense': [
      ['[undefined]', '[]'],
      ['[0]', '[]'],
      ['[1]', '[]'],
      ['this.#tokens.push(undefined);', ';'],
      ['this.#keys.push(0);', ';'],
      ['this.#matched.push(0);', ';'],
    ],
    'a shortcut for the usual case: the general way finds the same rows': [
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
      [
        'token !== undefined && this.#bySubscription.get(this.#keys[row] ?? 0) === row && isTokenOf(token, id)',
        'false',
      ],
      ['token !== undefined', 'token === undefined'],
      ['this.#keys[row] ?? 0', 'this.#keys[row] && 0'],
      ['rows === undefined', 'false'],
    ],
    'a shortcut: the full check accepts every usual address': [
      ['email.length < 64 && usualAddress.test(email)', 'false'],
      ['email.length < 64', 'email.length <= 64'],
    ],
    'a type guard: only linked rows are asked for': [
      ['token === undefined', 'false'],
      ['token !== undefined', 'true'],
      ["''", '"Stryker was here!"'],
    ],
    'ids are compared again because two may share a number of 32 bits': [
      [
        "rowsOf(this.#bySubscription.get(idKey(id))).filter((row) => isTokenOf(this.#tokens[row] ?? '', id))",
        'rowsOf(this.#bySubscription.get(idKey(id)))',
      ],
    ],
  },
  'packages/core/src/sync/contact.ts': {
    'a cache: the path is split again': [['known', 'false']],
    'the last name of an empty list is the path itself': [['[path]', '[]']],
  },
  'packages/core/src/sync/mapping.ts': {
    'a type guard: every required setting has a check, which names what is missing': [
      ["'is missing.'", '""'],
      ['checks[key]?.(undefined)', 'checks[key](undefined)'],
    ],
  },
  'packages/core/src/sync/plan-pair.ts': {
    'a type guard: a field that is written to the newsletter has a custom field': [["''", '"Stryker was here!"']],
    'every winner but "newsletter" and "review" counts as the CRM': [["'crm'", '""']],
  },
  'packages/core/src/sync/plan-unmatched.ts': {
    'checked again before any subscription is created, for all contacts with the address': [
      ['yesNo(contact.optOut) === true', 'false'],
    ],
    'a type guard: the contact is in the map': [['old', 'true']],
    'a type guard: a list that is not empty has a first element': [
      ['row !== undefined', 'true'],
      ['plans[0]?.findings', 'plans[0].findings'],
    ],
    'a type guard: only contacts with a readable token are linked anew': [['!base', 'false']],
    'a type guard: only an address of a contact with a readable token can have moved': [
      ['base?.consent', 'base.consent'],
    ],
    'the base of a field that is a text holds nothing, like the base of no field': [['[]', '["Stryker was here"]']],
  },
  'packages/core/src/sync/plan.ts': {
    'a type guard: a subscription with changes has a plan': [
      ["'linked'", '""'],
      ['plans[0]?.situation', 'plans[0].situation'],
    ],
  },
  'packages/core/src/sync/reconciler.ts': {
    'only saves memory: a pair without changes and findings adds nothing to the plan': [
      ['plans.some((plan) => plan.findings.length > 0 || hasWrites(plan))', 'true'],
      ['plan.findings.length > 0 || hasWrites(plan)', 'true'],
      ['plan.findings.length > 0', 'plan.findings.length >= 0'],
    ],
    'a type guard: a list that is not empty has a first element': [['row !== undefined', 'true']],
    'a contact that is not linked has no token from which a base could be read': [['linked[0] === row', 'true']],
    'a contact that is opted out itself gets no opt-out from another one': [['other.row !== each.row', 'true']],
    'a negative count has the remainder zero at the same records': [['planned += 1', 'planned -= 1']],
  },
  'packages/core/src/sync/run.ts': {
    'only saves memory: the addresses of a complete run are not read': [["scope === 'incoming'", 'true']],
    'an entry without an id is no custom field that a mapping names': [['[]', '["Stryker was here"]']],
    'the copy of a list is for the type of the request alone: nothing changes it': [
      ["typeof value === 'object'", 'false'],
      ["'object'", '""'],
    ],
  },
  'packages/core/src/sync/token.ts': {
    'a type guard: the tables have every character of a token and of an id': [['-1', '+1']],
    'a type guard: there are 64 digits': [["''", '"Stryker was here!"']],
    'a type guard: without a number no character is written': [['agreed !== undefined', 'true']],
    'a shorter text names no consent or ends too early, and is refused when it is read': [
      ['token.length < headLength + checksumLength', 'false'],
      ['headLength + checksumLength', 'headLength - checksumLength'],
    ],
    'the digits beyond those of an id are not read': [['at < idStart + 22', 'at <= idStart + 22']],
    'the digits are taken by threes, and none begins at 32': [['at < 32', 'at <= 32']],
    'any key does that is the same for the same id, because the ids are compared, too': [
      ['{ return (Math.imul(key ^ (key >>> 15), 0x2c1b3c6d) + bits) | 0; }', '{}'],
      ['Math.imul(key ^ (key >>> 15), 0x2c1b3c6d) + bits', 'Math.imul(key ^ key >>> 15, 0x2c1b3c6d) - bits'],
    ],
  },
  'packages/core/src/watch/created.ts': {
    'narrows a type only: the cursor that is dropped comes from a walk': [['state.walk === null', 'false']],
    'one more id that no record has': [['[]', '["Stryker was here"]']],
  },
  'packages/core/src/watch/fingerprint.ts': {
    'JSON.stringify gives a text for every value that comes out of JSON': [["''", '"Stryker was here!"']],
    'no two fields of a subscription have the same name, and any fixed order will do': [
      ['a < b', 'a <= b'],
      ['a < b', 'a >= b'],
    ],
  },
  'packages/core/src/watch/poll.ts': {
    'what has no type of an event is not reported': [['[]', '["Stryker was here"]']],
    'a shortcut: a subscription that was just recorded shows no change': [['pageItems.delete(id);', ';']],
  },
  'packages/core/src/watch/scan.ts': {
    'narrows a type only: each sighting has its item': [
      ['[]', '["Stryker was here"]'],
      ['item === undefined', 'false'],
    ],
    'the result is only tested for truth': [['() => false', '() => undefined']],
    'narrows a type only: null was null before the page too': [['moved.reached === null', 'false']],
    'a stretch that ends here is not cut': [['stretch.to > from', 'stretch.to >= from']],
    'narrows a type only: each gap has two neighbours': [
      ['left[index]?.at', 'left[index].at'],
      ['first === undefined || second === undefined', 'false'],
      ['first === undefined', 'false'],
      ['second === undefined', 'false'],
      ['first === undefined || second === undefined', 'first === undefined && second === undefined'],
    ],
  },
  'packages/core/src/watch/segment.ts': {
    'the marks begin within the entries: none begins at the end': [['at < packed.length', 'at <= packed.length']],
  },
  'packages/core/src/watch/state.ts': {
    'a version that is no number is not above 2, and the checks that follow refuse it': [
      ["typeof version === 'number'", 'true'],
    ],
    'a type guard: Number.isFinite is false for everything but numbers': [["typeof value === 'number'", 'true']],
    'a table of another type has no whole number of entries, which is refused too': [
      ["typeof value === 'string'", 'true'],
    ],
  },
  'packages/core/src/watch/table.ts': {
    'narrows a type only: every index is within its list': [
      ['`The table has no entry ${index}.`', '``'],
      ['value === undefined', 'false'],
      ['segment !== undefined', 'true'],
    ],
    'a shortcut: the entries of more segments are looked at, one by one': [
      ['{ second: from, hash: 0 }', '{}'],
      ['{ second: second + 1, hash: 0 }', '{}'],
      ['second + 1', 'second - 1'],
      ['old.second > to', 'false'],
      ['!someMark(old, isGone)', 'false'],
    ],
    'the value is only compared with true': [['() => false', '() => undefined']],
    'a shortcut: no entry of the segment has a key of such a late second': [
      ['widthFor(sighting.second - segment.second) > segment.width', 'false'],
    ],
    'of entries with the same rank, any may be taken': [['rank < bestRank', 'rank <= bestRank']],
  },
  'packages/core/src/watch/watermark.ts': {
    'items that are all older add no id and do not raise the watermark, so the same watermark is made again': [
      ['newest.created < watermark.created', 'false'],
    ],
    'one more id that no record has': [['[]', '["Stryker was here"]']],
  },
} as const;

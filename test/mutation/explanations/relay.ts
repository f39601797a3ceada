/** Why mutants of the relay may survive. */
export const relay = {
  'packages/relay/src/admission/abuse-protection.ts': {
    'the name only has to differ from those of the other counters': [
      ["'token'", '""'],
      ["'proof'", '""'],
    ],
    'a use that is remembered for longer changes nothing: an expired token is refused before': [
      ['tokenLifetimeMs / 1000', 'tokenLifetimeMs * 1000'],
    ],
    'the purpose only has to differ from those of other keys': [
      ["'form token'", '""'],
      ["'visitor'", '""'],
    ],
    'narrows a type only: null is no allowed origin': [
      ['origin === null', 'false'],
      ['origin !== null', 'true'],
    ],
    'narrows a type only: a missing token cannot be read either': [['token === undefined', 'false']],
    'narrows a type only: a post without a proof was refused before': [["''", '"Stryker was here!"']],
    'every text but "failed" and "unknown" counts as passed': [["'passed'", '""']],
  },
  'packages/relay/src/admission/attack-detector.ts': {
    'at the end of a window its posts count in full, whether it is the current window or the one before': [
      ['passed >= lengthMs', 'passed > lengthMs'],
    ],
    'a window that has just begun does not end, so no time has passed only outside of this branch': [
      ['passed >= 0', 'passed > 0'],
    ],
    'two windows later the posts of the window before have no weight': [
      ['passed < 2 * lengthMs', 'passed <= 2 * lengthMs'],
    ],
  },
  'packages/relay/src/admission/client-address.ts': {
    'a default for a missing text, which is no IP address either way, or for groups that are not read': [
      ["''", '"Stryker was here!"'],
    ],
    'a missing prefix is 0 either way: Number("") is 0': [["'0'", '""']],
    'the first element of a match is not read, and an entry that is no IP address is ignored like no entry': [
      ['[]', '["Stryker was here"]'],
    ],
    'Node takes every address family but ipv4 as IPv6': [["'ipv6'", '""']],
  },
  'packages/relay/src/admission/consent.ts': {
    'a type guard: no referrer is no URL either': [['referrer === null', 'false']],
  },
  'packages/relay/src/admission/form-token.ts': {
    'the time or signature of a text that is no token, which is refused because it has no nonce': [
      ["''", '"Stryker was here!"'],
    ],
    'the first element, the whole match, is not read': [['[]', '["Stryker was here"]']],
    'every text but "valid" and "young" counts as unusable': [["'unusable'", '""']],
  },
  'packages/relay/src/admission/mail-domain.ts': {
    'a full cache has an oldest domain; the check is for the type': [['oldest !== undefined', 'true']],
    'tests ask no name servers on the network; the limits only matter where those do not answer': [
      ['{ timeout: 1000, tries: 2 }', '{}'],
    ],
  },
  'packages/relay/src/admission/proof-of-work.ts': {
    'the purpose only has to differ from those of other keys': [
      ["'challenge'", '""'],
      ["'challenge solution'", '""'],
    ],
    'a second check: no known solution of the right shape makes the library throw': [
      ['{ return null; // The library throws on some malformed solutions. }', '{}'],
    ],
    'a proof that cannot be decoded has no form, whether null or undefined': [['{ return null; }', '{}']],
  },
  'packages/relay/src/admission/admit.ts': {
    'another text that is no URL': [["''", '"Stryker was here!"']],
  },
  'packages/relay/src/admission/rate-limits.ts': {
    'narrows a type only: an address has a name and a domain, and the ring buffer no hole': [
      ["''", '"Stryker was here!"'],
    ],
    'the library passes the values with every statement': [['[]', '["Stryker was here"]']],
    'a shortcut: a kind without rules counts nothing': [
      ['(Object.keys(all) as LimitKind[]) .filter((kind) => all[kind].length > 0)', 'Object.keys(all) as LimitKind[]'],
      ['all[kind].length > 0', 'true'],
      ['all[kind].length > 0', 'all[kind].length >= 0'],
    ],
    'the name only has to differ from those of the other counters': [["'signup'", '""']],
    'the purpose only has to differ from those of other keys': [["'limit'", '""']],
    'narrows a type only: null is no IP address, and so has no network': [['client === null', 'false']],
    'all signups are counted under one key, whatever it is': [["'all'", '""']],
    'the text only has to differ from that of the other signups': [
      ["'review'", '""'],
      ["'mail'", '""'],
    ],
    'written only so that every case makes the same calls; nothing reads it': [['`beyond ${content}`', '``']],
    'what is awaited may be no promise': [['() => Promise.resolve()', '() => undefined']],
    'the library asks only whether it is a pool': [["'client'", '""']],
    'counts the places of the ring downwards: an index below zero is a property of the array like any other': [
      ['this.#oldest + 1', 'this.#oldest - 1'],
    ],
  },
  'packages/relay/src/admission/turnstile.ts': {
    'a type guard: the set of hostnames has texts only': [["typeof body['hostname'] === 'string'", 'true']],
    'an unknown error code counts like none': [['[]', '["Stryker was here"]']],
  },
  'packages/relay/src/delivery/bulk-confirmation.ts': {
    'no signup has this address': [['[]', '["Stryker was here"]']],
  },
  'packages/relay/src/delivery/bulk-delivery.ts': {
    'narrows a type only: a lane claims the signups of its own forms': [['form !== undefined', 'true']],
    'a shortcut: releasing no signups changes nothing': [
      ['rest.length > 0', 'true'],
      ['rest.length > 0', 'rest.length >= 0'],
    ],
    'narrows a type only: the other cases are handled before, or have no such property': [
      ["decision.kind === 'retry'", 'true'],
    ],
  },
  'packages/relay/src/delivery/dispatcher.ts': {
    'narrows a type only: a group has at least one form': [["{ publicationId: '', apiKey: '' }", '{}']],
    'narrows a type only: a group has at least one form, and a key is the key of a form': [
      ["''", '"Stryker was here!"'],
    ],
    'narrows a type only: a key is the key of a form': [['affected[0]?.name', 'affected[0].name']],
    'a shortcut: a claim of no signups, or of fewer, claims none': [
      ['free > 0', 'true'],
      ['free > 0', 'free >= 0'],
    ],
    'narrows a type only: null counts as 0, which is not far ahead': [['nextDueAt !== null', 'true']],
  },
  'packages/relay/src/delivery/loop.ts': {
    'a loop that ends waits no more, so that waking it changes nothing': [
      ['each !== member', 'true'],
      ['{ once: true }', '{}'],
      ['true', 'false'],
      ["'abort'", '""'],
    ],
  },
  'packages/relay/src/delivery/single-delivery.ts': {
    'narrows a type only: null counts as 0, which is long before the signup': [['createdAt !== null', 'true']],
    "copies a list, because the request's type can be changed; the values are the same": [
      ["typeof value === 'object'", 'false'],
      ["'object'", '""'],
    ],
  },
  'packages/relay/src/webhooks/post.ts': {
    'a host name of a URL has brackets at both ends or none': [
      ['/^\\[|\\]$/g', '/\\[|\\]$/g'],
      ['/^\\[|\\]$/g', '/^\\[|\\]/g'],
    ],
    'the name of the class, for people who read a stack': [["'PrivateAddressError'", '""']],
    'narrows a type only: Node lists no header without a value': [['value?.toString', 'value.toString']],
    'a safeguard: Node reports no error of an answer that is destroyed without one': [["'error'", '""']],
    'a safeguard: Node closes no request without an answer or an error': [
      ["'close'", '""'],
      ["() => reject(new Error('The connection was closed without an answer.'))", '() => undefined'],
      ["'The connection was closed without an answer.'", '""'],
    ],
    'memory only: a listener that is left changes nothing, because the promise is settled': [
      ['{ once: true }', '{}'],
      ['true', 'false'],
      ["() => signal.removeEventListener('abort', abort)", '() => undefined'],
      ["'abort'", '""'],
    ],
  },
  'packages/relay/src/webhooks/sender.ts': {
    'a shortcut: without a pause there is none to end': [['this.#circuit.openForMs === 0', 'false']],
    'a shortcut: a claim of no messages claims none': [['free <= 0', 'free < 0']],
    'a shortcut: the store is asked when the next message is due, which wakes no loop earlier': [
      ['due.length === free', 'false'],
    ],
    'narrows a type only: null counts as 0, which is not far ahead': [['next !== null', 'true']],
    'a wait of exactly the longest time is as right as one that is longer': [
      ['next - now() > longestWaitMs', 'next - now() >= longestWaitMs'],
    ],
    'the stores tell apart only the other states': [["'dead'", '""']],
    'the text only has to differ from those of other causes': [
      ["'private network'", '""'],
      ["'timeout'", '""'],
    ],
    'narrows a type only: a header without a value is read like a missing one': [
      ['value === undefined', 'false'],
      ['[]', '["Stryker was here"]'],
    ],
    'a default that is no name of an error and no code': [["''", '"Stryker was here!"']],
    'narrows a type only: what is no error has no code either': [["error instanceof Error && 'code' in error", 'true']],
  },
} as const;

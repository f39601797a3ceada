/**
 * The table of no silent loss: what becomes of a signup where something is missing, forbidden, late or broken. Tests
 * walk the rows; the documentation shows them (`website/browsers`).
 */

/**
 * `posted`: the endpoint has the signup, and the visitor reads the thanks. `posted natively`: the browser has posted
 * the form. `message`: a message stays beside what was typed, and a second Enter tries again.
 */
export type Outcome = 'posted' | 'posted natively' | 'message';

/** A step of the visitor or the network. `message` waits for a message, `request` for a request of the endpoint. */
export type Step = 'focus' | 'type' | 'submit' | 'offline' | 'online' | 'message' | 'request' | 'release' | 'script';

/** A page and its surroundings. */
export interface World {
  /** Code of the page, run before its scripts. */
  readonly before?: string;
  /**
   * How the page loads the script: by a tag, `held` back until the page has loaded, `late` by a step, `joined` with
   * another script in a file elsewhere, or `inline`, without an address; `complete` is the file with all parts,
   * `inline`. Default: a tag with `async`.
   */
  readonly script?: 'defer' | 'held' | 'module' | 'end' | 'twice' | 'late' | 'joined' | 'inline' | 'complete';
  /** Files of the script that are not found, or never answered. */
  readonly files?: Readonly<Record<string, 'missing' | 'silent'>>;
  /** The page's Content Security Policy. `SITE` and `ENDPOINT` are replaced by their origins. */
  readonly policy?: string;
  readonly attributes?: string;
  /** The endpoint's answers, by their names in `widget/test/endpoint.ts`. */
  readonly plan?: string;
  /** The page is in a frame with this `sandbox`. */
  readonly sandbox?: string;
  readonly steps?: readonly Step[];
}

export interface Row {
  readonly title: string;
  /** The same with the page's form inside the tag and with the form that the element draws. */
  readonly outcome: Outcome;
  readonly world: World;
}

interface Group {
  /** Begins the sentence that a row ends, in the documentation. */
  readonly title: string;
  readonly rows: readonly Row[];
}

/** The visitor types an address and presses the button. */
export const usualSteps: readonly Step[] = ['focus', 'type', 'submit'];

const posted = (title: string, world: World): Row => ({ title, outcome: 'posted', world });
const natively = (title: string, world: World): Row => ({ title, outcome: 'posted natively', world });
const message = (title: string, world: World): Row => ({ title, outcome: 'message', world });

/** An API, and code that takes it away. */
const lacking = (title: string, before: string): Row => posted(title, { before });
const without = (owner: string, member: string): string => `delete ${owner}.${member};`;

/** Makes selectors with `:has()` invalid, as they are in browsers that lack it. */
const noHas = `for (const owner of [Document, Element, DocumentFragment])
  for (const name of ['querySelector', 'querySelectorAll', 'matches', 'closest']) {
    const own = owner.prototype[name];
    if (own) owner.prototype[name] = function (selector) {
      if (selector.includes(':has(')) throw new DOMException('no :has()', 'SyntaxError');
      return own.call(this, selector);
    };
  }`;

const granted = `globalThis.newsletterConsent = ['granted'];`;
const noKeepalive = `{ const { fetch } = globalThis; globalThis.fetch = (url, { keepalive, ...init } = {}) => fetch(url, init) }`;

const afterUpgrade = (code: string): string =>
  `customElements.whenDefined('newsletter-signup').then(() => { const form = document.querySelector('newsletter-signup'); ${code} });`;

const oddMessages = [
  'null',
  '5',
  '[1, 2]',
  '() => 1',
  '"text"',
  '{ busy: undefined, thanks: null, success: 7 }',
  '{ get busy() { throw 1 } }',
];

export const groups: readonly Group[] = [
  { title: 'Nothing', rows: [posted('is missing', {})] },
  {
    title: 'The browser lacks',
    rows: [
      lacking('`attachInternals`', without('HTMLElement.prototype', 'attachInternals')),
      lacking('`ElementInternals.states`', without('ElementInternals.prototype', 'states')),
      lacking(
        'states without `--`',
        `CustomStateSet.prototype.add = () => { throw new DOMException("must start with '--'", 'SyntaxError'); };`,
      ),
      lacking('`URL.canParse`', without('URL', 'canParse')),
      lacking('`crypto.randomUUID`', without('Crypto.prototype', 'randomUUID')),
      lacking('`URL.createObjectURL`', without('URL', 'createObjectURL')),
      lacking('`AbortSignal.timeout`', without('AbortSignal', 'timeout')),
      lacking('`:has()`', noHas),
      lacking('`Object.hasOwn`', without('Object', 'hasOwn')),
      lacking('`adoptedStyleSheets`', without('Document.prototype', 'adoptedStyleSheets')),
      lacking('`Intl.RelativeTimeFormat`', without('Intl', 'RelativeTimeFormat')),
      lacking('`inert`', without('HTMLElement.prototype', 'inert')),
      lacking('`keepalive`', noKeepalive),
      lacking('the Navigation API', without('globalThis', 'navigation')),
      lacking('`Array.prototype.at` and `findLast`', `delete Array.prototype.at; delete Array.prototype.findLast;`),
      lacking('`String.prototype.at`', without('String.prototype', 'at')),
      natively('`fetch`', { before: without('globalThis', 'fetch') }),
      natively('`crypto`', { before: `Object.defineProperty(globalThis, 'crypto', { value: undefined });` }),
      natively('`TextEncoder`', { before: without('globalThis', 'TextEncoder') }),
    ],
  },
  {
    title: 'A file is not found:',
    rows: [
      natively('`signup-form.js`, the script, or a block list forbids it', { files: { 'signup-form': 'missing' } }),
      natively('`signup.js`', { files: { signup: 'missing' } }),
      natively('`signup.js`, which is never answered', { files: { signup: 'silent' } }),
      message('`protection.js`, of an endpoint that asks for a token', {
        files: { protection: 'missing' },
        plan: 'asksToken',
      }),
      message('`protection.js`, which is never answered', {
        files: { protection: 'silent' },
        plan: 'asksToken',
      }),
      message('`proof.js`, of an endpoint that asks for a proof of work', {
        files: { proof: 'missing' },
        plan: 'asksProof',
      }),
      message('`answer.js`, of an endpoint that refuses', { files: { answer: 'missing' }, plan: 'refused' }),
      posted('`dialog.js`, of a form with `layout="dialog"`', {
        files: { dialog: 'missing' },
        attributes: 'layout="dialog"',
      }),
      posted('`remember.js`, after consent', { files: { remember: 'missing' }, before: granted }),
      posted('`remember.js`, after consent, which is never answered', {
        files: { remember: 'silent' },
        // Once the page is loaded: in WebKit it is not, before all scripts have arrived that it asked for until then.
        before: `addEventListener('focusin', () => globalThis.newsletterConsent.push('granted'));`,
      }),
      posted('`rules.js`, with `click-ids`', { files: { rules: 'missing' }, attributes: 'click-ids' }),
      posted('`rules.js`, which is never answered', { files: { rules: 'silent' }, attributes: 'click-ids' }),
      posted('`doctor.js`, with `debug`', { files: { doctor: 'missing' }, attributes: 'debug' }),
      message('`doctor.js`, with `debug`, where the endpoint refuses', {
        files: { doctor: 'missing' },
        attributes: 'debug',
        plan: 'refused',
      }),
    ],
  },
  {
    title: 'A policy',
    rows: [
      message('without the endpoint in `connect-src`', { policy: "connect-src 'self'" }),
      posted('without the endpoint in `form-action`', { policy: "form-action 'none'" }),
      message('without the endpoint in either', { policy: "connect-src 'self'; form-action 'none'" }),
      message('without the endpoint in `form-action`, and `signup.js` is not found', {
        policy: "form-action 'none'",
        files: { signup: 'missing' },
      }),
      posted('of a frame with `sandbox="allow-scripts allow-same-origin"`, without `allow-forms`', {
        sandbox: 'allow-scripts allow-same-origin',
      }),
      posted('of a frame with `sandbox="allow-scripts"`', { sandbox: 'allow-scripts' }),
      message('of a frame with `sandbox="allow-scripts"`, and `signup.js` is not found', {
        sandbox: 'allow-scripts',
        files: { signup: 'missing' },
      }),
    ],
  },
  {
    title: 'The device is offline',
    rows: [
      message('from before the focus on', { steps: ['offline', 'focus', 'type', 'submit'] }),
      message('from after the focus on', { steps: ['focus', 'type', 'offline', 'submit'] }),
      posted('by the word of the browser alone', {
        before: `Object.defineProperty(navigator, 'onLine', { value: false });`,
      }),
      posted('from before the focus until after Enter', {
        steps: ['offline', 'focus', 'type', 'submit', 'message', 'online'],
      }),
      posted('from after the focus until after Enter', {
        steps: ['focus', 'type', 'offline', 'submit', 'message', 'online'],
      }),
      posted('from after Enter on, and back before the answer arrives', {
        plan: 'heldDrop,drop,accepted',
        steps: ['focus', 'type', 'submit', 'request', 'offline', 'release', 'message', 'online'],
      }),
      posted('and back before the endpoint is: no answer, a page of the network, a redirect to it', {
        plan: 'drop,page,redirect,drop,accepted',
        steps: ['focus', 'type', 'offline', 'submit', 'message', 'online'],
      }),
    ],
  },
  {
    title: 'The script',
    rows: [
      posted('is loaded with `defer`', { script: 'defer' }),
      posted('is held back until the page has loaded, by a copy of its tag, as Cloudflare’s Rocket Loader does', {
        script: 'held',
      }),
      posted('is loaded as a module', { script: 'module' }),
      posted('is at the end of the page', { script: 'end' }),
      posted('is loaded twice', { script: 'twice' }),
      posted('is delayed until the visitor has typed', {
        script: 'late',
        steps: ['focus', 'type', 'script', 'submit'],
      }),
      natively('is delayed until after Enter', {
        script: 'late',
        steps: ['focus', 'type', 'submit'],
      }),
      natively('is joined with others in a file elsewhere', { script: 'joined' }),
      natively('is written into the page', { script: 'inline' }),
      posted('is `signup-form-complete.js`, written into the page', { script: 'complete' }),
    ],
  },
  {
    title: 'The endpoint answers with',
    rows: [
      posted('204 and nothing', { plan: 'empty' }),
      message('an HTML page and 200', { plan: 'page' }),
      message('a long text and 200', { plan: 'plain' }),
      message('a redirect', { plan: 'redirect' }),
      message('JSON that says no, and 200', { plan: 'says 200 {"success":false,"message":"We are full."}' }),
      message('nothing: the connection breaks', { plan: 'drop' }),
      message('nothing in time', { plan: 'silence', attributes: 'timeout="5"' }),
    ],
  },
  {
    title: 'The page',
    rows: [
      posted('has `toJSON` on arrays, texts and numbers, as Prototype.js has', {
        before: `for (const owner of [Array, String, Number])
          Object.defineProperty(owner.prototype, 'toJSON', { value() { return JSON.stringify(String(this)); }, configurable: true });`,
      }),
      posted('has an `Array.from` without a second parameter, as Prototype.js has', {
        before: `Array.from = (list) => list ? Array.prototype.slice.call(list) : [];`,
      }),
      natively('has a `fetch` that throws', { before: `globalThis.fetch = () => { throw new Error('no'); };` }),
      posted('has a listener of `newsletter-submit` that throws', {
        before: `addEventListener('newsletter-submit', () => { throw new Error('a listener of the page'); });`,
      }),
      posted('removes the tag while it sends', {
        before: `addEventListener('newsletter-submit', ({ target }) => setTimeout(() => target.remove()));`,
      }),
      ...oddMessages.map((value) =>
        posted(`sets \`messages\` to \`${value}\``, { before: afterUpgrade(`form.messages = ${value};`) }),
      ),
    ],
  },
];

/** The browsers in which the rows are walked, beside those on the machine: real old ones from npm. */
export const oldBrowsers: readonly { readonly title: string; readonly version: string }[] = [
  { title: 'Chromium 119 (November 2023)', version: '119.0.2' },
  { title: 'Chromium 123 (March 2024)', version: '123.0.1' },
];

import { expect } from '@open-wc/testing';
import fc from 'fast-check';
import { english } from '../src/index.ts';
import { Mailbox, mount, mountAround, mountAt, type Form } from './harness.ts';

declare global {
  /** Set by markup that was run. */
  var isPwned: true | undefined;
}

const nasty = [
  '<img src=x onerror="isPwned=true">',
  '"><script>isPwned=true</script>',
  "'><svg onload=isPwned=true>",
  '</style></title></textarea><iframe srcdoc="<script>parent.isPwned=true</script>"></iframe>',
  '<a href="javascript:isPwned=true">x</a>',
  'javascript:isPwned=true',
  'data:text/html,<script>isPwned=true</script>',
  '{{constructor.constructor("isPwned=true")()}} ${isPwned=true}',
  '<!-- --> \uE000 <?php ?> ]]>',
  '&lt;b&gt; &#60;img&#62;',
  "$& $1 $` $' {label} {wait}",
  '__proto__',
  'constructor',
  'toString',
  '[0]][]',
  '" autofocus onfocus="isPwned=true',
  'ظ‏‮evil‬',
] as const;

const kebab = (key: string): string => key.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`);
const texts = Object.keys(english)
  .filter((key) => key !== 'language')
  .map((key) => `text-${kebab(key)}`);
const attributes = [
  'endpoint',
  'redirect',
  'redirect-origins',
  'timeout',
  'attribution',
  'storage',
  'referral-param',
  'layout',
  'utm-source',
  'utm-campaign',
  'referring-site',
  'referral-code',
  'ref-is',
  'same-site',
  'turnstile-script',
  ...texts,
];
const fieldAttributes = [
  'name',
  'kind',
  'label',
  'options',
  'placeholder',
  'value',
  'autocomplete',
  'href',
  'required',
];

const ownersForm = '<form method="post"><label>Email <input name="email"></label><button>Go</button></form>';
const allowed = new Set([
  'svg',
  'path',
  'STRONG',
  'FORM',
  'DIV',
  'LABEL',
  'SMALL',
  'SPAN',
  'INPUT',
  'BUTTON',
  'P',
  'SLOT',
  'FIELDSET',
  'LEGEND',
  'A',
  'NEWSLETTER-FIELD',
  'STYLE',
  'DIALOG',
]);

/** Signs that untrusted text became HTML or code. */
function harm({ element }: Form): string[] {
  const elements = [element.shadowRoot, element].flatMap((root) => Array.from(root?.querySelectorAll('*') ?? []));
  const strange = elements.filter(({ nodeName }) => !allowed.has(nodeName)).map(({ outerHTML }) => outerHTML);
  const armed = elements.filter(
    (element) =>
      element.getAttributeNames().some((name) => name.startsWith('on')) ||
      (element instanceof HTMLAnchorElement && !element.protocol.startsWith('http')),
  );
  return [...strange, ...armed.map(({ outerHTML }) => outerHTML), ...(globalThis.isPwned ? ['a script ran'] : [])];
}

/** The final state of a form that was sent. */
async function send(form: Form): Promise<void> {
  const ended = Promise.race([form.nextEvent('newsletter-error'), form.nextEvent('newsletter-success')]);
  form.element.submit();
  await ended;
  await form.settled();
}

describe('untrusted text', () => {
  const word = fc.constantFrom(...nasty);
  const some = (names: readonly string[]) => fc.dictionary(fc.constantFrom(...names), word, { maxKeys: 6 });
  const runs = { numRuns: Number(new URLSearchParams(location.search).get('runs') ?? 40) };
  const { warn, error } = console;

  beforeEach(() => {
    [console.warn, console.error] = [() => {}, () => {}];
  });
  afterEach(() => {
    [console.warn, console.error] = [warn, error];
    globalThis.isPwned = undefined;
  });

  for (const [mode, content] of [
    ['our own form', ''],
    ['the form of the page', ownersForm],
  ] as const) {
    it(`never becomes HTML or code in ${mode}, from any attribute`, async function () {
      await fc.assert(
        fc.asyncProperty(some(attributes), fc.array(some(fieldAttributes), { maxLength: 3 }), async (given, fields) => {
          const form = await mount(`<newsletter-signup>${content}</newsletter-signup>`);
          for (const attributes of fields) {
            const field = document.createElement('newsletter-field');
            for (const [name, value] of Object.entries(attributes)) field.setAttribute(name, value);
            form.element.append(field);
          }
          for (const [name, value] of Object.entries(given)) form.element.setAttribute(name, value);
          await form.settled();
          await send(form);
          const harmed = harm(form);
          form.element.remove();
          expect(harmed).to.deep.equal([]);
        }),
        runs,
      );
    });

    it(`from an endpoint is shown as text in ${mode}`, async function () {
      for (const said of nasty) {
        const answer = { status: 400, statusText: 'Refused', errors: [{ message: said, code: 'SAID' }] };
        const form = await mount(`<newsletter-signup>${content}</newsletter-signup>`);
        form.element.endpoint = new Mailbox(`says 400 ${JSON.stringify(answer)}`).endpoint;
        form.email.value = 'ada@example.com';
        await send(form);
        expect(harm(form), said).to.deep.equal([]);
        expect(form.notice.childElementCount).to.equal(0);
        expect(form.notice.textContent.trim()).to.not.equal('');
        if (!/[^ -~]/.test(said)) expect(form.notice.textContent).to.equal(said);
        form.element.remove();
      }
    });
  }
});

describe('a form whose controls have the names of members of a form', () => {
  const names = [
    'submit',
    'action',
    'elements',
    'method',
    'reset',
    'requestSubmit',
    'noValidate',
    'name',
    'id',
    'length',
    'target',
    'children',
    'parentNode',
  ];

  it('is read, marked, sent once and reset', async () => {
    const others = names.map((name) => `<label>${name} <input name="${name}" value="x"></label>`).join('');
    const form = await mountAround(
      new Mailbox('slow'),
      `<label>Email <input name="email" required></label>${others}<button name="submit">Go</button>`,
    );
    await form.submit('error');
    expect(form.description(form.email)).to.contain('Enter an email address');
    form.email.value = 'ada@example.com';
    for (let press = 0; press < 10; press += 1) form.element.submit();
    await form.reaches('success');
    expect((await form.mailbox.body())['email']).to.equal('ada@example.com');
    form.element.reset();
    await form.reaches('idle');
    expect(form.email.value).to.equal('');
  });

  it('keeps its own field with the name of the honeypot field', async () => {
    const form = await mountAround(
      new Mailbox(),
      '<label>Email <input name="email"></label><input type="hidden" name="hp_field" value=""><button>Go</button>',
    );
    await form.signUp();
    expect(await form.mailbox.body()).to.deep.equal({ email: 'ada@example.com' });
    expect(form.element.querySelectorAll('[name=hp_field]')).to.have.lengthOf(1);
  });
});

describe('a form with two address fields', () => {
  const twice = (first: string, second: string): string =>
    `<label>Email <input name="email" value="${first}"></label><label>Again <input name="email" value="${second}"></label>`;

  for (const [typed, fields, sent] of [
    ['the first', twice('ada@example.com', ''), { email: 'ada@example.com' }],
    ['the second, such as the one shown on a phone', twice('', 'ada@example.com'), { email: 'ada@example.com' }],
    ['both', twice('ada@example.com', 'bob@example.com'), { email: 'ada@example.com' }],
    [
      'a second name',
      `${twice('ada@example.com', '')}<input name="email2" value="ada@example.com">`,
      { email: 'ada@example.com', email2: 'ada@example.com' },
    ],
  ] as const) {
    it(`sends the first address that is filled in: ${typed}`, async () => {
      const form = await mountAround(new Mailbox(), `${fields}<button>Go</button>`);
      await form.pressButton('success');
      expect(await form.mailbox.body()).to.deep.equal(sent);
    });
  }

  it('is not sent while the page says that they differ', async () => {
    const form = await mountAround(
      new Mailbox(),
      '<input name="email" value="ada@example.com"><input name="email2" value="bob@example.com"><button>Go</button>',
    );
    const again = form.find<HTMLInputElement>('[name=email2]');
    again.setCustomValidity('The two addresses differ.');
    await form.pressButton('error');
    expect(form.description(again)).to.equal('The two addresses differ.');
    again.setCustomValidity('');
    await form.pressButton('success');
  });
});

describe('a page that changes built-in objects', () => {
  it('does not break a signup: extra members of arrays and objects, a replaced fetch', async () => {
    const mailbox = new Mailbox();
    const { fetch } = globalThis;
    const seen: string[] = [];
    Reflect.set(Array.prototype, 'everyone', () => {});
    Reflect.set(Object.prototype, 'inherited', 'by all');
    globalThis.fetch = (input, init) => {
      seen.push(String(input));
      return fetch(input, init);
    };
    try {
      const form = await mountAt(
        mailbox,
        '<newsletter-field name="Topics" kind="list" options="AI, Design"></newsletter-field>',
      );
      form.email.value = 'ada@example.com';
      form.labelled('AI').click();
      await form.submit('success');
    } finally {
      Reflect.deleteProperty(Array.prototype, 'everyone');
      Reflect.deleteProperty(Object.prototype, 'inherited');
      globalThis.fetch = fetch;
    }
    expect(seen).to.deep.equal([mailbox.endpoint]);
    expect(await mailbox.body()).to.deep.equal({
      email: 'ada@example.com',
      custom_fields: [{ name: 'Topics', value: ['AI'] }],
    });
  });
});

import { expect } from '@open-wc/testing';
import { Mailbox, mount, type Form, laterPost } from './harness.ts';
import { openPage } from './page.ts';
import { waitUntil } from '../../test/support/waits.ts';

/** The warnings of a form from now on. */
function warningsOf({ element }: Form): readonly string[] {
  const heard: string[] = [];
  element.addEventListener('newsletter-warning', ({ message }) => heard.push(message));
  return heard;
}

/** Signs up with `debug`, and waits for this explanation; none contains what the visitor typed. */
async function expectAdvice(endpoint: string, advice: string, attributes = ''): Promise<void> {
  const form = await mount(`<newsletter-signup debug endpoint="${endpoint}" ${attributes}></newsletter-signup>`);
  const heard = warningsOf(form);
  await form.signUp('error');
  await waitUntil('the failure is explained', () => expect(heard.join()).to.contain(advice));
  expect(heard.join()).not.to.contain('ada@');
  expect(form.notice.textContent).to.match(
    /^(This does not work|We could not be|Not accepted|We know no|You are offline|Too many|We are full)/,
  );
}

describe('debug', () => {
  const at = (answer: string): string => new Mailbox(answer).endpoint;
  const n8n = (path: string, answer: string): string =>
    at(answer).replace('/signup/', '/webhook/').replace(/$/, `/${path}`);

  for (const [symptom, endpoint, advice] of [
    ['no endpoint', '', 'The endpoint is not a valid address.'],
    ['an invalid address', 'http://[', 'The endpoint is not a valid address.'],
    [
      'an address with another scheme',
      'mailto:ada@example.org',
      'begins with "mailto:". Set an address that begins with https://',
    ],
    ['this page', location.href, 'The endpoint is this page itself.'],
    ['an example', 'https://relay.example.com/signup', 'nobody takes signups at relay.example.com'],
    ['a closed port', 'http://127.0.0.1:9/signup', 'Nothing answers at http://127.0.0.1:9.'],
    [
      'no CORS headers',
      at('unreadable'),
      `does not let pages of ${location.origin} read its answers (CORS). Allow exactly this origin`,
    ],
    ['a refused preflight', at('noPreflight'), 'refuses the preflight (OPTIONS) that browsers send before a POST'],
    ['a wrong path', at('notFound'), 'Nothing is there (404).'],
    [
      'an n8n workflow that is not active',
      n8n('signup', 'notFound'),
      'n8n answers like this while the workflow is not active',
    ],
    [
      'an n8n test URL',
      at('notFound').replace('/signup/', '/webhook-test/'),
      'This is a test URL of n8n (/webhook-test/)',
    ],
    ['a wrong method', at('wrongMethod'), 'The endpoint does not accept POST (405).'],
    ['an HTML page', at('page'), 'The endpoint answered with a page, a long text or broken JSON'],
    [
      'JSON that says no',
      at('says 200 {"success":false,"message":"We are full."}'),
      'The endpoint answered 200, but its JSON says no (“We are full.”). Answer 202 if the signup is stored',
    ],
    ['broken JSON', at('says 200 {"status":'), 'The endpoint answered with a page, a long text or broken JSON'],
    ['a redirect', at('redirect'), 'The endpoint redirects.'],
    ['a server error', at('broken'), 'The endpoint failed (500).'],
    ['a refusal', at('refused'), 'The endpoint refused the signup (400) and says: We know no field "Shoe size".'],
    [
      'a refusal of the origin',
      at('forbidden'),
      'The endpoint refused the signup (403) and says: Origin https://x.example is not allowed.',
    ],
    ['a refusal without an error body', at('garbage'), 'The endpoint refused the signup (400) without an error body'],
    ['a limit', at('limited'), 'The endpoint refused the signup (429) and says: Slow down.'],
    ['an unsupported check', at('asksTooMuch'), 'The endpoint asked for a token or a proof'],
  ] as const) {
    it(`explains ${symptom}`, () => expectAdvice(endpoint, advice));
  }

  it('explains a server that does not answer', () =>
    expectAdvice(at('silence'), 'The endpoint did not answer in time.', 'timeout="0.2"'));

  it('explains a Content Security Policy, in the built script', async () => {
    const { form } = await openPage('/widget/test/pages/guarded.html');
    const said = form.nextEvent('newsletter-warning');
    await form.signUp('error');
    const { origin } = new URL(form.element.endpoint);
    expect((await said).message).to.equal(
      `The Content Security Policy of this page forbids the endpoint. Add ${origin} to its connect-src.`,
    );
  });

  it('explains an offline device', async () => {
    Object.defineProperty(navigator, 'onLine', { configurable: true, value: false });
    try {
      await expectAdvice(at('drop'), 'the browser says that this device is offline');
    } finally {
      Reflect.deleteProperty(navigator, 'onLine');
    }
  });

  it('sends test requests without the visitor’s data, and no signup', async () => {
    const mailbox = new Mailbox('broken');
    await expectAdvice(mailbox.endpoint, 'The endpoint failed');
    expect(await mailbox.received()).to.have.lengthOf(1);
    const silent = new Mailbox('noPreflight');
    await expectAdvice(silent.endpoint, 'refuses the preflight');
    expect(await silent.received()).to.deep.equal([]);
  });

  for (const [what, answer, warnings] of [
    ['200 without JSON', 'blob', ['The endpoint answered 200 without JSON']],
    ['200 with JSON', 'says 200 {}', []],
    ['an empty 204', 'empty', []],
    ['202 with JSON', 'accepted', []],
  ] as const) {
    it(`${warnings[0] ? 'doubts' : 'believes'} ${what}`, async () => {
      const form = await mount(`<newsletter-signup debug endpoint="${at(answer)}"></newsletter-signup>`);
      const heard = warningsOf(form);
      await form.signUp();
      if (warnings[0]) await waitUntil('a warning has come', () => heard.length > 0);
      else await laterPost();
      expect(heard.map((message) => message.slice(0, 38))).to.deep.equal(warnings);
    });
  }

  for (const [what, attribute, answer] of [
    ['that the visitor can correct', 'debug', 'badEmail'],
    ['without the attribute', '', 'broken'],
  ] as const)
    it(`explains nothing ${what}`, async () => {
      const form = await mount(`<newsletter-signup ${attribute} endpoint="${at(answer)}"></newsletter-signup>`);
      const heard = warningsOf(form);
      await form.signUp('error');
      await laterPost();
      expect(heard.filter((message) => message.startsWith('The endpoint'))).to.deep.equal([]);
    });
});

describe('setup errors', () => {
  for (const endpoint of ['', 'javascript:1', 'http://[', 'https://relay.example/', 'https://signup.example.com/']) {
    it(`are reported before a signup: endpoint="${endpoint}"`, async () => {
      const heard = new Promise<string>((resolve) => {
        document.addEventListener('newsletter-warning', ({ message }) => resolve(message), { once: true });
      });
      const form = await mount(`<newsletter-signup endpoint="${endpoint}"></newsletter-signup>`);
      expect(await heard).to.contain(`has no endpoint but "${endpoint}"`);
      expect(form.shadow.textContent).not.to.contain('has no endpoint');
    });
  }

  it('are shown on the page with debug: fields without a name, a redirecting endpoint', async () => {
    const { endpoint } = new Mailbox('redirect');
    const form = await mount(
      `<newsletter-signup debug endpoint="${endpoint}"><newsletter-field label="City"></newsletter-field></newsletter-signup>`,
    );
    const shown = (): string => debugText(form);
    await waitUntil('the redirect is explained', () => expect(shown()).to.contain('The endpoint redirects.'));
    expect(shown()).to.contain('has a field without a name');
  });
});

/** The explanations on the page. */
const debugText = (form: Form): string => form.shadow.querySelector('[part=debug]')?.textContent ?? '';

describe('the test of an endpoint', () => {
  for (const [answer, said] of [
    ['badEmail', 'refuses an invalid address (400), as it should: “Not an address, says the server.”'],
    ['says 422 {"message":"The email is invalid."}', 'refuses an invalid address (422), as it should'],
    ['says 200 {"success":false}', 'refuses an invalid address (200), as it should.'],
    ['accepted', 'accepted “test-without-an-address” (202): it cannot refuse'],
    ['says 200 OK', 'accepted “test-without-an-address” (200): it cannot refuse'],
    ['notFound', 'Nothing is there (404).'],
    ['page', 'The endpoint answered with a page'],
  ] as const) {
    it(`posts one invalid address at the owner’s press alone: ${answer}`, async () => {
      const mailbox = new Mailbox(answer);
      const form = await mount(`<newsletter-signup debug endpoint="${mailbox.endpoint}"></newsletter-signup>`);
      const heard: string[] = [];
      for (const type of ['submit', 'success', 'error'])
        form.element.addEventListener(`newsletter-${type}`, () => heard.push(type));
      const test = await waitUntil('the button is there', () =>
        form.shadow.querySelector<HTMLButtonElement>('[part=debug-test]'),
      );
      await laterPost();
      expect(await mailbox.received()).to.deep.equal([]);
      for (let press = 0; press < 3; press += 1) test.click();
      await waitUntil('the answer is explained', () => expect(debugText(form)).to.contain(said));
      expect(await mailbox.bodies()).to.deep.equal([{ email: 'test-without-an-address' }]);
      expect([form.element.state, ...heard]).to.deep.equal(['idle']);
    });
  }
});

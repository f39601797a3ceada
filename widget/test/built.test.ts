import { expect } from '@open-wc/testing';
import { readSubmission } from '@newsletter-kit/core/endpoint';
import { formToObject } from '@newsletter-kit/core/signup';
import { Form, Mailbox, laterPost, nextTask } from './harness.ts';
import { openFrame, openPage } from './page.ts';
import { waitFor, waitUntil } from '../../test/support/waits.ts';

const text = (path: string): Promise<string> => fetch(path).then((response) => response.text());

describe('the built files', () => {
  for (const [way, path] of [
    ['as one classic script', '/widget/test/pages/landing.html'],
    ['as script, as module and from npm on one page', '/widget/test/pages/modules.html'],
  ] as const) {
    it(`sign up: ${way}`, async () => {
      const page = await openPage(path);
      page.form.labelled('First name').value = 'Ada';
      await page.form.signUp('success', 'ada+news@example.com');
      expect(await page.form.mailbox.body()).to.deep.equal({
        email: 'ada+news@example.com',
        custom_fields: [{ name: 'First name', value: 'Ada' }],
      });
    });
  }

  it('send one signup for ten clicks, Enter, another page, and Back', async () => {
    const { window, form } = await openPage('/widget/test/pages/landing.html', new Mailbox('slow'));
    const frame = window.frameElement;
    if (!frame) throw new Error('The page is not in a frame.');
    const arrives = (): Promise<unknown> =>
      new Promise((resolve) => frame.addEventListener('load', resolve, { once: true }));
    await form.type(form.email, 'ada@example.com');
    for (let click = 0; click < 10; click += 1) form.button.click();
    await form.press('Enter');
    const away = arrives();
    window.location.href = '/widget/test/pages/modules.html';
    await away;
    const back = arrives();
    window.history.back();
    await back;
    expect(window.location.pathname).to.equal('/widget/test/pages/landing.html');
    await waitUntil('the endpoint has the signup', async () => (await form.mailbox.bodies()).length > 0);
    await laterPost();
    expect(await form.mailbox.bodies()).to.deep.equal([{ email: 'ada@example.com' }]);
  });

  it('open the page of `redirect` after a signup', async () => {
    const { window, form } = await openPage('/widget/test/pages/landing.html');
    form.element.setAttribute('redirect', 'modules.html?thanks');
    const arrived = new Promise((resolve) => window.frameElement?.addEventListener('load', resolve, { once: true }));
    form.email.value = 'ada@example.com';
    form.element.submit();
    await arrived;
    expect(window.location.pathname + window.location.search).to.equal('/widget/test/pages/modules.html?thanks');
  });

  for (const redirect of [
    'https://stranger.example/',
    '//stranger.example/',
    'javascript:document.title=1',
    'data:text/html,x',
    'http://[',
  ]) {
    it(`ignore redirect="${redirect}"`, async () => {
      const page = await openPage('/widget/test/pages/landing.html');
      const said: unknown[] = [];
      Reflect.set(Reflect.get(page.window, 'console'), 'warn', (...words: unknown[]) => said.push(...words));
      page.form.element.setAttribute('redirect', redirect);
      await page.form.signUp();
      await waitUntil('the form has warned', () => said.length > 0);
      expect(page.window.location.pathname).to.equal('/widget/test/pages/landing.html');
      expect(page.window.document.title).to.equal('Landing page');
      expect(page.form.notice.textContent).to.contain('Thank you');
      expect(said).to.deep.equal(['<newsletter-signup> leads to none of redirect-origins.']);
    });
  }

  for (const page of ['half.html', 'alone.html']) {
    it(`let the browser post the form if signup.js cannot be loaded: ${page}`, async () => {
      const { window, form } = await openPage(`/widget/test/pages/${page}`);
      const away = new Promise((resolve) => window.frameElement?.addEventListener('load', resolve, { once: true }));
      await form.settled();
      form.email.value = 'ada@example.com';
      form.labelled('First name').value = 'Ada';
      form.element.submit();
      await away;
      const [request, ...others] = await form.mailbox.received();
      expect(others).to.deep.equal([]);
      expect(request?.headers['content-type']).to.equal('application/x-www-form-urlencoded');
      const read = readSubmission(formToObject(new URLSearchParams(request?.body)));
      expect(read).to.deep.equal({
        ok: true,
        suspected: false,
        submission: { email: 'ada@example.com', custom_fields: [{ name: 'First name', value: 'Ada' }] },
      });
    });
  }

  it('do without any other file where the script has all parts', async () => {
    const { window, form } = await openPage('/widget/test/pages/complete.html', new Mailbox('forbidden', 'asksProof'));
    await form.element.open();
    expect(form.shadow.querySelector('dialog')?.open).to.equal(true);
    const explained = form.nextEvent('newsletter-warning');
    await form.signUp('error');
    expect((await explained).reason).to.equal('endpoint');
    await form.signUp();
    expect(Object.keys((await form.mailbox.bodies()).at(-1) ?? {})).to.deep.equal(['email', 'proof']);
    const files = window.performance.getEntriesByType('resource').map(({ name }) => new URL(name).pathname);
    expect(files.filter((path) => path.startsWith('/widget/'))).to.deep.equal(['/widget/dist/signup-form-complete.js']);
  });

  it('render the form in the page if the file of the dialog cannot be loaded', async () => {
    const { form } = await openPage('/widget/test/pages/alone.html');
    form.element.layout = 'dialog';
    await waitUntil('the form is shown', () => form.shadow.querySelector('form')?.checkVisibility() === true);
    expect(form.shadow.querySelector('dialog')).to.equal(null);
  });

  it('do not replace a version that the page has registered before', async () => {
    const { contentWindow, contentDocument } = await openFrame('/widget/test/pages/older.html');
    expect(contentDocument?.querySelector('newsletter-signup')?.textContent).to.equal('The version before.');
    expect(Reflect.get(contentWindow ?? {}, 'complaints')).to.deep.equal([]);
  });

  for (const [listed, arrives] of [
    ['', false],
    [location.origin.replace('localhost', '127.0.0.1'), true],
  ] as const) {
    it(`${arrives ? 'redirect to a listed origin' : 'do not redirect to an origin that is not listed'}`, async () => {
      const { window, form } = await openPage('/widget/test/pages/landing.html');
      const other = location.origin.replace('localhost', '127.0.0.1');
      form.element.setAttribute('redirect', `${other}/widget/test/pages/modules.html`);
      form.element.setAttribute('redirect-origins', `https://shop.example ${listed}`);
      const left = new Promise((resolve) => window.addEventListener('pagehide', () => resolve(true)));
      let isLeaving = false;
      window.addEventListener('beforeunload', () => (isLeaving = true));
      form.email.value = 'ada@example.com';
      form.element.submit();
      // Firefox does not settle promises of a page that was left.
      if (arrives) await waitFor('the page is left', left);
      else {
        await form.reaches('success');
        await nextTask();
      }
      expect(isLeaving).to.equal(arrives);
    });
  }

  it('render no form while the parser has not reached the form of the page', async () => {
    const mailbox = new Mailbox();
    const { window } = await openPage('/widget/test/pages/landing.html', mailbox);
    const { document } = window;
    document.open();
    document.write('<!doctype html><script src="/widget/dist/signup-form.js"></script><newsletter-signup>');
    // Engines differ in when they parse the HTML after a script that is loaded.
    await waitUntil('the tag has been parsed', () => document.querySelector('newsletter-signup'));
    const signup = document.querySelector('newsletter-signup');
    if (!signup) throw new Error('The tag has gone.');
    const form = new Form(signup);
    const isShown = (): boolean => form.shadow.querySelector('form') !== null;
    await form.settled();
    expect(isShown()).to.equal(false);
    document.write(`<form action="${mailbox.endpoint}"><p>Join us.`);
    await form.settled();
    expect(isShown()).to.equal(false);
    document.write(
      '<input name="email"><button>Join</button></form></newsletter-signup><newsletter-signup id="bare"></newsletter-signup>',
    );
    document.close();
    await form.settled();
    expect(isShown()).to.equal(false);
    await form.signUp();
    expect(await mailbox.body()).to.deep.equal({ email: 'ada@example.com' });
    expect(document.querySelector('#bare')?.shadowRoot?.querySelector('form')).not.to.equal(null);
  });

  it('update when a property changes', async () => {
    const page = await openPage('/widget/test/pages/landing.html');
    page.form.element.messages = { button: 'Join' };
    await page.form.settled();
    expect(page.form.button.textContent).to.equal('Join');
    page.form.element.setAttribute('timeout', '5');
    expect(page.form.element.timeout).to.equal(5);
  });

  it('contain only syntax of browsers: no decorator, no accessor keyword, no bare import', async () => {
    for (const file of ['signup-form.js', 'signup-form-complete.js']) {
      const script = await text(`/widget/dist/${file}`);
      expect(script).not.to.match(/\baccessor\s+[#\w]|^\s*@(?!supports|media|keyframes)\w+/m);
      expect(script).not.to.match(/\bimport\b(?!\()|process\.env/);
    }
  });

  // Safari before 17.4 and Firefox before 128 ignore a `content` with a text for screen readers.
  it('show dots while sending in browsers that know no text beside `content`', async () => {
    const contents = (await text('/widget/dist/signup.js')).matchAll(/content:'[^']+'( \/ '')?/g);
    expect(Array.from(contents, ([, alternative]) => !!alternative)).to.deep.equal([false, true]);
  });

  it('import Lit in the npm modules, and bundle @newsletter-kit/core', async () => {
    const modules = await Promise.all(
      ['index', 'define', 'signup', 'protection'].map((name) => text(`/widget/dist/${name}.js`)),
    );
    const imported = modules.flatMap((code) =>
      Array.from(code.matchAll(/(?<!["'`])\b(?:from|import)\s*\(?["'`]([^"'`()\s]+)["'`]/g), ([, name]) => name),
    );
    // The test server has resolved the imports of Lit, which are bare in the file.
    const names = imported.map((name) =>
      name?.replace(/^.*\/node_modules\/lit\/(index\.js$)?/, 'lit/').replace(/\/$/, ''),
    );
    expect([...new Set(names)].sort()).to.deep.equal([
      './answer.js',
      './dialog.js',
      './doctor.js',
      './index.js',
      './proof.js',
      './protection.js',
      './remember.js',
      './rules.js',
      './signup.js',
      './typed-numbers.js',
      'lit',
    ]);
  });
});

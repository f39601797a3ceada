import { expect } from '@open-wc/testing';
import type { NewsletterSignup } from '../src/index.ts';
import { Form, Mailbox, nextTask } from './harness.ts';
import { openFrame } from './page.ts';
import { waitUntil } from '../../test/support/waits.ts';

const script = '/widget/dist/signup-form.js';

interface Site {
  readonly document: Document;
  readonly forms: readonly NewsletterSignup[];
}

/** An empty page in a frame. The test writes the server's HTML piece by piece. */
async function emptyPage(): Promise<Document> {
  const frame = await openFrame('/widget/test/pages/empty.html');
  if (!frame.contentDocument) throw new Error('The page has no document.');
  return frame.contentDocument.open();
}

const isHere = (page: Document): boolean => page.defaultView?.customElements.get('newsletter-signup') !== undefined;

/** Opens a page and waits until it is loaded. */
async function visit(body: string, head = ''): Promise<Site> {
  const page = await emptyPage();
  page.write(`<!doctype html><html lang="en"><head><title>A page</title>${head}</head><body>${body}</body></html>`);
  page.close();
  await waitUntil('the script has come', () => page.readyState === 'complete' && isHere(page));
  return site(page);
}

function site(page: Document): Site {
  return {
    document: page,
    get forms() {
      return Array.from(page.querySelectorAll('newsletter-signup'));
    },
  };
}

/** Signs up in the form of the page, and checks that there is only one. */
async function signUp({ forms }: Site): Promise<Form> {
  const [element, second] = forms;
  if (!element || second) throw new Error(`The page has ${forms.length} forms, not one.`);
  const form = new Form(element);
  await form.settled();
  form.email.value = 'ada@example.com';
  element.submit();
  await form.reaches('success');
  return form;
}

const loaders: Readonly<Record<string, string>> = {
  'a classic script': `<script src="${script}"></script>`,
  'an async script': `<script src="${script}" async></script>`,
  'a deferred script': `<script src="${script}" defer></script>`,
  'a module script': `<script src="${script}" type="module"></script>`,
};

describe('A <div data-newsletter-signup>', () => {
  for (const [name, loader] of Object.entries(loaders)) {
    for (const place of ['before', 'after'] as const) {
      it(`becomes a form with ${name} ${place} it`, async () => {
        const mailbox = new Mailbox();
        const div = `<div data-newsletter-signup data-endpoint="${mailbox.endpoint}" data-utm-source="blog" data-text-button="Join"></div>`;
        const form = await signUp(
          await visit(place === 'before' ? '' : div + loader, place === 'before' ? `${loader}</head><body>${div}` : ''),
        );
        expect(form.button.textContent).to.equal('Join');
        expect(await mailbox.bodies()).to.deep.equal([{ email: 'ada@example.com', utm_source: 'blog' }]);
      });
    }
  }

  it('has fields for the divs in it, in their order, with every attribute', async () => {
    const mailbox = new Mailbox();
    const page = await visit(
      `<div data-newsletter-signup data-endpoint="${mailbox.endpoint}">
        <div data-newsletter-field data-name="First name" data-required></div>
        <p><span data-newsletter-field data-name="Topics" data-kind="list" data-options="AI, Design" data-label="What about?"></span></p>
      </div>${loaders['a classic script']}`,
    );
    const [element] = page.forms;
    const form = new Form(element!);
    await form.settled();
    form.labelled('First name').value = 'Ada';
    form.labelled('Design').click();
    expect(form.find('legend').textContent).to.contain('What about?');
    expect(form.labelled('First name').required).to.equal(true);
    await signUp(page);
    expect(await mailbox.bodies()).to.deep.equal([
      {
        email: 'ada@example.com',
        custom_fields: [
          { name: 'First name', value: 'Ada' },
          { name: 'Topics', value: ['Design'] },
        ],
      },
    ]);
  });

  it('hides its content for visitors without JavaScript from all others', async () => {
    const page = await visit(
      `<div data-newsletter-signup>Or <a href="mailto:join@example.com">write to us</a>.<noscript>No JavaScript?</noscript></div>${loaders['a classic script']}`,
    );
    expect(page.forms).to.have.lengthOf(1);
    expect(page.document.body.innerText).not.to.match(/write to us|No JavaScript/);
  });

  it('becomes a form when it is added later, also with fields that are added after it', async () => {
    const mailbox = new Mailbox();
    const page = await visit(loaders['a classic script'] ?? '');
    const div = page.document.createElement('div');
    div.dataset['newsletterSignup'] = 'true';
    div.dataset['endpoint'] = mailbox.endpoint;
    page.document.body.append(div);
    await Promise.resolve();
    const field = page.document.createElement('div');
    field.dataset['newsletterField'] = '';
    field.dataset['name'] = 'City';
    div.append(field);
    await Promise.resolve();
    const form = new Form(page.forms[0]!);
    await form.settled();
    form.labelled('City').value = 'Lyon';
    await signUp(page);
    expect(await mailbox.body()).to.deep.equal({
      email: 'ada@example.com',
      custom_fields: [{ name: 'City', value: 'Lyon' }],
    });
  });

  it('becomes a form while the page is still loading, and takes fields that are parsed later', async () => {
    const mailbox = new Mailbox();
    const pieces = [
      `<!doctype html><title>A slow page</title><script src="${script}"></script><p>`,
      `</p><div data-newsletter-signup data-endpoint="${mailbox.endpoint}"><a href="/x">Old link</a><div data-newsletter-`,
      'field data-name="City"></div><p>More',
      ' of it</p></div><p>The end</p>',
    ];
    const frame = await openFrame(
      `/arriving.html?${new URLSearchParams(pieces.map((piece) => ['piece', piece])).toString()}`,
    );
    const page = site(frame.contentDocument!);
    const form = new Form(page.forms[0]!);
    await form.settled();
    form.labelled('City').value = 'Lyon';
    await signUp(page);
    expect(page.document.body.innerText)
      .to.match(/The end/)
      .and.not.to.match(/Old link|More of it/);
    expect(await mailbox.body()).to.deep.equal({
      email: 'ada@example.com',
      custom_fields: [{ name: 'City', value: 'Lyon' }],
    });
  });

  it('becomes one form if the file is loaded three times, in three ways', async () => {
    const mailbox = new Mailbox();
    const again = `<script src="${script}?again"></script><script type="module" src="${script}?module"></script>`;
    const page = await visit(
      `<div data-newsletter-signup data-endpoint="${mailbox.endpoint}"></div>${loaders['a classic script']}${again}`,
    );
    await nextTask();
    await signUp(page);
    expect(await mailbox.bodies()).to.have.lengthOf(1);
  });

  it('stays one form in a page that was saved with its form, and in a copy', async () => {
    const page = await visit(
      `<div data-newsletter-signup><newsletter-signup></newsletter-signup></div>${loaders['a classic script']}`,
    );
    expect(page.forms).to.have.lengthOf(1);
    page.document.body.append(page.document.querySelector('div')!.cloneNode(true));
    await Promise.resolve();
    expect(page.forms).to.have.lengthOf(2);
    expect(page.document.querySelectorAll('div > newsletter-signup:only-child')).to.have.lengthOf(2);
  });

  it('never runs an attribute as code', async () => {
    const page = await visit(
      `<div data-newsletter-signup data-onfocusin="document.title = 'taken over'" data-tabindex="0"></div>${loaders['a classic script']}`,
    );
    page.forms[0]?.focus();
    page.forms[0]?.dispatchEvent(new Event('focusin'));
    expect(page.forms[0]?.getAttributeNames().filter((name) => name.startsWith('on'))).to.deep.equal([]);
    expect(page.document.title).to.equal('A page');
  });

  it('changes nothing else on the page', async () => {
    const markup = '<div data-endpoint="/elsewhere" data-fields="a">Ours</div><p>Text</p>';
    const page = await visit(`${markup}${loaders['a classic script']}`);
    expect(page.forms).to.deep.equal([]);
    expect(page.document.body.innerHTML).to.contain(markup);
  });
});

describe('A <script data-endpoint>', () => {
  for (const way of ['', 'async', 'defer']) {
    it(`is replaced by a form: ${way || 'classic'}`, async () => {
      const mailbox = new Mailbox();
      const page = await visit(
        `<p>Before</p><script src="${script}" ${way} data-endpoint="${mailbox.endpoint}" data-utm-source="blog" data-fields="First name, City"></script><p>After</p>`,
      );
      const form = new Form(page.forms[0]!);
      await form.settled();
      expect(form.element.previousElementSibling?.textContent).to.equal('Before');
      expect(form.element.nextElementSibling?.textContent).to.equal('After');
      form.labelled('City').value = 'Lyon';
      await signUp(page);
      expect(await mailbox.bodies()).to.deep.equal([
        { email: 'ada@example.com', utm_source: 'blog', custom_fields: [{ name: 'City', value: 'Lyon' }] },
      ]);
    });
  }

  it('needs data-newsletter-signup if it is a module', async () => {
    const mailbox = new Mailbox();
    const page = await visit(
      `<script type="module" src="${script}" data-newsletter-signup data-endpoint="${mailbox.endpoint}"></script>`,
    );
    await signUp(page);
    expect(await mailbox.bodies()).to.have.lengthOf(1);
  });

  it('is replaced by a form in each of two places', async () => {
    const loader = `<script src="${script}" data-endpoint="/signup"></script>`;
    const page = await visit(`<header>${loader}</header><footer>${loader}</footer>`);
    expect(page.forms.map((form) => form.parentElement?.localName)).to.deep.equal(['header', 'footer']);
  });

  it('creates no form in the head', async () => {
    const page = await visit('<p>Text</p>', `<script src="${script}" data-endpoint="/signup"></script>`);
    expect(page.forms).to.deep.equal([]);
  });
});

describe('the documentation', () => {
  it('shows pages without the tags that get a form', async () => {
    const readme = await fetch('/documentation.md').then((response) => response.text());
    const snippets = Array.from(readme.matchAll(/```html\n([\s\S]*?)```/g), ([, code = '']) => code).filter((code) =>
      /data-(newsletter-signup|endpoint)/.test(code),
    );
    expect(snippets).to.have.lengthOf(2);
    for (const snippet of snippets) {
      const mailbox = new Mailbox();
      const page = await visit(
        snippet
          .replace('https://relay.example/signup-form.js', script)
          .replace('https://relay.example/signup', mailbox.endpoint),
      );
      const form = new Form(page.forms[0]!);
      await form.settled();
      form.labelled('First Name').value = 'Ada';
      await signUp(page);
      expect(await mailbox.body()).to.deep.equal({
        email: 'ada@example.com',
        custom_fields: [{ name: 'First Name', value: 'Ada' }],
      });
      expect(page.document.querySelector('[slot=fallback]')?.checkVisibility()).not.to.equal(true);
    }
  });
});

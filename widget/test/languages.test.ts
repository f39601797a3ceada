import { expect, fixture, html } from '@open-wc/testing';
import { english, type Messages } from '../src/index.ts';
import { Form, inScheme, Mailbox, mountAt } from './harness.ts';
import { openPage } from './page.ts';

const tags = ['ar', 'de', 'es', 'fr', 'he', 'it', 'ja', 'nl', 'pl', 'pt', 'tr', 'zh'] as const;
const address = (tag: string): string => `/widget/dist/languages/${tag}.js`;

/** Loads a language as a page does, and returns its texts. */
async function load(tag: string): Promise<Partial<Messages>> {
  const script = document.createElement('script');
  script.src = address(tag);
  await new Promise((resolve) => {
    script.addEventListener('load', resolve);
    document.head.append(script);
  });
  script.remove();
  return globalThis.newsletterMessages?.[tag] ?? {};
}

describe('languages', () => {
  beforeEach(() => {
    globalThis.newsletterMessages = undefined;
  });

  it('keep the size of the button while the form is sent', async () => {
    for (const tag of tags) {
      await load(tag);
      // Sans serif is wider.
      const form = await mountAt(
        new Mailbox('slow'),
        '',
        `lang="${tag}" style="inline-size: 480px; font-family: sans-serif"`,
      );
      const size = (): string => `${tag}: ${form.button.offsetWidth} × ${form.button.offsetHeight}`;
      const before = size();
      await form.signUp('busy');
      expect(size()).to.equal(before);
      form.element.remove();
    }
  });

  const placeholders = (text: string): string[] => text.match(/\{\w+\}/g) ?? [];

  for (const tag of tags) {
    it(`${tag}: have every text with its placeholders, and no other`, async () => {
      const texts = await load(tag);
      const spoken = Object.entries(english).filter(([key, text]) => text && key !== 'language');
      expect(Object.keys(texts).sort()).to.deep.equal(spoken.map(([key]) => key).sort());
      for (const [key, text] of spoken) {
        const translated = texts[key as keyof Messages] ?? '';
        expect(translated, key).to.match(/\p{L}/u);
        if (key !== 'later') expect(translated, key).not.to.equal(text);
        expect(placeholders(translated), key).to.deep.equal(placeholders(text));
      }
    });
  }

  it('are each exported by the package', async () => {
    const { exports }: { exports: Readonly<Record<string, { default: string }>> } = await fetch(
      '/widget/package.json',
    ).then((response) => response.json());
    const entries = Object.keys(exports).filter((name) => name.startsWith('./languages/'));
    expect(entries).to.deep.equal(tags.map((tag) => `./languages/${tag}`));
    for (const entry of entries)
      expect(`/widget/${exports[entry]?.default.slice(2)}`).to.equal(address(entry.slice(-2)));
  });

  for (const [lang, text] of [
    ['de', 'Abonnieren'],
    ['de-AT', 'Abonnieren'],
    ['de_DE', 'Abonnieren'],
    ['DE_de', 'Abonnieren'],
    ['de_CH-1996', 'Abonnieren'],
    ['den', 'Subscribe'],
    ['', 'Subscribe'],
    ['no such language', 'Subscribe'],
    ["'];", 'Subscribe'],
  ] as const) {
    it(`is found for lang="${lang}"`, async () => {
      await load('de');
      Reflect.set(globalThis.newsletterMessages ?? {}, 'a b', {});
      const form = await mountAt(new Mailbox(), '', `lang="${lang}"`);
      expect(form.button.textContent).to.equal(text);
    });
  }

  it('prefers the longer name: pt_BR is pt-BR before it is pt', async () => {
    globalThis.newsletterMessages = { pt: { button: 'Subscrever' }, 'pt-BR': { button: 'Assinar' } };
    const form = await mountAt(new Mailbox(), '', 'lang="pt_BR"');
    expect(form.button.textContent).to.equal('Assinar');
  });

  it('is that of the nearest lang, also with a region, also across shadow roots', async () => {
    await load('de');
    await load('fr');
    const page = await fixture(html`<div lang="fr"><section lang="de-AT"></section></div>`);
    const host = page.querySelector('section') ?? page;
    const element = document.createElement('newsletter-signup');
    host.attachShadow({ mode: 'open' }).append(element);
    await element.updateComplete;
    const { button } = new Form(element);
    expect(button.textContent).to.equal('Abonnieren');
    page.append(element);
    await element.updateComplete;
    element.requestUpdate();
    await element.updateComplete;
    expect(button.textContent).to.equal('S’abonner');
  });

  it('is English without a file', async () => {
    await load('de');
    const form = await mountAt(new Mailbox(), '', 'lang="da"');
    expect(form.button.textContent).to.equal('Subscribe');
  });

  it('can be loaded after the form', async () => {
    const form = await mountAt(new Mailbox(), '', 'lang="nl"');
    expect(form.button.textContent).to.equal('Subscribe');
    await load('nl');
    await form.settled();
    expect(form.button.textContent).to.equal('Inschrijven');
  });

  it('follows a change of the page’s language', async () => {
    await load('es');
    const form = await mountAt(new Mailbox());
    const { lang } = document.documentElement;
    try {
      document.documentElement.lang = 'es';
      await form.settled();
      expect(form.button.textContent).to.equal('Suscribirse');
    } finally {
      document.documentElement.lang = lang;
    }
  });

  it('prefers the texts of the page, and the more specific language', async () => {
    await load('zh');
    globalThis.newsletterMessages = { ...globalThis.newsletterMessages, 'zh-Hant': { button: '訂閱' } };
    const form = await mountAt(new Mailbox(), '', 'lang="zh-Hant-TW" text-email-label="信箱"');
    expect(form.button.textContent).to.equal('訂閱');
    expect(form.labelled('信箱').id).to.equal(form.email.id);
    await form.pressButton('error');
    // A text that the specific language lacks is English, not that of the general language.
    expect(form.description(form.email)).to.equal(english.emailInvalid);
    form.element.messages = { button: '好' };
    await form.settled();
    expect(form.button.textContent).to.equal('好');
  });

  it('formats waiting times', async () => {
    await load('pl');
    const form = await mountAt(new Mailbox('down'), '', 'lang="pl"');
    await form.signUp('error');
    expect(form.notice.textContent).to.equal('Teraz nie działa. Spróbuj za 2 minuty.');
  });

  it('works with the built script, as a module and as a classic script', async () => {
    const page = await openPage('/widget/test/pages/landing.html');
    page.form.element.lang = 'it';
    const script = page.window.document.createElement('script');
    script.type = 'module';
    script.src = address('it');
    const heard = new Promise((resolve) =>
      page.window.addEventListener('newsletter-messages', resolve, { once: true }),
    );
    page.window.document.head.append(script);
    await heard;
    await page.form.settled();
    expect(page.form.button.textContent).to.equal('Iscriviti');
  });

  describe('from right to left', () => {
    afterEach(() => inScheme('light'));

    const fields = `
      <newsletter-field name="الاسم" required></newsletter-field>
      <newsletter-field name="المواضيع" kind="list" options="تصميم | برمجة"></newsletter-field>
      <newsletter-field name="أوافق على الشروط" kind="boolean" required></newsletter-field>`;

    for (const tag of ['ar', 'he']) {
      for (const scheme of ['light', 'dark'] as const) {
        it(`is mirrored, and has no axe violation in any state: ${tag}, ${scheme}`, async () => {
          await inScheme(scheme);
          await load(tag);
          const form = await mountAt(
            new Mailbox('down'),
            fields,
            `lang="${tag}" dir="rtl" style="color-scheme: light dark; color: CanvasText; background: Canvas"`,
          );
          const box = form.find('[part=surface]').getBoundingClientRect();
          const tick = form.labelled('أوافق').getBoundingClientRect();
          expect(getComputedStyle(form.email).direction).to.equal('rtl');
          expect(box.right - tick.right).to.be.below(4);
          expect(tick.left - box.left).to.be.above(40);
          await expect(form.element).to.be.accessible();
          await form.pressButton('error');
          expect(form.root.querySelectorAll('[part=problem]')).to.have.lengthOf(3);
          await expect(form.element).to.be.accessible();
          form.email.value = 'ada@example.com';
          form.labelled('الاسم').value = 'آدا';
          form.labelled('أوافق').click();
          form.element.submit();
          await form.nextEvent('newsletter-error');
          await form.settled();
          expect(form.notice.textContent).to.match(/\p{L}/u);
          await expect(form.element).to.be.accessible();
        });
      }
    }
  });
});

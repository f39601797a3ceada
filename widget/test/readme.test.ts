import { expect } from '@open-wc/testing';
import { english, NewsletterSignup } from '../src/index.ts';
import { Mailbox, mount } from './harness.ts';

const readme = await fetch('/documentation.md').then((response) => response.text());
const snippets = Array.from(readme.matchAll(/```(\w+)\n([\s\S]*?)```/g), ([, language, code]) => ({
  language,
  code: code ?? '',
}));
const pages = snippets.filter(({ language, code }) => language === 'html' && code.includes('<newsletter-signup'));

describe('the documentation', () => {
  for (const { code } of pages) {
    it(`shows a form that works: ${/<newsletter-signup[^>]*>/.exec(code)?.[0].replace(/\s+/g, ' ')}`, async () => {
      const form = await mount(code.replace(/<script.*<\/script>/g, '').trim());
      const mailbox = new Mailbox();
      form.element.endpoint = mailbox.endpoint;
      await form.element.open();
      const inputs = new Set(
        [form.root, form.element].flatMap((place) =>
          Array.from(place.querySelectorAll<HTMLInputElement>('input[required]')),
        ),
      );
      for (const control of inputs) {
        if (control.type === 'checkbox') control.checked = true;
        else control.value ||= control.name === 'email' ? 'ada@example.com' : 'Ada';
      }
      form.element.submit();
      await form.reaches('success');
      expect(await mailbox.bodies()).to.have.lengthOf(1);
    });
  }

  it('shows forms of the element, fallbacks, and the page’s own form', () => {
    for (const kind of [/<newsletter-signup[^>]*endpoint=/, /<form\s+slot="fallback"/, /<form (?!slot)/])
      expect(pages.filter(({ code }) => kind.test(code)).length, String(kind)).to.be.above(0);
  });

  it('names every text, attribute, property and part', () => {
    const names = [...Object.keys(english), ...NewsletterSignup.observedAttributes];
    expect(names.filter((name) => !readme.includes(`\`${name}\``) && !readme.includes(`${name}="`))).to.deep.equal([]);
  });

  it('shows a listener that is called', async () => {
    const listener =
      snippets.find(({ language, code }) => language === 'js' && code.includes('newsletter-success'))?.code ?? '';
    const script = document.createElement('script');
    script.textContent = `window.said = []; { const console = { log: (...words) => window.said.push(words) }; ${listener} }`;
    document.head.append(script);
    const form = await mount(
      `<newsletter-signup endpoint="${new Mailbox().endpoint}" utm-source="blog"></newsletter-signup>`,
    );
    form.email.value = 'ada@example.com';
    form.element.submit();
    await form.reaches('success');
    expect(Reflect.get(window, 'said')).to.deep.equal([['Signed up', { utm_source: 'blog' }]]);
  });
});

import { expect } from '@open-wc/testing';
import { english, NewsletterSignup } from '../src/index.ts';
import { Mailbox, mount } from './harness.ts';

const readme = await fetch('/widget/README.md').then((response) => response.text());
const snippets = Array.from(readme.matchAll(/```(\w+)\n([\s\S]*?)```/g), ([, language, code]) => ({ language, code: code ?? '' }));
const pages = snippets.filter(({ language, code }) => language === 'html' && code.includes('<newsletter-signup'));

describe('README.md', () => {
  for (const { code } of pages) {
    it(`shows a form that works: ${/<newsletter-signup[^>]*>/.exec(code)?.[0].replace(/\s+/g, ' ')}`, async () => {
      const form = await mount(code.replace(/<script.*<\/script>/, '').trim());
      const mailbox = new Mailbox();
      form.element.endpoint = mailbox.endpoint;
      form.email.value = 'ada@example.com';
      for (const control of form.root.querySelectorAll<HTMLInputElement>('input[required]')) {
        if (control.type === 'checkbox') control.click();
        else control.value ||= 'Ada';
      }
      form.element.submit();
      await form.reaches('success');
      expect(await mailbox.bodies()).to.have.lengthOf(1);
    });
  }

  it('shows four of them', () => {
    expect(pages).to.have.lengthOf(4);
  });

  it('names every text, attribute, property and part there is', () => {
    const texts = Object.keys(english).map((key) => key.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`));
    const names = [...texts, ...NewsletterSignup.observedAttributes];
    expect(names.filter((name) => !readme.includes(`\`${name}\``) && !readme.includes(`${name}="`))).to.deep.equal([]);
  });

  it('shows a listener that hears', async () => {
    const listener = snippets.find(({ language, code }) => language === 'js' && code.includes('addEventListener'))?.code ?? '';
    const script = document.createElement('script');
    script.textContent = `window.said = []; { const console = { log: (...words) => window.said.push(words) }; ${listener} }`;
    document.head.append(script);
    const form = await mount(`<newsletter-signup endpoint="${new Mailbox().endpoint}" utm-source="blog"></newsletter-signup>`);
    form.email.value = 'ada@example.com';
    form.element.submit();
    await form.reaches('success');
    expect(Reflect.get(window, 'said')).to.deep.equal([['Signed up', { utm_source: 'blog' }]]);
  });
});

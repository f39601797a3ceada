import { expect } from '@open-wc/testing';
import { english, NewsletterSignup } from '../src/index.ts';
import { Mailbox, mount } from './harness.ts';

const readme = await fetch('/documentation.md').then((response) => response.text());
const snippets = Array.from(readme.matchAll(/```(\w+)\n([\s\S]*?)```/g), ([, language, code]) => ({
  language,
  code: code ?? '',
}));

describe('the documentation', () => {
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
    await form.signUp();
    expect(Reflect.get(window, 'said')).to.deep.equal([['Signed up', { utm_source: 'blog' }]]);
  });
});

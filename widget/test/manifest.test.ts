import { expect } from '@open-wc/testing';
import { attributionFields } from '@newsletter-kit/core/signup';
import { NewsletterSignup } from '../src/index.ts';
import { Mailbox, mountAt } from './harness.ts';

interface Named {
  readonly name: string;
}

interface Declaration extends Named {
  readonly tagName?: string;
  readonly attributes?: readonly Named[];
  readonly events?: readonly Named[];
  readonly cssParts?: readonly Named[];
}

const manifest: { modules: readonly { declarations: readonly Declaration[] }[] } = await fetch(
  '/widget/custom-elements.json',
).then((response) => response.json());

function declared(tagName: string): Declaration {
  const found = manifest.modules
    .flatMap(({ declarations }) => declarations)
    .find((declaration) => declaration.tagName === tagName);
  if (!found) throw new Error(`The manifest does not know ${tagName}.`);
  return found;
}

const names = (list: readonly Named[] = []): string[] => list.map(({ name }) => name).sort();

describe('custom-elements.json', () => {
  const signup = declared('newsletter-signup');

  it('lists every attribute that the element reads', () => {
    const attribution = attributionFields.map((name) => name.replace('_', '-'));
    expect(names(signup.attributes)).to.deep.equal(
      [
        ...NewsletterSignup.observedAttributes,
        ...attribution,
        'text-button',
        'text-email-label',
        'text-email-placeholder',
        'text-success',
        'text-thanks',
        'turnstile-script',
        'debug',
        'open-on',
        'ask-again',
        'expose-email',
        'cookie-domain',
        'click-ids',
        'ref-is',
        'referrer-medium',
        'same-site',
      ].sort(),
    );
    expect(names(declared('newsletter-field').attributes)).to.deep.equal([
      'autocomplete',
      'from',
      'hidden',
      'href',
      'kind',
      'label',
      'min',
      'name',
      'options',
      'placeholder',
      'required',
      'value',
    ]);
  });

  it('lists the events', () => {
    expect(names(signup.events)).to.deep.equal([
      'newsletter-error',
      'newsletter-submit',
      'newsletter-success',
      'newsletter-warning',
    ]);
  });

  it('lists every part', async () => {
    const form = await mountAt(
      new Mailbox(),
      `<newsletter-field name="City"></newsletter-field><newsletter-field name="Terms" kind="boolean" required></newsletter-field>
       <newsletter-field name="Topics" kind="list" options="AI, Design"></newsletter-field><newsletter-field></newsletter-field>`,
      'layout="dialog"',
    );
    const parts = ({ root } = form): readonly string[] =>
      Array.from(root.querySelectorAll('[part]'), (element) => [...element.part]).flat();
    const joined = parts(await mountAt(new Mailbox(), '', 'layout="joined"'));
    await form.element.open();
    await form.pressButton('error');
    const atError = parts();
    form.email.value = 'ada@gmail.com';
    form.labelled('Terms').click();
    await form.submit('success');
    expect(names(signup.cssParts)).to.deep.equal([...new Set([...joined, ...atError, ...parts()])].sort());
  });
});

/**
 * The form in the slot `fallback`: shown while the element has none of its own, and read when that is drawn. The built
 * script is added to the page after the visitor has typed.
 */
import { expect } from '@open-wc/testing';
import type { NewsletterSignup } from '../src/index.ts';
import { Form, Mailbox } from './harness.ts';
import { openFrame } from './page.ts';
import { waitUntil } from '../../test/support/waits.ts';

const script = '/widget/dist/signup-form.js';
const fields = `
  <newsletter-field name="First name"></newsletter-field>
  <newsletter-field name="Topics" kind="list" options="AI, Design"></newsletter-field>
  <newsletter-field name="Rhythm" options="Daily, Weekly"></newsletter-field>
  <newsletter-field name="City" options="a, b, c, d, e, f, g, h"></newsletter-field>
  <newsletter-field kind="consent" label="I agree."></newsletter-field>`;
const controls = `
  <input name="email" inputmode="email" autocomplete="email" required>
  <input name="custom_fields[First name]">
  <input type="checkbox" name="custom_fields[Topics][]" value="AI"><input type="checkbox" name="custom_fields[Topics][]" value="Design">
  <input type="radio" name="custom_fields[Rhythm]" value="Daily"><input type="radio" name="custom_fields[Rhythm]" value="Weekly">
  <select name="custom_fields[City]"><option></option><option>a</option><option>h</option></select>
  <input type="checkbox" name="consent" value="I agree.">
  <button>Subscribe</button>`;
const fallback = (action: string): string =>
  `<form slot="fallback" method="post" action="${action}">${controls}</form>`;
const tag = (action: string, attributes = 'layout="card"'): string =>
  `<newsletter-signup ${attributes}>${fields}${fallback(action)}</newsletter-signup>`;

/** A page whose script has not come yet. */
class SlowPage {
  readonly document: Document;

  constructor(page: Document) {
    this.document = page;
  }

  static async open(body: string): Promise<SlowPage> {
    const frame = await openFrame('/widget/test/pages/empty.html');
    const page = frame.contentDocument?.open();
    if (!page) throw new Error('The page has no document.');
    page.write(`<!doctype html><html lang="en"><title>A slow page</title><body>${body}</body></html>`);
    page.close();
    frame.contentWindow?.focus();
    return new SlowPage(page);
  }

  /** Adds the script, after this code. */
  async bringScript(before = ''): Promise<void> {
    const { document: page } = this;
    const add = (properties: Partial<HTMLScriptElement>): HTMLScriptElement => {
      const element = Object.assign(page.createElement('script'), properties);
      page.body.append(element);
      return element;
    };
    if (before) add({ textContent: before });
    const loaded = add({ src: script });
    await new Promise((resolve) => loaded.addEventListener('load', resolve));
    await this.form.settled();
  }

  get form(): Form {
    const element = this.document.querySelector<NewsletterSignup>('newsletter-signup');
    if (!element) throw new Error('The page has no form.');
    return new Form(element);
  }

  get fallback(): HTMLFormElement {
    const found = this.document.querySelector<HTMLFormElement>('[slot=fallback]');
    if (!found) throw new Error('The page has no fallback.');
    return found;
  }

  /** A control of the fallback. */
  find<Found extends HTMLElement = HTMLInputElement>(selector: string): Found {
    const found = this.fallback.querySelector<Found>(selector);
    if (!found) throw new Error(`The fallback has no ${selector}.`);
    return found;
  }

  /** A control of the form that the element drew. */
  drawn<Found extends HTMLElement = HTMLInputElement>(selector: string): Found {
    const found = this.form.shadow.querySelector<Found>(selector);
    if (!found) throw new Error(`The form has no ${selector}.`);
    return found;
  }
}

describe('a fallback', () => {
  it('is replaced by the form of the element, which posts to its action', async () => {
    const mailbox = new Mailbox();
    const page = await SlowPage.open(tag(mailbox.endpoint));
    expect(page.fallback.checkVisibility()).to.equal(true);
    await page.bringScript();
    expect(page.fallback.checkVisibility()).to.equal(false);
    expect(page.drawn('form').getAttribute('action')).to.equal(mailbox.endpoint);
    page.drawn('[name=email]').value = 'ada@example.com';
    page.form.element.submit();
    await page.form.reaches('success');
    expect(await mailbox.body()).to.deep.equal({ email: 'ada@example.com' });
  });

  it('does not change the endpoint of the tag', async () => {
    const page = await SlowPage.open(tag('https://old.example/', 'endpoint="https://relay.example/"'));
    await page.bringScript();
    expect(page.drawn('form').getAttribute('action')).to.equal('https://relay.example/');
  });

  it('hands over what was typed, ticked and chosen', async () => {
    const page = await SlowPage.open(tag('/'));
    page.find('[name=email]').value = 'ada@exa';
    page.find('[name*=First]').value = 'Ada';
    page.find('[value=Design]').checked = true;
    page.find('[value=Weekly]').checked = true;
    page.find<HTMLSelectElement>('select').value = 'h';
    page.find('[name=consent]').checked = true;
    await page.bringScript();
    const values = Array.from(new FormData(page.drawn('form')), ([name, value]) => [name, String(value)]);
    expect(values.filter(([, value]) => value)).to.deep.equal([
      ['email', 'ada@exa'],
      ['custom_fields[First name]', 'Ada'],
      ['custom_fields[Topics][]', 'Design'],
      ['custom_fields[Rhythm]', 'Weekly'],
      ['custom_fields[City]', 'h'],
      ['consent', 'I agree.'],
    ]);
  });

  for (const [what, selector] of [
    ['checkbox', '[value=Design]'],
    ['select', 'select'],
    ['button', 'button'],
  ] as const) {
    it(`hands over the focus of a ${what}`, async () => {
      const page = await SlowPage.open(tag('/'));
      page.find(selector).focus();
      await page.bringScript();
      expect(page.form.shadow.activeElement).to.equal(page.drawn(selector));
    });
  }

  it('keeps no later change from the visitor', async () => {
    const page = await SlowPage.open(tag('/'));
    page.find('[name=email]').value = 'old@example.com';
    await page.bringScript();
    page.drawn('[name=email]').value = '';
    page.form.element.setAttribute('text-button', 'Join');
    await page.form.settled();
    expect(page.drawn('[name=email]').value).to.equal('');
  });

  it('takes the place of a div’s form, and keeps the focus in it', async () => {
    const mailbox = new Mailbox();
    const page = await SlowPage.open(
      `<div data-newsletter-signup data-layout="card"><div data-newsletter-field data-name="First name"></div>${fallback(mailbox.endpoint)}</div>`,
    );
    const email = page.find('[name=email]');
    email.focus();
    email.value = 'ada@example.com';
    email.setSelectionRange(3, 3);
    await page.bringScript();
    const drawn = page.drawn('[name=email]');
    expect(page.form.shadow.activeElement).to.equal(drawn);
    expect([drawn.value, drawn.selectionStart]).to.deep.equal(['ada@example.com', 3]);
    page.form.element.submit();
    await page.form.reaches('success');
    expect(await mailbox.bodies()).to.have.lengthOf(1);
  });

  it('stays while the page is still loading and its tag may have more in it', async () => {
    const mailbox = new Mailbox();
    const pieces = [
      `<!doctype html><title>A slow page</title><script src="${script}"></script><newsletter-signup layout="card">${fields}`,
      `<form slot="fallback" method="post" action="${mailbox.endpoint}">${controls}`,
      '</form></newsletter-signup><p>The end</p>',
    ];
    const frame = await openFrame(
      `/arriving.html?${new URLSearchParams(pieces.map((piece) => ['piece', piece])).toString()}`,
    );
    const page = new SlowPage(frame.contentDocument!);
    await page.form.settled();
    expect(page.fallback.checkVisibility()).to.equal(false);
    page.drawn('[name=email]').value = 'ada@example.com';
    page.form.element.submit();
    await page.form.reaches('success');
    expect(await mailbox.bodies()).to.have.lengthOf(1);
  });
});

describe('a fallback of layout="dialog"', () => {
  const dialogTag = (action = '/'): string =>
    tag(action, 'layout="dialog"').replace('<form', '<button slot="trigger">Open</button><form');

  it('is the form in the page until the dialog is there', async () => {
    const page = await SlowPage.open(dialogTag());
    page.find('[name=email]').value = 'ada@exa';
    const shown: boolean[] = [];
    const { form } = page;
    await page.bringScript();
    new MutationObserver(() => shown.push(page.fallback.checkVisibility())).observe(form.shadow, { childList: true });
    if (!form.shadow.querySelector('dialog')) expect(page.fallback.checkVisibility()).to.equal(true);
    await waitUntil('the form has a dialog', () => form.shadow.querySelector('dialog'));
    expect(page.fallback.checkVisibility()).to.equal(false);
    expect(page.drawn('[name=email]').value).to.equal('ada@exa');
    expect(page.drawn('dialog').hasAttribute('open')).to.equal(false);
  });

  it('is a popover until then, which the dialog follows if it is open', async () => {
    const page = await SlowPage.open(
      dialogTag()
        .replace('slot="fallback"', 'slot="fallback" id="form" popover="auto"')
        .replace('slot="trigger"', 'slot="trigger" popovertarget="form"'),
    );
    if (!('popover' in HTMLElement.prototype)) return;
    expect(page.fallback.checkVisibility()).to.equal(false);
    const trigger = page.document.querySelector<HTMLElement>('[slot=trigger]');
    trigger?.click();
    expect(page.fallback.checkVisibility()).to.equal(true);
    await page.bringScript();
    const isOpen = (open: boolean): Promise<void> =>
      waitUntil(`the dialog is ${open ? 'open' : 'closed'}`, () => page.form.element.hasAttribute('open') === open);
    await isOpen(true);
    page.form.element.close();
    await isOpen(false);
    trigger?.click();
    await isOpen(true);
    expect(page.document.querySelector(':popover-open')).to.equal(null);
  });

  it('opens the dialog for a visitor who types in it', async () => {
    const page = await SlowPage.open(dialogTag());
    const name = page.find('[name*=First]');
    name.focus();
    name.value = 'Adam';
    name.setSelectionRange(2, 2);
    await page.bringScript();
    await waitUntil('the dialog is open', () => page.form.element.hasAttribute('open'));
    const drawn = page.drawn('[name*=First]');
    expect(page.form.shadow.activeElement).to.equal(drawn);
    expect([drawn.value, drawn.selectionStart]).to.deep.equal(['Adam', 2]);
  });
});

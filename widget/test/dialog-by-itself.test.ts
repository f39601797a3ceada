/** When a dialog opens by itself, and when it does not open again. */
import { expect } from '@open-wc/testing';
import { becomes, here, isOpen } from './dialogs.ts';
import { openPage, type Page } from './page.ts';
import { waitUntil } from '../../test/support/waits.ts';

const key = 'newsletter-signup-quiet-1';
const day = 864e5;

describe('a dialog that opens by itself', () => {
  const path = '/widget/test/pages/dialog.html';
  const touched = (page: Page): unknown => Reflect.get(page.window, 'touched');

  beforeEach(() => {
    localStorage.clear();
    sessionStorage.clear();
  });

  /** Opens a page of the site with these attributes on its form. */
  async function visit(attributes: Readonly<Record<string, string>>, consent = false): Promise<Page> {
    const page = await openPage(path);
    for (const [name, value] of Object.entries(attributes)) page.form.element.setAttribute(name, value);
    if (consent) page.form.element.grantConsent();
    await here(page.form);
    return page;
  }

  async function dismiss({ form }: Page): Promise<void> {
    await becomes(form, true);
    form.element.close();
    await becomes(form, false);
  }

  function leave({ window }: Page, pointerType = 'mouse', clientY = -1): void {
    window.document.documentElement.dispatchEvent(
      new PointerEvent('pointerout', { bubbles: true, pointerType, clientY, relatedTarget: null }),
    );
  }

  async function scroll({ window }: Page, part: number): Promise<void> {
    window.scrollTo(0, window.document.documentElement.scrollHeight * part - window.innerHeight);
    await new Promise((resolve) => window.requestAnimationFrame(() => window.requestAnimationFrame(resolve)));
  }

  it('opens by any element that names its id, and by no other', async () => {
    const { window, form } = await visit({});
    const links = window.document.querySelectorAll('a');
    links[1]?.click();
    expect(isOpen(form)).to.equal(false);
    links[0]?.click();
    await becomes(form, true);
  });

  it('opens after a delay', async () => {
    const page = await visit({ 'open-on': 'delay 1s' });
    await becomes(page.form, true);
    expect(page.window.performance.now()).to.be.at.least(990);
  });

  it('opens after scrolling far enough', async () => {
    const page = await visit({ 'open-on': 'scroll 50%' });
    await scroll(page, 0.4);
    expect(isOpen(page.form)).to.equal(false);
    await scroll(page, 0.6);
    await becomes(page.form, true);
  });

  it('opens when the mouse leaves at the top, not at the side and not for touch', async () => {
    const page = await visit({ 'open-on': 'leave' });
    leave(page, 'mouse', 200);
    leave(page, 'touch');
    expect(isOpen(page.form)).to.equal(false);
    leave(page);
    await becomes(page.form, true);
  });

  it('opens on the first of several occasions, and once on a page', async () => {
    const page = await visit({ 'open-on': 'scroll 50%, leave' });
    leave(page);
    await dismiss(page);
    leave(page);
    await scroll(page, 0.9);
    expect(isOpen(page.form)).to.equal(false);
    page.window.document.querySelector('a')?.click();
    await becomes(page.form, true);
  });

  it('does not open by itself without open-on', async () => {
    const page = await visit({});
    leave(page);
    await scroll(page, 1);
    expect(isOpen(page.form)).to.equal(false);
  });

  it('waits while a field has the focus, and while another dialog is open', async () => {
    const page = await visit({ 'open-on': 'leave' });
    const { document } = page.window;
    document.querySelector('textarea')?.focus();
    leave(page);
    expect(isOpen(page.form)).to.equal(false);
    document.querySelector('textarea')?.blur();
    document.querySelector('dialog')?.showModal();
    leave(page);
    expect(isOpen(page.form)).to.equal(false);
    document.querySelector('dialog')?.close();
    leave(page);
    await becomes(page.form, true);
  });

  for (const [attribute, value, warning] of [
    ['open-on', 'delay soon', 'open-on="delay" is not one of click, delay 10s, scroll 50%, leave: takes "click".'],
    ['open-on', 'exit', 'open-on="exit" is not one of click, delay 10s, scroll 50%, leave: takes "click".'],
    ['ask-again', 'never', 'ask-again="never" is not one of page, session, 30d: takes "page".'],
  ] as const) {
    it(`warns once of ${attribute}="${value}", and uses the default`, async () => {
      const page = await openPage(path);
      const { element } = page.form;
      const said: string[] = [];
      element.addEventListener('newsletter-warning', ({ message }) => said.push(message));
      element.setAttribute('open-on', 'leave');
      element.setAttribute(attribute, value);
      element.grantConsent();
      await here(page.form);
      expect(said).to.include(warning);
      leave(page);
      expect(isOpen(page.form)).to.equal(attribute === 'ask-again');
      await element.open();
      await dismiss(page);
      expect([localStorage.length, sessionStorage.length]).to.deep.equal([0, 0]);
      expect(said.filter((message) => message === warning)).to.have.length(1);
    });
  }

  for (const value of ['click', 'delay 5s', 'scroll 12.5%, leave', 'leave delay 90s']) {
    it(`accepts open-on="${value}" without a warning`, async () => {
      const page = await visit({});
      const said: string[] = [];
      page.form.element.addEventListener('newsletter-warning', ({ message }) => said.push(message));
      page.form.element.setAttribute('open-on', value);
      page.form.element.setAttribute('ask-again', '7d');
      await page.form.settled();
      expect(said).to.deep.equal([]);
    });
  }

  it('does not change how the page scrolls', async () => {
    const page = await visit({ 'open-on': 'leave' });
    leave(page);
    await dismiss(page);
    await scroll(page, 0.5);
    expect(page.window.scrollY).to.be.greaterThan(100);
    expect(page.window.document.body.style.overflow).to.equal('');
  });

  it('does not access storage without consent, whatever ask-again says', async () => {
    const page = await visit({ 'open-on': 'leave', 'ask-again': '30d' });
    leave(page);
    await dismiss(page);
    await page.form.signUp();
    expect(touched(page)).to.deep.equal([]);
    expect([localStorage.length, sessionStorage.length]).to.deep.equal([0, 0]);
  });

  for (const [again, store, elsewhere] of [
    ['30d', localStorage, sessionStorage],
    ['session', sessionStorage, localStorage],
  ] as const) {
    it(`stores with consent that it was closed: ask-again="${again}"`, async () => {
      const first = await visit({ 'open-on': 'leave', 'ask-again': again }, true);
      leave(first);
      await dismiss(first);
      const until = Number(store.getItem(key));
      expect(until).to.be.greaterThan(Date.now() + 29 * day);
      expect(elsewhere.getItem(key)).to.equal(null);
      const next = await visit({ 'open-on': 'leave' }, true);
      leave(next);
      expect(isOpen(next.form)).to.equal(false);
      const stranger = await visit({ 'open-on': 'leave' });
      leave(stranger);
      await becomes(stranger.form, true);
    });
  }

  it('opens again when the time is over', async () => {
    localStorage.setItem(key, String(Date.now() - 1));
    const page = await visit({ 'open-on': 'leave' }, true);
    leave(page);
    await becomes(page.form, true);
  });

  it('opens again on the next page by default', async () => {
    const first = await visit({ 'open-on': 'leave' }, true);
    leave(first);
    await dismiss(first);
    expect([localStorage.getItem(key), sessionStorage.getItem(key)]).to.deep.equal([null, null]);
  });

  it('stores after the consent that it was closed before the consent', async () => {
    const page = await visit({ 'open-on': 'leave', 'ask-again': '7d' });
    leave(page);
    await dismiss(page);
    page.form.element.grantConsent();
    expect(Number(localStorage.getItem(key))).to.be.greaterThan(Date.now() + 6 * day);
  });

  it('does not open by itself after a signup', async () => {
    const page = await visit({}, true);
    await page.form.signUp();
    expect(localStorage.getItem(key)).to.equal('Infinity');
    const next = await visit({ 'open-on': 'leave' }, true);
    leave(next);
    expect(isOpen(next.form)).to.equal(false);
  });

  it('deletes its entry when the consent is revoked', async () => {
    const page = await visit({ 'open-on': 'leave', 'ask-again': '7d' }, true);
    leave(page);
    await dismiss(page);
    page.form.element.revokeConsent();
    await waitUntil('the entry is deleted', () => localStorage.getItem(key) === null);
    leave(page);
    expect(isOpen(page.form)).to.equal(false);
  });

  it('stores nothing with storage="none"', async () => {
    const page = await visit({ 'open-on': 'leave', 'ask-again': '7d', storage: 'none' }, true);
    leave(page);
    await dismiss(page);
    expect([localStorage.length, sessionStorage.length]).to.deep.equal([0, 0]);
  });
});

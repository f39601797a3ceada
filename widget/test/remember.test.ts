import { expect } from '@open-wc/testing';
import { Mailbox } from './harness.ts';
import { openFrame, openPage, pageIn, type Page } from './page.ts';

const path = '/widget/test/pages/remember.html';
const key = 'newsletter-signup-1';

/** Signs up on this page, and returns the received values without the email address. */
async function arriving({ form }: Page): Promise<Record<string, unknown>> {
  await form.signUp();
  const { email, ...attribution } = (await form.mailbox.bodies()).at(-1) ?? {};
  expect(email).to.equal('ada@example.com');
  return attribution;
}

/** Opens a page of the site, with the file that stores attribution; every call opens another one. */
async function visit(
  query: string,
  attributes: Readonly<Record<string, string>> = {},
): Promise<{ page: Page; attribution: () => Promise<Record<string, unknown>> }> {
  const page = await openPage(path + query);
  // Then the consent is not followed by a request.
  const script = page.window.document.createElement('script');
  const loaded = new Promise((resolve) => script.addEventListener('load', resolve));
  page.window.document.head.append(Object.assign(script, { type: 'module', src: '/widget/dist/remember.js' }));
  await loaded;
  for (const [name, value] of Object.entries(attributes)) page.form.element.setAttribute(name, value);
  return { page, attribution: () => arriving(page) };
}

/**
 * Without the Navigation API (Safari before 26.2) the address is read only when a form is connected and when it is
 * sent.
 */
const followsAtOnce = 'navigation' in globalThis ? it : it.skip;

const touched = (page: Page): unknown => Reflect.get(page.window, 'touched');

describe('stored attribution', () => {
  beforeEach(() => {
    localStorage.clear();
    sessionStorage.clear();
  });

  it('does not exist without consent: the storage is not even read', async () => {
    const { page, attribution } = await visit('?utm_source=fair');
    page.window.history.pushState(null, '', `${path}?utm_source=other`);
    await attribution();
    page.form.element.reset();
    expect(touched(page)).to.deep.equal([]);
    expect([localStorage.length, sessionStorage.length]).to.deep.equal([0, 0]);
  });

  it('is sent on the next page with consent', async () => {
    const landing = await visit('?utm_source=fair&utm_campaign=spring&ref=gBZbSVal1X');
    landing.page.form.element.grantConsent();
    await landing.page.form.settled();
    expect(localStorage.getItem(key)).to.contain('utm_source=fair');
    const unasked = await visit('');
    expect(await unasked.attribution()).to.deep.equal({});
    const asked = await visit('');
    asked.page.form.element.grantConsent();
    await asked.page.form.settled();
    expect(await asked.attribution()).to.deep.equal({
      utm_source: 'fair',
      utm_campaign: 'spring',
      referral_code: 'gBZbSVal1X',
    });
  });

  it('follows the event of a consent banner', async () => {
    const { page } = await visit('?utm_source=fair');
    page.window.document.dispatchEvent(new CustomEvent('newsletter-consent', { detail: true }));
    await page.form.settled();
    expect(localStorage.getItem(key)).to.contain('utm_source=fair');
    page.window.document.dispatchEvent(new CustomEvent('newsletter-consent', { detail: false }));
    await page.form.settled();
    expect(localStorage.length).to.equal(0);
  });

  followsAtOnce('includes a campaign of a later address on the same page', async () => {
    const { page } = await visit('');
    page.form.element.grantConsent();
    await page.form.settled();
    expect(localStorage.length).to.equal(0);
    page.window.history.pushState(null, '', `${path}?utm_source=mail`);
    await page.form.settled();
    expect(localStorage.getItem(key)).to.contain('utm_source=mail');
  });

  it('ends with the tab with storage="session"', async () => {
    const { page } = await visit('?utm_source=fair', { storage: 'session' });
    page.form.element.grantConsent();
    await page.form.settled();
    expect(sessionStorage.getItem(key)).to.contain('utm_source=fair');
    expect(localStorage.length).to.equal(0);
  });

  for (const storage of ['none', 'cookie']) {
    it(`does not exist with storage="${storage}"`, async () => {
      const { page } = await visit('?utm_source=fair', { storage });
      page.form.element.grantConsent();
      await page.form.settled();
      expect(touched(page)).to.deep.equal([]);
    });
  }

  it('is deleted when consent is revoked, and this page keeps its own visits', async () => {
    const { page, attribution } = await visit('?utm_source=fair');
    page.form.element.grantConsent();
    await page.form.settled();
    page.form.element.revokeConsent();
    await page.form.settled();
    expect(localStorage.length).to.equal(0);
    expect(await attribution()).to.deep.equal({ utm_source: 'fair' });
  });

  it('does not exist under Global Privacy Control, whatever a banner says', async () => {
    const { page, attribution } = await visit('?utm_source=fair#gpc');
    page.form.element.grantConsent();
    await page.form.settled();
    expect(touched(page)).not.to.include.members(['setItem']);
    expect(touched(page)).not.to.include.members(['getItem']);
    expect(localStorage.length).to.equal(0);
    expect(await attribution()).to.deep.equal({ utm_source: 'fair' });
  });

  it('is ignored if storage is full or disabled', async () => {
    const { page, attribution } = await visit('?utm_source=fair');
    Reflect.set(Reflect.get(Reflect.get(page.window, 'Storage'), 'prototype'), 'setItem', () => {
      throw new DOMException('full', 'QuotaExceededError');
    });
    page.form.element.grantConsent();
    await page.form.settled();
    expect(await attribution()).to.deep.equal({ utm_source: 'fair' });
  });

  it('is ignored if it is invalid', async () => {
    localStorage.setItem(key, 't:1?utm_source=old {"x":1} t:NaN?utm_source=odd');
    const { page, attribution } = await visit('');
    page.form.element.grantConsent();
    await page.form.settled();
    expect(await attribution()).to.deep.equal({});
  });
});

describe('a page that is loaded again', () => {
  it('has its campaign in the address, without storage', async () => {
    const frame = await openFrame(`${path}?utm_source=fair`);
    const loaded = new Promise((resolve) => frame.addEventListener('load', resolve, { once: true }));
    frame.contentWindow?.location.reload();
    await loaded;
    expect(await arriving(await pageIn(frame))).to.deep.equal({ utm_source: 'fair' });
  });
});

describe('a page that navigates without a load', () => {
  followsAtOnce('keeps the first campaign, or takes the last', async () => {
    for (const [rule, source] of [
      ['first', 'fair'],
      ['last', 'mail'],
    ] as const) {
      const { page, attribution } = await visit('?utm_source=fair', { attribution: rule });
      page.window.history.pushState(null, '', `${path}?utm_source=mail`);
      page.window.history.pushState(null, '', `${path}?page=2`);
      page.window.history.replaceState(null, '', `${path}?utm_source=fair`);
      expect(await attribution(), rule).to.deep.equal({ utm_source: source });
    }
  });

  followsAtOnce('finds a campaign it was not landed on with, even when it is gone again from the address', async () => {
    const { page, attribution } = await visit('');
    page.window.history.pushState(null, '', `${path}?utm_source=mail`);
    page.window.history.pushState(null, '', `${path}?page=2`);
    expect(await attribution()).to.deep.equal({ utm_source: 'mail' });
  });

  it('has its address read when the form is sent, in every browser', async () => {
    const { page, attribution } = await visit('');
    page.window.history.pushState(null, '', `${path}?utm_source=mail`);
    expect(await attribution()).to.deep.equal({ utm_source: 'mail' });
  });

  it('passes its visits to a form that is added later', async () => {
    const { page } = await visit('?utm_source=fair');
    page.window.history.pushState(null, '', path);
    const late = page.window.document.createElement('newsletter-signup');
    const mailbox = new Mailbox();
    late.endpoint = mailbox.endpoint;
    page.window.document.body.append(late);
    await late.updateComplete;
    const email = late.shadowRoot?.querySelector('input');
    if (email) email.value = 'ada@example.com';
    const done = new Promise((resolve) => late.addEventListener('newsletter-success', resolve));
    late.submit();
    await done;
    expect(await mailbox.body()).to.deep.equal({ email: 'ada@example.com', utm_source: 'fair' });
  });
});

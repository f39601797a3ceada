import { expect } from '@open-wc/testing';
import { readSubmission } from '@newsletter-kit/core/endpoint';
import { attributionFields, submissionLimit } from '@newsletter-kit/core/signup';
import { Mailbox, mountAt } from './harness.ts';
import { openFrame, openPage, pageIn } from './page.ts';

/** Opens a page with this query, submits the form, and returns the received values without the email address. */
async function arriving(
  query: string,
  attributes: Readonly<Record<string, string>> = {},
): Promise<Record<string, unknown>> {
  const page = await openPage(`/widget/test/pages/landing.html${query}`);
  for (const [name, value] of Object.entries(attributes)) page.form.element.setAttribute(name, value);
  await page.form.signUp();
  const [request] = await page.form.mailbox.received();
  expect(new TextEncoder().encode(request?.body).length).to.be.at.most(submissionLimit);
  const body = await page.form.mailbox.body();
  expect(readSubmission(body)).to.deep.include({ ok: true });
  const { email, ...attribution } = body;
  expect(email).to.equal('ada@example.com');
  return attribution;
}

describe('attribution', () => {
  it('comes from the address of the page', async () => {
    expect(
      await arriving('?utm_source=fair&utm_medium=qr-code&utm_campaign=spring+sale&ref=gBZbSVal1X&utm_channel=import'),
    ).to.deep.equal({
      utm_source: 'fair',
      utm_medium: 'qr-code',
      utm_campaign: 'spring sale',
      referral_code: 'gBZbSVal1X',
    });
  });

  it('is that of the attributes, for each field before that of the address', async () => {
    expect(
      await arriving('?utm_source=fair&utm_campaign=spring', {
        'utm-source': 'footer',
        'referring-site': 'Partner',
        'referral-code': 'own',
      }),
    ).to.deep.equal({ utm_source: 'footer', utm_campaign: 'spring', referring_site: 'Partner', referral_code: 'own' });
  });

  for (const name of attributionFields) {
    it(`has an attribute for ${name}`, async () => {
      const form = await mountAt(new Mailbox(), '', `${name.replace('_', '-')}="  Größe M  "`);
      await form.signUp();
      expect((await form.mailbox.body())[name]).to.equal('Größe M');
    });
  }

  it('names the source of an ad by its click id, which is not sent', async () => {
    expect(await arriving('?gclid=Cj0KC', { 'click-ids': '' })).to.deep.equal({
      utm_source: 'google',
      utm_medium: 'cpc',
    });
    expect(await arriving('?gclid=Cj0KC', { 'click-ids': 'false' })).to.deep.equal({});
  });

  it('takes nothing for a wrong word, and warns', async () => {
    const form = await mountAt(
      new Mailbox(),
      '<newsletter-field name="Click" from="gclid" hidden></newsletter-field>',
      'ref-is="codes" same-site="*.example.com https:// https://blog.example.com/"',
    );
    const warnings: string[] = [];
    form.element.addEventListener('newsletter-warning', ({ message }) => warnings.push(message));
    await form.signUp();
    expect(await form.mailbox.body()).to.deep.equal({ email: 'ada@example.com' });
    expect(warnings).to.deep.equal([
      'ref-is="codes" is not one of none, auto, code, source: takes "none".',
      'same-site="*.example.com" is no host, such as blog.example.com: it is left out.',
      'same-site="https://" is no host, such as blog.example.com: it is left out.',
    ]);
    expect(await arriving('?utm_source=fair', { attribution: 'frist' })).to.deep.equal({});
  });

  it('survives a click within the site, without consent and storage', async () => {
    const mailbox = new Mailbox();
    const frame = await openFrame('/widget/test/pages/landing.html?utm_source=fair&gclid=Cj0KC');
    const isLoaded = new Promise((resolve) => frame.addEventListener('load', resolve, { once: true }));
    const link = frame.contentDocument?.createElement('a');
    frame.contentDocument?.body.append(Object.assign(link ?? '', { href: '/widget/test/pages/landing.html' }));
    link?.click();
    await isLoaded;
    const page = await pageIn(frame, mailbox);
    page.form.element.insertAdjacentHTML(
      'beforeend',
      '<newsletter-field name="Click" from="gclid" hidden></newsletter-field>',
    );
    await page.form.settled();
    await page.form.signUp();
    expect(await mailbox.body()).to.deep.equal({
      email: 'ada@example.com',
      utm_source: 'fair',
      custom_fields: [{ name: 'Click', value: 'Cj0KC' }],
    });
  });

  it('fills the hidden fields of a form that take a parameter, unless they have a value', async () => {
    const mailbox = new Mailbox();
    const page = await openPage(
      '/widget/test/pages/landing.html?utm_source=meta&utm_id=7&utm_source_platform=ads',
      mailbox,
    );
    page.form.element.innerHTML = `<form action="${mailbox.endpoint}">
      <input name="email"> <button>Subscribe</button>
      <input type="hidden" name="custom_fields[Campaign ID]" data-kind="integer" data-from="utm_id">
      <input type="hidden" name="custom_fields[Platform]" data-from="utm_source_platform" value="shop">
    </form>`;
    await page.form.settled();
    await page.form.signUp();
    expect(await mailbox.body()).to.deep.equal({
      email: 'ada@example.com',
      utm_source: 'meta',
      custom_fields: [
        { name: 'Campaign ID', value: 7 },
        { name: 'Platform', value: 'shop' },
      ],
    });
  });

  it('is read when the script runs, and kept after a navigation of the page', async () => {
    const page = await openPage('/widget/test/pages/landing.html?utm_source=fair');
    page.window.history.pushState(null, '', '/widget/test/pages/second?utm_source=other');
    await page.form.signUp();
    expect(await page.form.mailbox.body()).to.deep.equal({ email: 'ada@example.com', utm_source: 'fair' });
  });

  it('is shortened if the request would be too large', async () => {
    const page = await openPage('/widget/test/pages/landing.html');
    for (const name of attributionFields.slice(0, 5))
      page.form.element.setAttribute(name.replace('_', '-'), '🎉'.repeat(500));
    page.form.element.insertAdjacentHTML(
      'beforeend',
      '<newsletter-field name="A"></newsletter-field><newsletter-field name="B"></newsletter-field>',
    );
    await page.form.settled();
    for (const label of ['First name', 'A', 'B']) page.form.labelled(label).value = 'ä'.repeat(500);
    await page.form.signUp();
    const body = await page.form.mailbox.body();
    expect(body['custom_fields']).to.deep.equal(
      ['First name', 'A', 'B'].map((name) => ({ name, value: 'ä'.repeat(500) })),
    );
    expect(body['utm_source']).to.match(/^(?:🎉){100,}$/u);
    const [request] = await page.form.mailbox.received();
    expect(new TextEncoder().encode(request?.body).length).to.be.at.most(submissionLimit);
  });

  it('is not stored, neither in a cookie nor in storage', async () => {
    const page = await openPage('/widget/test/pages/landing.html?utm_source=fair');
    await page.form.signUp();
    expect(page.window.document.cookie).to.equal('');
    expect([page.window.localStorage.length, page.window.sessionStorage.length]).to.deep.equal([0, 0]);
  });
});

/** What the tag sends for the audit of a signup: its page, the rule and both touches. */
import { expect } from '@open-wc/testing';
import { readSubmission } from '@newsletter-kit/core/endpoint';
import { submissionLimit, type SignupAudit } from '@newsletter-kit/core/signup';
import { composeBody } from '../src/submission.ts';
import { openPage } from './page.ts';

const path = '/widget/test/pages/landing.html';
const page = location.origin + path;

/** Opens a page with this query, which then has these addresses, and signs up. */
async function auditAfter(
  query: string,
  later: readonly string[] = [],
  attributes: Readonly<Record<string, string>> = {},
): Promise<SignupAudit> {
  const { form, window } = await openPage(path + query);
  for (const [name, value] of Object.entries(attributes)) form.element.setAttribute(name, value);
  for (const address of later) window.history.pushState(null, '', address);
  await form.signUp();
  const [audit] = await form.mailbox.audits();
  const [request] = await form.mailbox.received();
  expect(new TextEncoder().encode(request?.body).length).to.be.at.most(submissionLimit);
  const read = readSubmission(JSON.parse(request?.body ?? ''));
  // The endpoint keeps exactly what the tag sends.
  expect(read.ok && read.submission.audit).to.deep.equal(audit);
  return audit ?? {};
}

describe('the audit of a signup', () => {
  it('has the page without query and fragment', async () => {
    expect(await auditAfter('#email=ada@example.com')).to.deep.equal({ page });
  });

  it('has the page that the form is sent on, without addresses in its path', async () => {
    const later = ['/letters/ada@example.com', '/unsubscribe/ada%40example.com?from=ada@example.com'];
    expect(await auditAfter('', later)).to.deep.equal({ page: `${location.origin}/unsubscribe` });
  });

  for (const [query, attributes, rule] of [
    ['?utm_source=fair', {}, 'utm'],
    ['?ref=blog', {}, 'ref'],
    ['?invite=abc', { 'referral-param': 'invite' }, 'referral_code'],
    ['', { 'utm-source': 'footer' }, 'tag'],
  ] as const)
    it(`names the rule ${rule}`, async () => {
      expect(await auditAfter(query, [], attributes)).to.deep.equal({ page, touch_rule: rule });
    });

  for (const touch of ['first', 'last'] as const)
    it(`has both touches, of which the ${touch} was chosen`, async () => {
      const later = [`${path}?utm_source=mail&utm_campaign=spring`, `${path}?utm_source=blog`];
      const {
        first_touch: first,
        last_touch: last,
        ...rest
      } = await auditAfter('?utm_source=fair', later, {
        attribution: touch,
      });
      expect(rest).to.deep.equal({ page, touch_rule: 'utm', touch });
      for (const [known, source] of [
        [first, 'fair'],
        [last, 'blog'],
      ] as const) {
        const { at = '', ...others } = known ?? {};
        expect(others).to.deep.equal({ rule: 'utm', utm_source: source });
        expect(Date.now() - Date.parse(at)).to.be.within(0, 600_000);
      }
    });

  it('leaves room for the values: the touches are left out first, then the page', () => {
    const touch = { at: '2026-01-05T00:00:00.000Z', rule: 'utm', utm_source: 'x'.repeat(200) };
    const audit = { page, touch_rule: 'utm', touch: 'first', first_touch: touch, last_touch: touch } as const;
    const sentWith = (length: number): unknown => {
      const body = composeBody({ email: 'ada@example.com', consent: 'x'.repeat(length) }, {}, audit) ?? '{}';
      expect(body.length).to.be.at.most(submissionLimit);
      return JSON.parse(body).audit;
    };
    expect(sentWith(7000)).to.deep.equal(audit);
    expect(sentWith(7900)).to.deep.equal({ page, touch_rule: 'utm' });
    expect(sentWith(8130)).to.equal(undefined);
  });
});

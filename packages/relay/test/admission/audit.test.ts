/** The audit of a signup: what the relay keeps of its page and its touches, and that nobody else gets it. */
import { join } from 'node:path';
import { expect, describe, it, onTestFinished } from 'vitest';
import type { SignupAudit } from '@newsletter-kit/core/signup';
import { scratchFolder } from '../../../../test/support/scratch-folder.ts';
import { signupFacts } from '../../src/ops/audit-facts.ts';
import { openSqliteStore } from '../../src/store/sqlite/open-database.ts';
import { importLines } from '../../src/store/transfer.ts';
import { formPost, post, runRelay, site } from '../running-relay.ts';
import { sandboxApi } from '../sandbox-api.ts';
import { linesOf } from '../store/transfer-conformance.ts';
import { waitUntil } from '../../../../test/support/waits.ts';

const email = 'ada@example.com';
const page = `${site}/letters/join`;
const audit = {
  page,
  touch_rule: 'utm',
  touch: 'first',
  first_touch: { at: '2026-01-05T00:00:00.000Z', rule: 'utm', utm_source: 'fair', utm_campaign: 'spring' },
  last_touch: { at: '2026-01-07T00:00:00.000Z', rule: 'ref', utm_source: 'blog' },
} satisfies SignupAudit;
const signup = { email, utm_source: 'fair', utm_campaign: 'spring', audit };

/** The audit that the relay keeps after a post. */
async function keptOf(request: Request): Promise<SignupAudit | undefined> {
  const { fetch, store } = runRelay();
  expect((await fetch(request)).status).toBeLessThan(400);
  return (await store.person(email)).signups[0]?.submission?.audit;
}

describe('the relay keeps', () => {
  it.each<[string, Request, SignupAudit | undefined]>([
    ['the page, the rule and both touches of a tag', post(signup), audit],
    ['the page that the tag tells, not the referrer', post(signup, { referer: `${site}/` }), audit],
    ['no page of another site', post({ email, audit: { page: 'https://other.example/' } }), undefined],
    ['the signup without an audit that is wrong', post({ email, audit: 'x'.repeat(3000) }), undefined],
    [
      'the page of a form post, by its referrer',
      formPost({ email }, { referer: `${page}?email=${email}#form` }),
      { page },
    ],
    [
      'the origin alone, if the policy of the page cuts it',
      formPost({ email }, { referer: `${site}/` }),
      { page: site },
    ],
    ['no page without a referrer', formPost({ email }), undefined],
    ['no page of a form post with a field of this name', formPost({ email, audit: 'x', page: 'y' }), undefined],
    [
      'no address in a path',
      formPost({ email }, { referer: `${site}/unsubscribe/bob%40example.com` }),
      { page: `${site}/unsubscribe` },
    ],
  ])('%s', async (_case, request, kept) => {
    expect(await keptOf(request)).toEqual(kept);
  });

  it('the page that the tag tells in the consent ledger', async () => {
    const { fetch, store } = runRelay();
    await fetch(post({ ...signup, consent: 'I agree.' }, { referer: `${site}/` }));
    expect((await store.person(email)).consents).toMatchObject([{ page }]);
  });
});

it('a repetition from another page, with other touches, is the same signup', async () => {
  const { fetch, store } = runRelay();
  for (const each of [audit, { page: `${site}/other` }, undefined]) await fetch(post({ ...signup, audit: each }));
  expect(await store.claim({ forms: ['default'], limit: 9, now: Date.now() })).toHaveLength(1);
  expect(await store.claim({ forms: ['default'], limit: 9, now: Date.now() + 60_000 })).toHaveLength(0);
});

it('the API gets the chosen attribution, and nothing of the audit', async () => {
  const api = sandboxApi();
  const relay = runRelay({ api: api.fetch });
  relay.start();
  await relay.fetch(post(signup));
  await waitUntil('the API has the signup', () => api.received.length > 0);
  expect(api.received).toEqual([{ email, utm_source: 'fair', utm_campaign: 'spring' }]);
});

it('an export has the audit, an import takes it, and erasure removes it', async () => {
  const { fetch, store } = runRelay();
  await fetch(post(signup));
  const lines = await linesOf(store);
  const other = openSqliteStore(join(scratchFolder(), 'relay.db'));
  onTestFinished(() => other.close());
  await importLines(other, lines);
  expect((await other.person(email)).signups[0]?.submission).toEqual(signup);
  await other.erase(email);
  expect((await linesOf(other)).join('')).not.toMatch(/letters|fair|blog/);
});

it('the command line and the page of the operator have it in words', async () => {
  const { store, fetch } = runRelay();
  await fetch(post({ email, audit }));
  const [signup] = (await store.person(email)).signups;
  if (!signup) throw new Error('It is stored.');
  expect(signupFacts(signup).slice(-6)).toEqual([
    ['email', email],
    ['page', page],
    ['touch_rule', 'utm'],
    ['touch', 'first'],
    ['first_touch', 'at 2026-01-05T00:00:00.000Z, rule utm, utm_source fair, utm_campaign spring'],
    ['last_touch', 'at 2026-01-07T00:00:00.000Z, rule ref, utm_source blog'],
  ]);
});

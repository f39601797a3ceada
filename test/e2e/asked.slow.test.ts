/**
 * A relay that wants more before it takes a signup, and the tag that gives it: a person notices nothing but a moment's
 * wait.
 */
import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from 'vitest';
import { openChain, type Chain } from './chain.ts';
import { arrivalOf, notice, openBrowser, subscribe, visit, type BrowserSession } from './visitor.ts';

let session: BrowserSession;
beforeAll(async () => {
  session = await openBrowser();
});
afterEach(() => session.closePages());
afterAll(() => session?.close());

describe.each([
  ['a token two seconds old', { RELAY_FORM_TOKEN: 'true' }, 1],
  ['a proof of work', { RELAY_PROOF: 'always', RELAY_PROOF_EFFORT: '100' }, 1],
  ['both', { RELAY_FORM_TOKEN: 'true', RELAY_PROOF: 'always', RELAY_PROOF_EFFORT: '100' }, 1],
] as const)('where the relay asks for %s', (_, settings, refusals) => {
  let chain: Chain;
  beforeAll(async () => {
    for (const [name, value] of Object.entries(settings)) vi.stubEnv(name, value);
    chain = await openChain();
    vi.unstubAllEnvs();
  });
  afterAll(() => chain?.close());

  it('the signup arrives once, after as many refusals as there were questions', async () => {
    const { page } = await visit(session.browser, chain.demoUrl);
    const answers: number[] = [];
    page.on('response', (response) => {
      if (response.request().method() === 'POST' && response.url().endsWith('/signup')) answers.push(response.status());
    });
    await subscribe(page, { email: 'patient@example.com', topics: ['boats'] });
    expect(await notice(page, 'success')).toContain('Thank you');
    expect((await arrivalOf(page, 'patient@example.com')).facts).toMatchObject({ Topics: 'boats' });
    expect(answers).toEqual([...Array<number>(refusals).fill(403), 202]);
    expect((await chain.api.subscriptions.list({ email: 'patient@example.com' })).items).toHaveLength(1);
  });

  it('a program that posts without asking back is not taken', async () => {
    const answer = await fetch(`${chain.relayUrl}/signup`, {
      method: 'POST',
      headers: { origin: chain.demoUrl, 'content-type': 'application/json' },
      body: JSON.stringify({ email: 'robot@example.com' }),
    });
    expect(answer.status).toBe(403);
    expect(await answer.json()).toMatchObject({ ask: expect.any(Object) as unknown });
    expect((await chain.api.subscriptions.list({ email: 'robot@example.com' })).items).toHaveLength(0);
  });
});

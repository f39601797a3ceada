/**
 * A relay that requires a form token or a proof of work before it accepts a signup. The tag answers the challenge; a
 * visitor notices only a short wait.
 */
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { startServers, type Servers } from './start-servers.ts';
import { useBrowser } from './use-browser.ts';
import { arrivalOf, notice, subscribe, visit } from './visitor.ts';

const session = useBrowser();

describe.each([
  ['a form token that is two seconds old', { RELAY_FORM_TOKEN: 'true' }, 1],
  ['a proof of work', { RELAY_PROOF: 'always', RELAY_PAGE: 'false' }, 1],
  ['both', { RELAY_FORM_TOKEN: 'true', RELAY_PROOF: 'always', RELAY_PAGE: 'false' }, 1],
] as const)('a relay that requires %s', (_, settings, refusals) => {
  let servers: Servers;
  beforeAll(async () => {
    for (const [name, value] of Object.entries(settings)) vi.stubEnv(name, value);
    servers = await startServers();
    vi.unstubAllEnvs();
  });
  afterAll(() => servers?.close());

  it('accepts the signup of the tag after one refusal', async () => {
    const { page } = await visit(session.browser, servers.demoUrl);
    const answers: number[] = [];
    page.on('response', (response) => {
      if (response.request().method() === 'POST' && response.url().endsWith('/signup')) answers.push(response.status());
    });
    await subscribe(page, { email: 'patient@example.com', topics: ['boats'] });
    expect(await notice(page, 'success')).toContain('Thank you');
    expect((await arrivalOf(page, 'patient@example.com')).facts).toMatchObject({ Topics: 'boats' });
    expect(answers).toEqual([...Array<number>(refusals).fill(403), 202]);
    expect((await servers.api.subscriptions.list({ email: 'patient@example.com' })).items).toHaveLength(1);
  });

  it('refuses a post that does not answer the challenge', async () => {
    const answer = await fetch(`${servers.relayUrl}/signup`, {
      method: 'POST',
      headers: { origin: servers.demoUrl, 'content-type': 'application/json' },
      body: JSON.stringify({ email: 'robot@example.com' }),
    });
    expect(answer.status).toBe(403);
    expect(await answer.json()).toMatchObject({ ask: expect.any(Object) as unknown });
    expect((await servers.api.subscriptions.list({ email: 'robot@example.com' })).items).toHaveLength(0);
  });
});

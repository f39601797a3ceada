/** The Worker in workerd: a signup to the sandbox that stays in its Durable Object, and wrong settings. */
import { describe, expect, it } from 'vitest';
import { waitUntil } from '../../../../test/support/waits.ts';
import { site } from '../running-relay.ts';
import { api, start } from './running-worker.ts';

describe('the Worker', () => {
  it('delivers a signup that it has accepted, and keeps it', async () => {
    const { sandbox, settings } = await api();
    const worker = await start(settings);
    const answer = await worker.signUp('ada@example.com');
    expect([answer.status, await answer.json()]).toEqual([202, { status: 'accepted' }]);
    expect(answer.headers.get('access-control-allow-origin')).toBe(site);
    await waitUntil('it is delivered', () => sandbox.received.some(({ email }) => email === 'ada@example.com'));
    await waitUntil('this is written down', async () =>
      (await (await worker.get('/metrics')).text()).includes('newsletter_relay_queue{state="delivered"} 1'),
    );
    expect(worker.logged.join('\n')).not.toContain('ada@example.com');
    expect(await (await worker.get('/operator/api/signups')).json()).toMatchObject({
      signups: [{ state: 'delivered', address: 'a•••@example.com', page: site }],
    });
    expect(await (await worker.get('/operator/api/signups?whole=true')).json()).toMatchObject({
      signups: [{ state: 'delivered', submission: { email: 'ada@example.com' } }],
    });
    expect(worker.logged.some((line) => line.includes('an operator read personal data'))).toBe(true);
  });

  it('counts in its metrics what it has refused without its object', async () => {
    const worker = await start();
    const refusals = async () =>
      (await (await worker.get('/metrics')).text())
        .split('\n')
        .filter((line) => /^newsletter_relay_refusals_total.* [1-9]/.test(line));
    for (const email of ['ada', 'bob', 'eve@']) expect((await worker.signUp(email)).status).toBe(400);
    const posted = { headers: { origin: 'https://other.example', 'newsletter-relay-refused': '[["{}",9]]' } };
    expect((await fetch(`${worker.url}/signup`, { method: 'POST', ...posted })).status).toBe(403);
    const expected = [
      'newsletter_relay_refusals_total{form="default",status="400",code="EMAIL_INVALID"} 3',
      'newsletter_relay_refusals_total{form="default",status="403",code="ORIGIN_NOT_ALLOWED"} 1',
    ];
    expect(await refusals()).toEqual(expected);
    expect(await refusals()).toEqual(expected);
  });

  it('says what is wrong with its settings, and answers signups with 503', async () => {
    const worker = await start({ NEWSLETTER_API_KEY: '', RELAY_STORE: 'sqlite:./relay.db', RELAY_SECRET_FILE: '/x' });
    expect((await worker.signUp('ada@example.com')).status).toBe(503);
    const answer = await worker.get('/readyz');
    expect(answer.status).toBe(503);
    const { reason } = (await answer.json()) as { readonly reason: string };
    expect(reason).toContain('NEWSLETTER_API_KEY is missing');
    expect(reason).toContain('RELAY_STORE does not exist on a Worker');
    expect(reason).toContain('RELAY_SECRET_FILE names a file, which a Worker has not: set RELAY_SECRET as a secret');
    await waitUntil('it is logged', () => worker.logged.some((line) => line.includes('NEWSLETTER_API_KEY is missing')));
    expect((await worker.get('/livez')).status).toBe(200);
  });
});

/** The Worker in workerd: a signup to the sandbox, and wrong settings. */
import { describe, expect, it } from 'vitest';
import { eventually } from '../eventually.ts';
import { site } from '../running-relay.ts';
import { api, start } from './running-worker.ts';

describe('the Worker', () => {
  it('delivers a signup that it has accepted', async () => {
    const { sandbox, settings } = await api();
    const worker = await start(settings);
    const answer = await worker.signUp('ada@example.com');
    expect([answer.status, await answer.json()]).toEqual([202, { status: 'accepted' }]);
    expect(answer.headers.get('access-control-allow-origin')).toBe(site);
    await eventually('it is delivered', () => sandbox.received.some(({ email }) => email === 'ada@example.com'));
    await eventually('this is written down', async () =>
      (await (await worker.get('/metrics')).text()).includes('newsletter_relay_queue{state="delivered"} 1'),
    );
    expect(worker.logged.join('\n')).not.toContain('ada@example.com');
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
    await eventually('it is logged', () =>
      worker.logged.some((line) => line.includes('NEWSLETTER_API_KEY is missing')),
    );
    expect((await worker.get('/livez')).status).toBe(200);
  });

  it('reads RELAY_CONFIG as JSON, and names the wrong settings in it', async () => {
    const reasonOf = async (text: string): Promise<string> => {
      const worker = await start({ RELAY_CONFIG: text });
      const { reason } = (await (await worker.get('/readyz')).json()) as { readonly reason: string };
      await worker.stop();
      return reason;
    };
    const yaml = await reasonOf('forms:\n  shop:\n    api_key: quite-secret\n');
    expect(yaml).toContain('RELAY_CONFIG is not valid JSON, which it must be on a Worker.');
    expect(yaml).not.toContain('quite-secret');
    const wrong = await reasonOf(
      JSON.stringify({ log_levl: 'info', forms: { shop: { tier: {} }, Club: null, jobs: 3 } }),
    );
    expect(wrong).toContain('RELAY_CONFIG: there is no setting "log_levl" (is "log_level" meant?).');
    expect(wrong).toContain('RELAY_CONFIG: "forms.shop.tier" must be a text, a number');
    expect(wrong).toContain('RELAY_CONFIG: the name of a form is part of its URL');
    expect(wrong).toContain('RELAY_CONFIG: the form "jobs" must contain settings.');
  });
});

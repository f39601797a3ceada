/** The Worker in workerd: a signup to the sandbox that stays in its Durable Object, and wrong settings. */
import { cpSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { scratchFolder } from '../../../../test/support/scratch-folder.ts';
import { waitUntil } from '../../../../test/support/waits.ts';
import { buildForm, partsIn } from '../built-form.ts';
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

  it('has the files of the form as static assets, with the headers of the relay and the parts of earlier versions', async () => {
    const assets = scratchFolder();
    for (const version of ['1', '2']) cpSync(buildForm(version), assets, { recursive: true });
    const { url } = await start({}, undefined, { assets });
    const get = async (path: string, headers = {}): Promise<[Response, string]> => {
      const answer = await fetch(url + path, { headers });
      return [answer, await answer.text()];
    };
    const [script, text] = await get('/signup-form.js');
    const open = { 'access-control-allow-origin': '*', 'cross-origin-resource-policy': 'cross-origin' };
    const type = 'text/javascript; charset=utf-8';
    expect([script.status, text]).toEqual([200, expect.stringContaining('//2')]);
    expect(Object.fromEntries(script.headers)).toMatchObject({
      ...open,
      'content-type': type,
      'cache-control': 'public, max-age=3600',
      'x-content-type-options': 'nosniff',
    });
    const unchanged = await get('/signup-form.js', { 'if-none-match': script.headers.get('etag') });
    expect([unchanged[0].status, unchanged[1]]).toEqual([304, '']);
    for (const version of readdirSync(join(assets, 'parts'))) {
      const [part, content] = await get(`/parts/${version}/dialog.js`);
      expect(content).toBe(partsIn(text)[0]?.includes(version) ? 'dialog 2' : 'dialog 1');
      expect(Object.fromEntries(part.headers)).toMatchObject({
        ...open,
        'content-type': type,
        'cache-control': 'public, max-age=31536000, immutable',
      });
    }
    for (const path of ['/languages/xx.js', '/_headers', '/languages/..%2f..%2findex.js'])
      expect((await get(path))[0].status).toBe(404);
    expect((await get('/thanks'))[0].status).toBe(200);
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

/** `newsletter-relay webhooks`: the list, resuming, redriving, a test webhook, and new secrets. */
import { join } from 'node:path';
import { Webhook } from 'standardwebhooks';
import { expect, it } from 'vitest';
import { scratchFolder } from '../../../../test/support/scratch-folder.ts';
import { openSqliteStore } from '../../src/store/sqlite/open-database.ts';
import { run, serve } from '../commands/relay-process.ts';
import { waitUntil } from '../../../../test/support/waits.ts';
import { onPort, sandboxApi } from '../sandbox-api.ts';
import { secret, startReceiver, webhookSettings } from './receiver.ts';

it('secret prints a new secret, whose bytes are text', async () => {
  const [one, two] = await Promise.all([run(['webhooks', 'secret']), run(['webhooks', 'secret'])]);
  expect(one.stdout).toMatch(/^whsec_[A-Za-z0-9+/]{43}=\n$/);
  expect(Buffer.from(one.stdout.trim().slice(6), 'base64').toString()).toMatch(/^[\w-]{32}$/);
  expect(one.stdout).not.toBe(two.stdout);
  expect(new Webhook(one.stdout.trim()).sign('1', new Date(), '{}')).toMatch(/^v1,/);
});

it('test sends a signed sample, and says why it was not accepted', async () => {
  const receiver = await startReceiver();
  const { RELAY_WEBHOOK_URL: url = '', ...settings } = webhookSettings(receiver);
  // The URL need not be configured yet.
  const accepted = await run(['webhooks', 'test', url], settings);
  expect([accepted.code, accepted.stdout]).toEqual([
    0,
    expect.stringMatching(/^The receiver accepted the test webhook/),
  ]);
  expect(receiver.received).toMatchObject([{ type: 'webhook.test', data: { email: 'test@example.com' } }]);
  const wrong = await run(['webhooks', 'test', url], {
    ...settings,
    RELAY_WEBHOOK_SECRET: `whsec_${Buffer.alloc(32, 9).toString('base64')}`,
  });
  expect([wrong.code, wrong.stderr]).toEqual([1, expect.stringContaining('answered 401: see that it has the secret')]);
  const refused = await run(['webhooks', 'test', url.replace('http:', 'https:')], { RELAY_WEBHOOK_SECRET: secret });
  expect([refused.code, refused.stderr]).toEqual([1, expect.stringContaining('leads into a private network')]);
  const gone = await run(['webhooks', 'test', 'http://127.0.0.1:9/'], settings);
  expect([gone.code, gone.stderr]).toEqual([1, expect.stringContaining('cannot be reached (ECONNREFUSED)')]);
  for (const { stderr } of [wrong, refused, gone]) expect(stderr).not.toContain('secret-path');
});

it('needs a target where an action has one', async () => {
  for (const action of ['resume', 'redrive', 'test']) {
    const { code, stderr } = await run(['webhooks', action]);
    expect([code, stderr]).toEqual([2, expect.stringMatching(/Name the (name of the destination|URL to test)/)]);
  }
  expect((await run(['webhooks', 'rezume', 'crm'])).code).toBe(2);
});

it.each(['a running relay', 'the store itself'])('lists, resumes and redrives through %s', async (way) => {
  const receiver = await startReceiver();
  receiver.instead = () => Promise.resolve(new Response(null, { status: 410 }));
  const folder = scratchFolder();
  const api = sandboxApi();
  const settings = { NEWSLETTER_API_URL: `${await onPort(api.fetch)}/v2`, ...webhookSettings(receiver) };
  const relay = await serve(folder, settings);
  expect((await relay.signUp('ada@example.com')).status).toBe(202);
  await waitUntil('the destination is held', () => relay.output().includes('webhooks are held'));
  if (way === 'the store itself') {
    relay.child.kill('SIGTERM');
    await relay.ended;
  }
  let { port } = new URL(relay.address);
  const command = (...args: string[]) => run(args, { RELAY_STORE: `sqlite:${folder}/relay.db`, RELAY_PORT: port });
  const line = /default: 1 waiting, the oldest since \S+Z, 0 dead\. Held: The receiver answered 410/;
  expect((await command('webhooks')).stdout).toMatch(line);
  expect((await command('status')).stdout).toMatch(line);
  expect(JSON.parse((await command('webhooks', 'list', '--json')).stdout)).toMatchObject([
    { destination: 'default', waiting: 1, dead: 0 },
  ]);
  const unknown = await command('webhooks', 'resume', 'crm');
  expect([unknown.code, unknown.stderr]).toEqual([
    1,
    expect.stringContaining('There is no destination "crm": known are default.'),
  ]);
  expect((await command('webhooks', 'redrive', 'default')).stdout).toBe('0 queued again.\n');
  receiver.instead = null;
  expect((await command('webhooks', 'resume', 'default')).stdout).toBe('What waits for "default" is due now.\n');
  if (way === 'the store itself') {
    const held = openSqliteStore(join(folder, 'relay.db'));
    expect(await held.webhooks.overview()).toMatchObject([{ held: null, waiting: 1 }]);
    await held.close();
    ({ port } = new URL((await serve(folder, settings)).address));
  }
  await waitUntil(
    'it is accepted',
    async () =>
      receiver.received.some(({ type, id }) => type === 'signup.delivered' && receiver.received[0]?.id === id) &&
      (await command('webhooks')).stdout.startsWith('default: 0 waiting'),
  );
});

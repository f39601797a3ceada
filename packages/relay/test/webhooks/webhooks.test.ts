/** Webhooks of a running relay: what is reported, and destinations side by side. */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { scratchFolder } from '../../../../test/support/scratch-folder.ts';
import { waitUntil } from '../../../../test/support/waits.ts';
import { post, publicationId, runRelay } from '../running-relay.ts';
import { sandboxApi } from '../sandbox-api.ts';
import { type Receiver, secret, startReceiver, webhookSettings } from './receiver.ts';

const otherSecret = `whsec_${Buffer.from('another secret of 33 characters..').toString('base64')}`;

/** Starts a relay that delivers signups of these names. */
async function deliver(settings: Readonly<Record<string, string>>, ...names: readonly string[]) {
  const { fetch } = sandboxApi({ seed: 'demo', profile: 'unlimited' });
  const relay = runRelay({ api: fetch, settings });
  relay.start();
  for (const name of names) {
    const answer = await relay.fetch(post({ email: `${name}@example.com`, utm_source: 'spring' }));
    expect(answer.status).toBe(202);
  }
  return relay;
}

function twoDestinations(one: Receiver, two: Receiver): Readonly<Record<string, string>> {
  const file = join(scratchFolder(), 'relay.yaml');
  writeFileSync(
    file,
    `webhooks:
  crm: { url: '${one.url}', secret: '${secret}' }
  sheet: { url: '${two.url}', events: [signup.delivered], secret: ['${otherSecret}', '${secret}'] }
webhook_private_network: true
`,
  );
  return { RELAY_CONFIG: file };
}

it('reports a delivered signup, signed', async () => {
  const receiver = await startReceiver();
  const { store, logged } = await deliver(webhookSettings(receiver), 'ada');
  await waitUntil('the webhook is received', () => receiver.received.length === 1);
  const [signup] = (await store.person('ada@example.com')).signups;
  expect(receiver.received).toEqual([
    {
      id: expect.stringMatching(/^[0-9a-f]{32}$/) as string,
      type: 'signup.delivered',
      timestamp: new Date(signup?.settledAt ?? 0).toISOString(),
      data: {
        signup: signup?.id,
        form: 'default',
        publication_id: publicationId,
        email: 'ada@example.com',
        received_at: new Date(signup?.receivedAt ?? 0).toISOString(),
        status: 'validating',
        utm_source: 'spring',
      },
    },
  ]);
  // The path of a URL often is a secret of the receiver.
  expect(logged.join('')).not.toMatch(/secret-path|ada@|whsec_/);
});

it('has destinations that do not wait for one that never answers', async () => {
  const [one, two] = [await startReceiver(), await startReceiver()];
  const hanging = Promise.withResolvers<Response>();
  one.instead = () => hanging.promise;
  await deliver(twoDestinations(one, two), ...Array.from({ length: 12 }, (_, i) => `p${i}`));
  await waitUntil('the other one has all', () => two.received.length === 12);
  expect(one.received).toHaveLength(4);
  hanging.resolve(new Response(null, { status: 200 }));
});

it('has destinations with secrets of their own, of which two are valid at a time', async () => {
  const [one, two] = [await startReceiver(), await startReceiver(otherSecret)];
  await deliver(twoDestinations(one, two), 'ada');
  await waitUntil('both have it', () => one.received.length + two.received.length === 2);
  expect([one.invalid, two.invalid]).toEqual([0, 0]);
});

import { expect, test } from 'vitest';
import { publicationId, type Sandbox, type Seed } from '../../src/index.ts';
import { create, errorsOf, fresh, list, send, subscriptionsPath } from '../caller.ts';
import { control } from '../control/control.ts';

const seed: Seed = { publications: [{ id: publicationId, name: 'The Log' }] };

interface Message {
  readonly id: string;
  readonly kind: string;
  readonly subject: string;
  readonly to: string;
}
const messages = async (sandbox: Sandbox) =>
  ((await control(sandbox, 'GET', '/inbox')).body as { data: readonly Message[] }).data.toReversed();
const click = (sandbox: Sandbox, { id }: Message, link: string) => control(sandbox, 'POST', `/inbox/${id}/${link}`);
const statusOf = async (sandbox: Sandbox, email = 'ada@example.com') =>
  (await list(sandbox, { email })).data[0]?.status;

/** A subscriber who got both kinds of e-mail and is active. */
async function welcomed() {
  const sandbox = fresh({ seed });
  await create(sandbox, { email: 'ada@example.com', double_opt_override: 'on', send_welcome_email: true });
  sandbox.clock.advance(1000);
  sandbox.settle();
  const [confirmation] = await messages(sandbox);
  await click(sandbox, confirmation!, 'confirm');
  const [, welcome] = await messages(sandbox);
  return { sandbox, confirmation: confirmation!, welcome: welcome! };
}

test('confirmation and welcome name the publication', async () => {
  const { confirmation, welcome } = await welcomed();
  expect([confirmation, welcome]).toMatchObject([
    { kind: 'confirmation', subject: 'Please confirm your subscription to The Log', to: 'ada@example.com' },
    { kind: 'welcome', subject: 'Welcome to The Log', to: 'ada@example.com' },
  ]);
});

test('a link that was used already answers with the same status', async () => {
  const { sandbox, confirmation, welcome } = await welcomed();
  expect(await click(sandbox, confirmation, 'confirm')).toMatchObject({
    status: 200,
    body: { data: { status: 'active' } },
  });
  expect(await click(sandbox, welcome, 'unsubscribe')).toMatchObject({
    status: 200,
    body: { data: { status: 'inactive' } },
  });
  expect(await click(sandbox, welcome, 'unsubscribe')).toMatchObject({
    status: 200,
    body: { data: { status: 'inactive' } },
  });
  expect(errorsOf(await click(sandbox, confirmation, 'confirm'))).toEqual([
    { message: 'This link is no longer valid: the status of the subscription has changed since.', code: 'LINK_GONE' },
  ]);
  expect(await statusOf(sandbox)).toBe('inactive');
});

test('only a confirmation has a link to confirm', async () => {
  const { sandbox, welcome } = await welcomed();
  expect((await click(sandbox, welcome, 'confirm')).status).toBe(409);
  expect((await control(sandbox, 'GET', `/inbox/${welcome.id}`)).body).toMatchObject({
    data: { links: { unsubscribe: expect.stringMatching(/unsubscribe$/) } },
  });
  expect((await click(sandbox, welcome, 'toString')).status).toBe(404);
});

test('the links of an e-mail end when the address is redacted', async () => {
  const { sandbox, welcome } = await welcomed();
  await send(sandbox, 'POST', `/publications/${publicationId}/data_privacy/deletion_requests`, {
    email: 'ada@example.com',
  });
  sandbox.clock.advance('P15D');
  sandbox.settle();
  expect(await messages(sandbox)).toEqual([]);
  expect((await click(sandbox, welcome, 'unsubscribe')).status).toBe(404);
});

test('following a link publishes one change', async () => {
  const { sandbox, welcome } = await welcomed();
  const events: string[] = [];
  sandbox.subscribe((event) => {
    if (event.type === 'subscription') events.push(event.change);
  });
  await click(sandbox, welcome, 'unsubscribe');
  await click(sandbox, welcome, 'unsubscribe');
  expect(events).toEqual(['updated']);
});

test('a welcome that was requested before a confirmation waits for it, and is sent once', async () => {
  const sandbox = fresh({ seed });
  const { data } = await create(sandbox, {
    email: 'ada@example.com',
    double_opt_override: 'on',
    send_welcome_email: true,
  });
  sandbox.clock.advance(1000);
  sandbox.settle();
  expect((await messages(sandbox)).map(({ kind }) => kind)).toEqual(['confirmation']);
  const setStatus = async (new_status: string) => {
    await send(sandbox, 'PATCH', subscriptionsPath, { subscription_ids: [data.id], new_status });
    sandbox.clock.advance(2000);
    sandbox.settle();
  };
  await setStatus('inactive');
  await setStatus('active');
  await setStatus('inactive');
  await setStatus('active');
  expect((await messages(sandbox)).map(({ kind }) => kind)).toEqual(['confirmation', 'welcome']);
});

import { expect, test } from 'vitest';
import { publicationId, type Sandbox, type Seed } from '../../src/index.ts';
import { ask, create, fresh, list, publicationPath, send, subscriptionsPath } from '../caller.ts';

const accessPath = `${publicationPath}/complimentary_access`;
const seedOf = (
  ...gifts: readonly (readonly ['days' | 'months' | 'years' | 'forever', number | null, string?])[]
): Seed => ({
  publications: [
    {
      id: publicationId,
      name: 'P',
      tiers: [{ name: 'Gold' }, { name: 'Silver' }],
      complimentary_access: gifts.map(([time_unit, duration, tier = 'Gold'], index) => ({
        tier,
        duration,
        time_unit,
        description: `Gift ${index}`,
      })),
    },
  ],
});
const gifts = async (sandbox: Sandbox) =>
  (await ask(sandbox, 'complimentaryAccess.list', `${accessPath}?expand[]=stats`)).data;
const tiers = async (sandbox: Sandbox) => {
  const [one] = (await list(sandbox)).data;
  return [one?.subscription_tier, ...(one?.subscription_premium_tier_names ?? [])];
};
/** A subscriber who is given the first gift at the start. */
async function given(seed: Seed, more: object = {}): Promise<Sandbox> {
  const sandbox = fresh({ seed });
  const [first] = await gifts(sandbox);
  await create(sandbox, { email: 'ada@example.com', complimentary_gift_id: first?.id, ...more });
  return sandbox;
}
const give = async (sandbox: Sandbox, index: number) => {
  const [one] = (await list(sandbox)).data;
  await send(sandbox, 'PATCH', `${subscriptionsPath}/bulk_actions`, {
    subscriptions: [{ subscription_id: one?.id, complimentary_gift_id: (await gifts(sandbox))[index]?.id }],
  });
  sandbox.clock.advance(2000);
};

test.each([
  ['days', 10, 'P10D'],
  ['months', 3, 'P3M'],
  ['years', 2, 'P2Y'],
] as const)('a gift in %s ends after %i of them, by the calendar', async (unit, duration, period) => {
  const sandbox = await given(seedOf([unit, duration]), { double_opt_override: 'off' });
  sandbox.clock.freeze();
  const start = sandbox.clock.now();
  sandbox.clock.advance(period);
  const end = sandbox.clock.now();
  expect(await tiers(sandbox)).toEqual(['free']);
  expect(end).toBeGreaterThan(start);
});

test('a gift is there until the last millisecond of its period', async () => {
  const sandbox = await given(seedOf(['days', 1]));
  sandbox.clock.advance(86_400_000 - 1);
  expect(await tiers(sandbox)).toEqual(['premium', 'Gold']);
  expect((await gifts(sandbox))[0]?.stats).toEqual({ total_granted: 1, active_granted: 1 });
  const changes: string[] = [];
  sandbox.subscribe((event) => {
    if (event.type === 'subscription') changes.push(event.change);
  });
  sandbox.clock.advance(1);
  expect(await tiers(sandbox)).toEqual(['free']);
  expect((await gifts(sandbox))[0]?.stats).toEqual({ total_granted: 1, active_granted: 0 });
  expect(changes).toEqual(['updated']);
});

test('a gift forever does not end', async () => {
  const sandbox = await given(seedOf(['forever', null]));
  sandbox.clock.advance('P1000Y');
  expect(await tiers(sandbox)).toEqual(['premium', 'Gold']);
});

test('a running gift is not extended by giving it again', async () => {
  const sandbox = await given(seedOf(['days', 2]));
  sandbox.clock.advance('P1D');
  await give(sandbox, 0);
  expect((await gifts(sandbox))[0]?.stats).toEqual({ total_granted: 1, active_granted: 1 });
  sandbox.clock.advance('P1D');
  expect(await tiers(sandbox)).toEqual(['free']);
  await give(sandbox, 0);
  expect(await tiers(sandbox)).toEqual(['premium', 'Gold']);
  expect((await gifts(sandbox))[0]?.stats).toEqual({ total_granted: 2, active_granted: 1 });
});

test('a tier stays while another gift gives it, and goes with the last of them', async () => {
  const sandbox = await given(seedOf(['days', 2], ['days', 5]));
  await give(sandbox, 1);
  sandbox.clock.advance('P2D');
  expect(await tiers(sandbox)).toEqual(['premium', 'Gold']);
  sandbox.clock.advance('P4D');
  expect(await tiers(sandbox)).toEqual(['free']);
});

test('the end of a gift removes its own tier only', async () => {
  const sandbox = await given(seedOf(['days', 2], ['days', 5, 'Silver']));
  await give(sandbox, 1);
  expect(await tiers(sandbox)).toEqual(['premium', 'Gold', 'Silver']);
  sandbox.clock.advance('P2D');
  expect(await tiers(sandbox)).toEqual(['premium', 'Silver']);
  sandbox.clock.advance('P4D');
  expect(await tiers(sandbox)).toEqual(['free']);
});

test('a gift of a tier that was there before removes nothing at its end', async () => {
  const sandbox = await given(seedOf(['days', 1]), { premium_tiers: ['Gold'] });
  sandbox.clock.advance('P2D');
  expect(await tiers(sandbox)).toEqual(['premium', 'Gold']);
  expect((await gifts(sandbox))[0]?.stats).toEqual({ total_granted: 1, active_granted: 0 });
});

test('tier free ends a gift, and its planned end changes nothing any more', async () => {
  const sandbox = fresh({ seed: seedOf(['days', 5]) });
  const { data } = await create(sandbox, {
    email: 'ada@example.com',
    complimentary_gift_id: (await gifts(sandbox))[0]?.id,
  });
  await send(sandbox, 'PATCH', `${subscriptionsPath}/bulk_actions`, {
    subscriptions: [{ subscription_id: data.id, tier: 'free' }],
  });
  sandbox.clock.advance(2000);
  expect(await tiers(sandbox)).toEqual(['free']);
  expect((await gifts(sandbox))[0]?.stats).toEqual({ total_granted: 1, active_granted: 0 });
  await send(sandbox, 'PATCH', `${subscriptionsPath}/bulk_actions`, {
    subscriptions: [{ subscription_id: data.id, tier: 'premium' }],
  });
  sandbox.clock.advance('P6D');
  expect((await list(sandbox)).data[0]?.subscription_tier).toBe('premium');
});

/** Complimentary access: grants a tier for a period, and removes it when the period ends. */
import type { ComplimentaryAccessRow } from '../store/content.ts';
import { addDuration } from './clock.ts';
import type { Emit, World } from './world.ts';

/** Grants the access from now on. A running grant of the same access is kept as it is. */
export function giveAccess(world: World, subscription: number, access: ComplimentaryAccessRow): void {
  const { store, clock } = world;
  const running = store.gifts.running(subscription);
  if (running.some((gift) => gift.access === access.seq)) return;
  const has = store.subscriptions.tiersOf(subscription).some((tier) => tier.seq === access.tier);
  const seq = store.next('gift');
  store.insert('gifts', {
    seq,
    access: access.seq,
    subscription,
    created: clock.seconds(),
    ended: 0,
    brought_tier: has ? 0 : 1,
  });
  store.subscriptions.addTier(subscription, access.tier);
  store.subscriptions.setTier(subscription, 'premium');
  const ends = endOf(access, clock.now());
  if (ends !== null) store.due.schedule(ends, 'gift.ended', seq);
}

/** Ends a grant and removes its tier, unless the subscription had the tier before or another grant gives it. */
export function endGift(world: World, seq: number, emit: Emit): void {
  const { gifts, subscriptions } = world.store;
  const gift = gifts.gift(seq);
  const access = gift && gifts.bySeq(gift.access);
  if (!gift || !access || gift.ended === 1) return;
  gifts.end(seq);
  if (gift.brought_tier === 0) return;
  const other = gifts.running(gift.subscription).find((running) => running.tier === access.tier);
  if (other) {
    gifts.carryTier(other.seq);
    return;
  }
  subscriptions.removeTier(gift.subscription, access.tier);
  if (subscriptions.tiersOf(gift.subscription).length === 0) subscriptions.setTier(gift.subscription, 'free');
  emit({ type: 'subscription', change: 'updated', seq: gift.subscription });
}

/** Makes a subscription free: removes its tiers and ends its grants. */
export function removeTiers(world: World, subscription: number): void {
  const { gifts, subscriptions } = world.store;
  for (const gift of gifts.running(subscription)) gifts.end(gift.seq);
  subscriptions.clearTiers(subscription);
  subscriptions.setTier(subscription, 'free');
}

const designators: Readonly<Record<ComplimentaryAccessRow['time_unit'], string | null>> = {
  days: 'D',
  months: 'M',
  years: 'Y',
  forever: null,
};

/** When access given at `start` ends, in milliseconds; null where it never does. */
function endOf({ duration, time_unit }: ComplimentaryAccessRow, start: number): number | null {
  const designator = designators[time_unit];
  return duration === null || designator === null ? null : addDuration(start, `P${duration}${designator}`);
}

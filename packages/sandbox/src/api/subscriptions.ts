/** Answers the subscription operations. */
import { schemas } from '@newsletter-kit/core/schema';
import type { SubscriptionFilter } from '../store/subscriptions.ts';
import { subscribe } from '../world/subscribing.ts';
import { apiError } from './errors.ts';
import { handler, nothing } from './handler.ts';
import { cursorOrOffsetList } from './paging.ts';
import { subscriptionRecord } from './records.ts';
import { subscriptionCreation } from './requests.ts';

const create = handler(
  'subscriptions.create',
  { query: nothing, body: subscriptionCreation },
  ({ world, publication, explain }, _query, request) => {
    const { row, created, warnings, reasons } = world.write((note) => subscribe(world, publication, request, note));
    for (const reason of reasons) explain(reason);
    for (const warning of warnings) explain(warning.message);
    return { body: { data: subscriptionRecord(world.store, row), ...(warnings.length > 0 && { warnings }) }, created };
  },
);

const list = handler(
  'subscriptions.list',
  { query: schemas['subscriptions.list'].query, body: nothing },
  ({ world, publication }, query) => {
    const filter: SubscriptionFilter = {
      status: query.status === 'all' ? undefined : query.status,
      tier: query.tier === 'all' ? undefined : query.tier,
      premiumTiers: query.premium_tiers,
      premiumTierIds: query.premium_tier_ids,
      // Exact but for the letters' case (specification, Subscriptions): nothing is trimmed here.
      emailKey: query.email?.normalize('NFC').toLowerCase(),
      ...(query.creation_date !== undefined && day(query.creation_date)),
    };
    return cursorOrOffsetList(query, {
      list: 'subscriptions',
      direction: query.direction,
      rows: world.store.subscriptions.list(publication.id, filter),
      record: (row) => subscriptionRecord(world.store, row, query.expand),
    });
  },
);

/** The seconds of a day in UTC, written YYYY/MM/DD. */
function day(date: string): Pick<SubscriptionFilter, 'createdFrom' | 'createdBefore'> {
  const start = new Date(`${date.replaceAll('/', '-')}T00:00:00Z`);
  // The calendar rolls the 30th of February over into March; a day that does not exist is a mistake.
  if (Number.isNaN(start.getTime()) || start.toISOString().slice(0, 10) !== date.replaceAll('/', '-')) {
    throw apiError(400, 'INVALID_DATE_FORMAT', '"creation_date" is a day that does not exist.');
  }
  const createdFrom = start.getTime() / 1000;
  return { createdFrom, createdBefore: createdFrom + 86_400 };
}

export const subscriptionHandlers = [create, list];

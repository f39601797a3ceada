/** The work of jobs: bulk updates, status updates and imports, applied to subscriptions item by item. */
import { bulkUpdateItem, subscriptionRequest } from '@newsletter-kit/core/schema';
import * as z from 'zod';
import type { ComplimentaryAccessRow } from '../store/content.ts';
import type { SubscriptionRow } from '../store/subscriptions.ts';
import type { PublicationRow } from '../store/workspace.ts';
import { applyCustomFields, matchCustomFields } from './custom-fields.ts';
import { giveAccess, removeTiers } from './complimentary-access.ts';
import { mayBecome } from './status.ts';
import { type Note, Refusal, type World } from './world.ts';
import { subscribe } from './subscribe.ts';

/** The result of a job. */
export interface JobResult {
  /** Items it was given. */
  readonly items: number;
  /** Items of which nothing was applied. */
  readonly failed: number;
  /** A line for each problem; no addresses. */
  readonly errors: readonly string[];
}

type Item = z.output<typeof bulkUpdateItem>;

const bulkParams = z.object({ subscriptions: z.array(bulkUpdateItem) });
const statusParams = z.object({ subscription_ids: z.array(z.string()), new_status: z.enum(['active', 'inactive']) });

/** Applies each item whole, or nothing of it where it names what is not there or contradicts itself. */
export function updateInBulk(world: World, publication: PublicationRow, given: unknown, note: Note): JobResult {
  const { subscriptions: items } = bulkParams.parse(given);
  const errors: string[] = [];
  let failed = 0;
  for (const [index, item] of items.entries()) {
    const say = (problem: string): void =>
      void errors.push(`subscriptions[${index}] (${item.subscription_id}): ${problem}`);
    const plan = planned(world, publication, item);
    if ('problem' in plan) {
      failed += 1;
      say(plan.problem);
    } else for (const warning of apply(world, publication, item, plan, note)) say(warning);
  }
  return { items: items.length, failed, errors };
}

/** Gives each subscription the new status, where it can take it. */
export function updateStatuses(world: World, publication: PublicationRow, given: unknown, note: Note): JobResult {
  const { subscription_ids, new_status } = statusParams.parse(given);
  const { subscriptions } = world.store;
  const errors: string[] = [];
  for (const [index, id] of subscription_ids.entries()) {
    const row = subscriptions.byId(publication.id, id);
    const problem = row ? mayBecome(row.status, new_status) : noSubscription;
    if (problem !== null) errors.push(`subscription_ids[${index}]: ${problem}`);
    else if (row && row.status !== new_status) {
      subscriptions.setStatus(row.seq, new_status);
      note({ type: 'subscription', change: 'updated', seq: row.seq });
    }
  }
  return { items: subscription_ids.length, failed: errors.length, errors };
}

const noSubscription = 'There is no subscription with this id on this publication.';

/** What an item refers to, found. */
interface Plan {
  readonly row: SubscriptionRow;
  readonly join: readonly number[];
  readonly leave: readonly number[];
  readonly gift: ComplimentaryAccessRow | undefined;
}

function planned(world: World, publication: PublicationRow, item: Item): Plan | { readonly problem: string } {
  const { store } = world;
  const row = store.subscriptions.byId(publication.id, item.subscription_id);
  if (!row) return { problem: noSubscription };
  const joining = item.newsletter_list_ids ?? [];
  const leaving = item.unsubscribe_newsletter_list_ids ?? [];
  if (item.unsubscribe && joining.length > 0)
    return { problem: '"newsletter_list_ids" can not be combined with "unsubscribe".' };
  if (joining.some((id) => leaving.includes(id)))
    return { problem: 'A list stands in both "newsletter_list_ids" and "unsubscribe_newsletter_list_ids".' };

  const lists = new Map(
    joining.length + leaving.length === 0
      ? []
      : store.workspace.lists(publication.id).map((list) => [list.id, list.seq]),
  );
  const join = joining.flatMap((id) => lists.get(id) ?? []);
  const leave = leaving.flatMap((id) => lists.get(id) ?? []);
  if (join.length + leave.length < joining.length + leaving.length)
    return { problem: 'It names a newsletter list that this publication does not have.' };

  const gift =
    item.complimentary_gift_id === undefined ? undefined : store.gifts.byId(publication.id, item.complimentary_gift_id);
  if (item.complimentary_gift_id !== undefined && !gift)
    return { problem: '"complimentary_gift_id" names no complimentary access of this publication.' };
  return { row, join, leave, gift };
}

/** Applies an item; answers a warning for each custom field that was dropped. */
function apply(
  world: World,
  publication: PublicationRow,
  item: Item,
  { row, join, leave, gift }: Plan,
  note: Note,
): readonly string[] {
  const { subscriptions, customFields } = world.store;
  const { seq } = row;
  if (item.tier === 'free') removeTiers(world, seq);
  else if (item.tier === 'premium') subscriptions.setTier(seq, 'premium');
  if (item.payments_customer_id !== undefined) subscriptions.setCustomer(seq, item.payments_customer_id);
  if (item.unsubscribe) subscriptions.setStatus(seq, 'inactive');
  for (const list of join) subscriptions.addToList(seq, list);
  for (const list of leave) subscriptions.removeFromList(seq, list);
  if (gift) giveAccess(world, seq, gift);

  const given = (item.custom_fields ?? []).map((field) => (field.delete ? { name: field.name, value: null } : field));
  const { values, warnings } = matchCustomFields(() => customFields.ofPublication(publication.id), given);
  applyCustomFields(customFields, seq, values);
  note({ type: 'subscription', change: 'updated', seq });
  return warnings.map(({ message }) => message);
}

const importParams = z.object({ subscriptions: z.array(subscriptionRequest) });

/** Subscribes each in turn; one that names what the publication does not have is left out. */
export function importSubscriptions(world: World, publication: PublicationRow, given: unknown, note: Note): JobResult {
  const { subscriptions } = importParams.parse(given);
  const errors: string[] = [];
  let failed = 0;
  for (const [index, request] of subscriptions.entries()) {
    try {
      const { warnings } = subscribe(world, publication, request, note, 'import');
      for (const { message } of warnings) errors.push(`subscriptions[${index}]: ${message}`);
    } catch (error) {
      if (!(error instanceof Refusal)) throw error;
      failed += 1;
      errors.push(`subscriptions[${index}]: ${error.message}`);
    }
  }
  return { items: subscriptions.length, failed, errors };
}

/** Rules of subscriptions: create, list, and the bulk operations, each of which starts a job; and their records. */
import { bulkUpdateItem, subscriptionRequest } from '@newsletter-kit/core/schema';
import { addressKey } from '@newsletter-kit/core/signup';
import * as z from 'zod';
import type { JobRow } from '../store/jobs.ts';
import type { SubscriptionFilter, SubscriptionRow } from '../store/subscriptions.ts';
import { acceptJob } from '../world/jobs.ts';
import { subscribe } from '../world/subscribe.ts';
import { apiError } from '../http/errors.ts';
import { listOf, listRule, oneRecord, orNotFound, rule, ruleWithSchemas, type Rule } from './rule.ts';
import type { Store } from '../store/store.ts';

/** The service's own name for `payments_customer_id`. */
const stripe_customer_id = z
  .string()
  .regex(/^(?:cus_[0-9a-zA-Z]+)?$/, 'must look like cus_… or be empty')
  .optional();

/** Both names are taken; the specification's wins. */
function renamed<
  Fields extends {
    readonly stripe_customer_id?: string | undefined;
    readonly payments_customer_id?: string | undefined;
  },
>(fields: Fields) {
  const { stripe_customer_id: other, ...rest } = fields;
  const payments_customer_id = fields.payments_customer_id ?? other;
  return payments_customer_id === undefined ? rest : { ...rest, payments_customer_id };
}

/** Body of subscription creation. */
const subscriptionCreation = z.strictObject({ ...subscriptionRequest.shape, stripe_customer_id }).transform(renamed);
/** Body of bulk creation; the specification names no most. */
const bulkCreation = z.strictObject({ subscriptions: z.array(subscriptionCreation).min(1) });
/** Body of the bulk update. */
const bulkActions = z.strictObject({
  subscriptions: z
    .array(z.strictObject({ ...bulkUpdateItem.shape, stripe_customer_id }).transform(renamed))
    .min(1)
    .max(1000),
});

export const subscriptionRules: readonly Rule[] = [
  ruleWithSchemas(
    'subscriptions.create',
    { body: subscriptionCreation },
    ({ world, publication, explain }, _query, request) => {
      const { row, created, warnings, reasons } = world.write((emit) => subscribe(world, publication, request, emit));
      for (const reason of reasons) explain(reason);
      for (const warning of warnings) explain(warning.message);
      return {
        body: { data: subscriptionRecord(world.store, row), ...(warnings.length > 0 && { warnings }) },
        created,
      };
    },
  ),

  listRule('subscriptions.list', ({ world, publication }, query) => {
    const filter: SubscriptionFilter = {
      status: query.status === 'all' ? undefined : query.status,
      tier: query.tier === 'all' ? undefined : query.tier,
      premiumTiers: query.premium_tiers,
      premiumTierIds: query.premium_tier_ids,
      // Exact but for the spelling (specification, Subscriptions): nothing is trimmed here.
      emailKey: query.email?.trim() === query.email ? query.email && addressKey(query.email) : query.email,
      ...(query.creation_date !== undefined && day(query.creation_date)),
    };
    return listOf(
      world.store.subscriptions.list(publication.id, filter),
      (row) => subscriptionRecord(world.store, row, query.expand),
      { direction: query.direction },
    );
  }),

  ruleWithSchemas('subscriptions.bulkCreate', { body: bulkCreation }, ({ world, publication }, _query, body) => {
    const job = world.write(() => acceptJob(world, publication, 'import', body));
    return { body: { message: 'The import of the subscriptions has been accepted.', import_id: job.id } };
  }),

  /** PUT and PATCH do the same. */
  ...(['subscriptions.bulkUpdate', 'subscriptions.bulkUpdatePut'] as const).map((id) =>
    ruleWithSchemas(id, { body: bulkActions }, ({ world, publication }, _query, body) => {
      const job = world.write(() => acceptJob(world, publication, 'bulk', body));
      return oneRecord({ subscription_update_id: job.id });
    }),
  ),

  /** The answer has no body: the job is found in the list of updates. */
  ...(['subscriptions.updateStatus', 'subscriptions.updateStatusPut'] as const).map((id) =>
    rule(id, ({ world, publication, explain }, _query, body) => {
      const job = world.write(() => acceptJob(world, publication, 'status', body));
      explain(`The job is ${job.id}.`);
      return {};
    }),
  ),

  listRule('bulkSubscriptionUpdates.list', ({ world, publication }) =>
    listOf(world.store.jobs.updates(publication.id), jobRecord),
  ),

  rule('bulkSubscriptionUpdates.get', ({ world, publication, params }) => {
    const job = world.store.jobs.update(publication.id, params['id'] ?? '');
    return oneRecord(jobRecord(orNotFound(job, 'bulk update with this id on this publication')));
  }),
];

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

function jobRecord({ seq: _seq, error_log, ...record }: JobRow) {
  return { ...record, error_log: JSON.parse(error_log) as unknown };
}

/** Each `expand[]` value of a subscription with what it adds. */
export const expansions = {
  subscription_premium_tiers: (store, row) => ({
    subscription_premium_tiers: store.subscriptions
      .tiersOf(row.seq)
      .map(({ id, name, status }) => ({ id, name, status })),
  }),
  referrals: (store, row) => ({
    referrals: store.subscriptions.referredBy(row.seq).map(({ id, email, status }) => ({ id, email, status })),
  }),
  stats: (_store, { emails_received, open_rate, click_through_rate }) => ({
    stats: { emails_received, open_rate, click_through_rate },
  }),
  custom_fields: (store, row) => ({
    custom_fields: store.customFields
      .valuesOf(row.seq)
      .map(({ display, kind, value }) => ({ name: display, kind, value: JSON.parse(value) as unknown })),
  }),
  newsletter_lists: (store, row) => ({ newsletter_list_ids: store.subscriptions.listsOf(row.seq) }),
  tags: (_store, row) => ({ tags: JSON.parse(row.tags) as string[] }),
} as const satisfies Record<string, (store: Store, row: SubscriptionRow) => object>;

export type Expansion = keyof typeof expansions;

type Expanded<Name extends Expansion> = ReturnType<(typeof expansions)[Name]>;
/** What all of the expansions add together. */
type Added<Each> = (Each extends unknown ? (each: Each) => void : never) extends (all: infer All) => void ? All : never;

/** A subscription as the API answers it, with what is asked for beyond. */
export function subscriptionRecord<Name extends Expansion = never>(
  store: Store,
  row: SubscriptionRow,
  expand: readonly Name[] = [],
) {
  const record = {
    id: row.id,
    email: row.email,
    status: row.status,
    created: row.created,
    subscription_tier: row.tier,
    // A premium tier makes a subscription premium, so a free one needs no look.
    subscription_premium_tier_names:
      row.tier === 'free' ? [] : store.subscriptions.tiersOf(row.seq).map((tier) => tier.name),
    utm_source: row.utm_source,
    utm_medium: row.utm_medium,
    utm_channel: row.utm_channel,
    utm_campaign: row.utm_campaign,
    utm_term: row.utm_term,
    utm_content: row.utm_content,
    referring_site: row.referring_site,
    referral_code: row.referral_code,
  };
  return Object.assign(record, ...expand.map((name) => expansions[name](store, row))) as typeof record &
    ([Name] extends [never] ? unknown : Added<Expanded<Name>>);
}

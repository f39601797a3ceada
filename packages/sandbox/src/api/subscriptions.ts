/** Rules of subscriptions: create, list, and the bulk operations, each of which starts a job. */
import { bulkUpdateItem, subscriptionRequest } from '@newsletter-kit/core/schema';
import * as z from 'zod';
import type { JobRow } from '../store/jobs.ts';
import type { SubscriptionFilter } from '../store/subscriptions.ts';
import { acceptJob } from '../world/jobs.ts';
import { subscribe } from '../world/subscribe.ts';
import { apiError } from './errors.ts';
import { subscriptionRecord } from './records.ts';
import { listOf, listRule, oneRecord, orNotFound, rule, ruleWithSchemas, type Rule } from './rule.ts';

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
const subscriptionCreation = subscriptionRequest.extend({ stripe_customer_id }).transform(renamed);
/** Body of bulk creation; the specification names no most. */
const bulkCreation = z.strictObject({ subscriptions: z.array(subscriptionCreation).min(1) });
/** Body of the bulk update. */
const bulkActions = z.strictObject({
  subscriptions: z.array(bulkUpdateItem.extend({ stripe_customer_id }).transform(renamed)).min(1).max(1000),
});

const create = ruleWithSchemas(
  'subscriptions.create',
  { body: subscriptionCreation },
  ({ world, publication, explain }, _query, request) => {
    const { row, created, warnings, reasons } = world.write((note) => subscribe(world, publication, request, note));
    for (const reason of reasons) explain(reason);
    for (const warning of warnings) explain(warning.message);
    return { body: { data: subscriptionRecord(world.store, row), ...(warnings.length > 0 && { warnings }) }, created };
  },
);

const list = listRule('subscriptions.list', ({ world, publication }, query) => {
  const filter: SubscriptionFilter = {
    status: query.status === 'all' ? undefined : query.status,
    tier: query.tier === 'all' ? undefined : query.tier,
    premiumTiers: query.premium_tiers,
    premiumTierIds: query.premium_tier_ids,
    // Exact but for the letters' case (specification, Subscriptions): nothing is trimmed here.
    emailKey: query.email?.normalize('NFC').toLowerCase(),
    ...(query.creation_date !== undefined && day(query.creation_date)),
  };
  return listOf(
    world.store.subscriptions.list(publication.id, filter),
    (row) => subscriptionRecord(world.store, row, query.expand),
    { direction: query.direction },
  );
});

const bulkCreate = ruleWithSchemas(
  'subscriptions.bulkCreate',
  { body: bulkCreation },
  ({ world, publication }, _query, body) => {
    const job = world.write(() => acceptJob(world, publication, 'import', body));
    return { body: { message: 'The import of the subscriptions has been accepted.', import_id: job.id } };
  },
);

/** PUT and PATCH do the same. */
const bulkUpdate = (['subscriptions.bulkUpdate', 'subscriptions.bulkUpdatePut'] as const).map((id) =>
  ruleWithSchemas(id, { body: bulkActions }, ({ world, publication }, _query, body) => {
    const job = world.write(() => acceptJob(world, publication, 'bulk', body));
    return oneRecord({ subscription_update_id: job.id });
  }),
);

/** The answer has no body: the job is found in the list of updates. */
const updateStatus = (['subscriptions.updateStatus', 'subscriptions.updateStatusPut'] as const).map((id) =>
  rule(id, ({ world, publication, explain }, _query, body) => {
    const job = world.write(() => acceptJob(world, publication, 'status', body));
    explain(`The job is ${job.id}.`);
    return {};
  }),
);

const listUpdates = listRule('bulkSubscriptionUpdates.list', ({ world, publication }) =>
  listOf(world.store.jobs.updates(publication.id), jobRecord),
);

const getUpdate = rule('bulkSubscriptionUpdates.get', ({ world, publication, params }) => {
  const job = world.store.jobs.update(publication.id, params['id'] ?? '');
  return oneRecord(jobRecord(orNotFound(job, 'bulk update with this id on this publication')));
});

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

function jobRecord({
  id,
  type,
  params,
  status,
  publication_id,
  failure_reason,
  completed,
  created,
  updated,
  error_log,
}: JobRow) {
  return {
    id,
    type,
    params,
    status,
    publication_id,
    failure_reason,
    completed,
    created,
    updated,
    error_log: JSON.parse(error_log) as unknown,
  };
}

export const subscriptionRules: readonly Rule[] = [
  create,
  list,
  bulkCreate,
  ...bulkUpdate,
  ...updateStatus,
  listUpdates,
  getUpdate,
];

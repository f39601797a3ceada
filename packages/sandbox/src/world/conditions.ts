/** The conditions of condition sets, as data and as SQL. */
import { customFieldValue } from '@newsletter-kit/core/schema';
import * as z from 'zod';
import type { ConditionSetRow } from '../store/content.ts';
import type { Bound } from '../store/database.ts';
import type { Store } from '../store/store.ts';
import { attributionColumns } from '../store/subscriptions.ts';

/** Attributes of a subscription that a condition can compare. */
const attributes = ['status', 'tier', 'utm_channel', ...attributionColumns] as const;

/** All kinds of conditions. A list custom field meets a condition where it contains the value. */
const condition = z.union([
  z.strictObject({ attribute: z.enum(attributes), equals: z.string() }),
  z.strictObject({ attribute: z.enum(attributes), in: z.array(z.string()).min(1) }),
  z.strictObject({ custom_field: z.string(), equals: customFieldValue }),
  z.strictObject({ premium_tier: z.string() }),
  z.strictObject({ newsletter_list: z.string() }),
  z.strictObject({ created_after: z.int() }),
]);
type Condition = z.output<typeof condition>;

/** Which subscriptions a set holds: those that meet all of its conditions, or any of them. */
export const conditions = z.union([
  z.strictObject({ all: z.array(condition).min(1) }),
  z.strictObject({ any: z.array(condition).min(1) }),
]);

/** A condition on the table `subscriptions`, and what its `?` are. */
type Sql = readonly [condition: string, ...values: Bound[]];

/** How many active subscriptions of its publication are in a set. */
export function countActive(store: Store, set: ConditionSetRow): number {
  const read = conditions.parse(JSON.parse(set.conditions));
  const [parts, word] = 'all' in read ? [read.all, ' AND '] : [read.any, ' OR '];
  const sql = parts.map(toSql);
  const where = sql.map(([each]) => `(${each})`).join(word);
  const values = sql.flatMap(([, ...each]) => each);
  return store.content.activeSubscribers(set.publication_id, where, values);
}

function toSql(condition: Condition): Sql {
  if ('attribute' in condition) {
    const wanted = 'in' in condition ? condition.in : [condition.equals];
    return [`${condition.attribute} IN (SELECT value FROM json_each(?))`, JSON.stringify(wanted)];
  }
  if ('custom_field' in condition) {
    return [
      `seq IN (SELECT subscription FROM custom_field_values
        JOIN custom_fields ON custom_fields.seq = field JOIN publications ON publications.id = publication_id
        WHERE publications.seq = subscriptions.publication AND display = ?
          AND (value = ? OR (kind = 'list' AND json_type(value) = 'array' AND EXISTS (SELECT 1 FROM json_each(custom_field_values.value) AS item WHERE item.value = ?))))`,
      condition.custom_field,
      JSON.stringify(condition.equals),
      typeof condition.equals === 'string' ? condition.equals : null,
    ];
  }
  if ('premium_tier' in condition)
    return [
      'seq IN (SELECT subscription FROM subscription_tiers JOIN tiers ON tiers.seq = subscription_tiers.tier WHERE tiers.name = ?)',
      condition.premium_tier,
    ];
  if ('newsletter_list' in condition)
    return [
      'seq IN (SELECT subscription FROM list_memberships JOIN newsletter_lists ON newsletter_lists.seq = list WHERE newsletter_lists.name = ?)',
      condition.newsletter_list,
    ];
  return ['created > ?', condition.created_after];
}

/**
 * Requests in the sandbox's own reading: as core has them, plus what the service is known to take under another name.
 */
import { bulkUpdateItem, subscriptionRequest } from '@newsletter-kit/core/schema';
import * as z from 'zod';

/** The service's own name for `payments_customer_id`. */
const stripe_customer_id = z
  .string()
  .regex(/^(?:cus_[0-9a-zA-Z]+)?$/, 'must look like cus_… or be empty')
  .optional();

/** Both names are taken; the specification's wins. */
function renamed<
  Given extends {
    readonly stripe_customer_id?: string | undefined;
    readonly payments_customer_id?: string | undefined;
  },
>(given: Given) {
  const { stripe_customer_id: other, ...rest } = given;
  const payments_customer_id = given.payments_customer_id ?? other;
  return payments_customer_id === undefined ? rest : { ...rest, payments_customer_id };
}

/** Body of subscription creation. */
export const subscriptionCreation = subscriptionRequest.extend({ stripe_customer_id }).transform(renamed);
/** Body of bulk creation; the specification names no most. */
export const bulkCreation = z.strictObject({ subscriptions: z.array(subscriptionCreation).min(1) });
/** Body of the bulk update. */
export const bulkActions = z.strictObject({
  subscriptions: z.array(bulkUpdateItem.extend({ stripe_customer_id }).transform(renamed)).min(1).max(1000),
});

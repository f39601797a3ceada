/** Parameters that creating and updating a subscription share, named as the API names them. */
import type { INodeProperties } from 'n8n-workflow';
import { complimentaryAccess } from '../../parameters/locators.ts';
import { tiers } from '../../parameters/subscriptionWords.ts';
import { subscriptionRequestWords as words } from '@newsletter-kit/core/contract';
import { describe } from '../../parameters/words.ts';

export const gift: INodeProperties = {
  ...complimentaryAccess,
  displayName: 'Complimentary Gift',
  name: 'complimentary_gift_id',
  required: false,
  description: describe(words.complimentary_gift_id),
};

export const paymentsCustomer: INodeProperties = {
  displayName: 'Payments Customer ID',
  name: 'payments_customer_id',
  type: 'string',
  placeholder: 'e.g. cus_Q1w2E3r4T5',
  default: '',
  description: describe(words.payments_customer_id),
};

export const tier: INodeProperties = {
  displayName: 'Tier',
  name: 'tier',
  type: 'options',
  default: 'free',
  description: describe(words.tier),
  options: [...tiers],
};

/** Parameters that creating and updating a subscription share, named as the API names them. */
import type { INodeProperties } from 'n8n-workflow';
import { complimentaryAccess } from '../../parameters/locators.ts';
import { tiers } from '../../parameters/subscriptionWords.ts';

export const gift: INodeProperties = {
  ...complimentaryAccess,
  displayName: 'Complimentary Gift',
  name: 'complimentary_gift_id',
  required: false,
  description: 'Complimentary access of the same publication to apply',
};

export const paymentsCustomer: INodeProperties = {
  displayName: 'Payments Customer ID',
  name: 'payments_customer_id',
  type: 'string',
  placeholder: 'e.g. cus_Q1w2E3r4T5',
  default: '',
  description: 'The customer at the payment processor',
};

export const tier: INodeProperties = {
  displayName: 'Tier',
  name: 'tier',
  type: 'options',
  default: 'free',
  options: [...tiers],
};

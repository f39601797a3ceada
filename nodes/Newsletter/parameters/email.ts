/** The address of a subscriber. */
import type { INodeProperties } from 'n8n-workflow';
import { subscriptionRequestWords } from '@newsletter-kit/core/contract';
import { describe } from './words.ts';

export const email: INodeProperties = {
  displayName: 'Email',
  name: 'email',
  type: 'string',
  placeholder: 'name@email.com',
  required: true,
  default: '',
  description: describe(subscriptionRequestWords.email),
};

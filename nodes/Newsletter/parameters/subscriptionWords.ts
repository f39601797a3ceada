/** The words by which the service tells subscriptions apart, as people read them. */
import type { INodePropertyOptions } from 'n8n-workflow';

export const statuses: readonly INodePropertyOptions[] = [
  { name: 'Active', value: 'active' },
  { name: 'Inactive', value: 'inactive', description: 'Made inactive, possibly by unsubscribing' },
  { name: 'Invalid', value: 'invalid', description: 'The address is invalid' },
  { name: 'Needs Attention', value: 'needs_attention', description: 'Waits for approval' },
  { name: 'Paused', value: 'paused' },
  { name: 'Pending', value: 'pending', description: 'Waits for double opt-in' },
  { name: 'Validating', value: 'validating', description: 'The address is being checked' },
];

export const tiers: readonly INodePropertyOptions[] = [
  { name: 'Free', value: 'free' },
  { name: 'Premium', value: 'premium' },
];

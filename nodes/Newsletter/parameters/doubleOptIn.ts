/** Whether a subscriber has to confirm by email. */
import type { INodeProperties } from 'n8n-workflow';

export const doubleOptIn: INodeProperties = {
  displayName: 'Double Opt-In',
  name: 'double_opt_override',
  type: 'options',
  default: 'not_set',
  description: 'Whether the subscriber has to confirm by email before the subscription becomes active',
  options: [
    { name: 'Off', value: 'off', description: 'Active immediately, without a confirmation email' },
    { name: 'On', value: 'on', description: 'The subscriber has to confirm by email first' },
    { name: 'Publication Default', value: 'not_set' },
  ],
};

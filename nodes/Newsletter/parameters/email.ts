/** The address of a subscriber. */
import type { INodeProperties } from 'n8n-workflow';

export const email: INodeProperties = {
  displayName: 'Email',
  name: 'email',
  type: 'string',
  placeholder: 'name@email.com',
  required: true,
  default: '',
  description: 'Address of the subscription',
};

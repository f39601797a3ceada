/** The name of a custom field. */
import type { INodeProperties } from 'n8n-workflow';

export const display: INodeProperties = {
  displayName: 'Name',
  name: 'display',
  type: 'string',
  required: true,
  default: '',
  placeholder: 'e.g. First Name',
  description: 'The name by which subscriptions refer to the field',
};

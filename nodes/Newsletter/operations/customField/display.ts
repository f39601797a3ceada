/** The name of a custom field. */
import type { INodeProperties } from 'n8n-workflow';
import { customFieldWords } from '@newsletter-kit/core/contract';
import { describe } from '../../parameters/words.ts';

export const display: INodeProperties = {
  displayName: 'Name',
  name: 'display',
  type: 'string',
  required: true,
  default: '',
  placeholder: 'e.g. First Name',
  description: describe(customFieldWords.display),
};

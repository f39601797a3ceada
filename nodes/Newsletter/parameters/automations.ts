/** Automations to enroll a new subscriber into, each chosen from the list. */
import type { INodeProperties } from 'n8n-workflow';
import { automation } from './locators.ts';

export const automations: INodeProperties = {
  displayName: 'Automations',
  name: 'automation_ids',
  type: 'fixedCollection',
  typeOptions: { multipleValues: true, multipleValueButtonText: 'Add Automation' },
  placeholder: 'Add Automation',
  default: {},
  description: 'Automations to enroll the subscriber into; each needs an active Add by API trigger',
  options: [{ displayName: 'Automation', name: 'automations', values: [{ ...automation, required: false }] }],
};

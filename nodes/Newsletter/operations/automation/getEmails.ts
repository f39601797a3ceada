/** Automation: Get Emails. Their statistics always come along. */
import { automation } from '../../parameters/locators.ts';
import * as records from '../../records/records.ts';
import { list } from '../list.ts';

export const getEmails = list({
  id: 'automations.listEmails',
  name: 'Get Emails',
  plural: 'emails of an automation',
  description: 'Get the emails of an automation with their statistics',
  action: 'Get emails of an automation',
  record: records.automationEmail,
  path: { automationId: automation },
});

/** The executions of every operation, by resource and operation as a workflow names them. */
import { automation, journey } from './automations.ts';
import {
  advertisementOpportunity,
  author,
  complimentaryAccess,
  conditionSet,
  publication,
  publicationField,
} from './content.ts';
import { customField } from './customFields.ts';
import { dataDeletion } from './dataDeletion.ts';
import type { ResourceExecutions } from './execution.ts';
import { bulkUpdateJob, subscription } from './subscriptions.ts';

export const executions: Readonly<Record<string, ResourceExecutions>> = {
  advertisementOpportunity,
  author,
  automation,
  bulkUpdateJob,
  complimentaryAccess,
  conditionSet,
  customField,
  dataDeletion,
  journey,
  publication,
  publicationField,
  subscription,
};

/** The registry: every resource of the node. The key is its value in a workflow and must never change. */
import { advertisementOpportunity } from './advertisementOpportunity/index.ts';
import { author } from './author/index.ts';
import { automation } from './automation/index.ts';
import { bulkUpdateJob } from './bulkUpdateJob/index.ts';
import { complimentaryAccess } from './complimentaryAccess/index.ts';
import { conditionSet } from './conditionSet/index.ts';
import { customField } from './customField/index.ts';
import { dataDeletion } from './dataDeletion/index.ts';
import type { ResourceDefinition } from './definition.ts';
import { journey } from './journey/index.ts';
import { publication } from './publication/index.ts';
import { publicationField } from './publicationField/index.ts';
import { subscription } from './subscription/index.ts';

export const resources: Readonly<Record<string, ResourceDefinition>> = {
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

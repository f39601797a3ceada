/** The registry: every resource of the node. The key is its value in a workflow and must never change. */
import { automation } from './automation.ts';
import { bulkUpdateJob } from './bulkUpdateJob.ts';
import { customField } from './customField.ts';
import { dataDeletion } from './dataDeletion.ts';
import type { ResourceDefinition } from './definition.ts';
import { journey } from './journey.ts';
import { readOnlyResources } from './readOnly.ts';
import { subscription } from './subscription/index.ts';

const ownFiles: Readonly<Record<string, ResourceDefinition>> = {
  automation,
  bulkUpdateJob,
  customField,
  dataDeletion,
  journey,
  subscription,
};

const all = {
  ...ownFiles,
  ...readOnlyResources(new Set(Object.values(ownFiles).map(({ contract }) => contract))),
};

export const resources: Readonly<Record<string, ResourceDefinition>> = Object.fromEntries(
  Object.entries(all).toSorted(([a], [b]) => (a < b ? -1 : 1)),
);

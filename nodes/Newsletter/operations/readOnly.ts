/** Resources that can only be read. Those that differ from the contract in nothing need no entry here. */
import {
  answerRecords,
  operations,
  resourceOf,
  type OperationId,
  type ResourceOf,
} from '@newsletter-kit/core/contract';
import { bulkUpdateJob as jobLocator } from '../parameters/locators.ts';
import type { ResourceDefinition } from './definition.ts';
import { type Differences, getMany, getOne, readOnlyResource } from './readOperations.ts';

const jobDifferences = {
  noun: 'bulk update job',
  record: {
    first: ['id', 'type', 'status', 'failure_reason', 'error_log', 'created', 'updated', 'completed'],
    others: ['params', 'publication_id'],
  },
};

/** The jobs that Update, Bulk Update and Update Status of subscriptions start. */
export const bulkUpdateJob: ResourceDefinition = {
  contract: 'bulkSubscriptionUpdates',
  name: 'Bulk Update Job',
  operations: {
    get: getOne('bulkSubscriptionUpdates.get', { ...jobDifferences, path: { id: jobLocator } }),
    getMany: getMany('bulkSubscriptionUpdates.list', jobDifferences),
  },
};

const premiumTier = 'The premium tier of the gift';
const complimentaryAccess = { first: ['id', 'description'] };
const conditionSet = { first: ['id', 'name', 'status', 'purpose'] };

/** By the name of the resource in the contract. */
const differences: Readonly<
  Partial<Record<ResourceOf<OperationId>, { readonly get?: Differences; readonly getMany?: Differences }>>
> = {
  advertisementOpportunities: {
    getMany: {
      description: 'Get many accepted advertisement opportunities',
      record: { first: ['id', 'advertiser_name', 'advertisement_kind'] },
    },
  },
  authors: {
    get: { record: { others: ['social_media_links'] } },
    getMany: { record: { others: ['social_media_links'] }, placeholders: { name: 'e.g. Ada Lovelace' } },
  },
  complimentaryAccess: {
    get: { record: complimentaryAccess, included: { tier: premiumTier } },
    getMany: {
      record: complimentaryAccess,
      included: { stats: 'How many subscriptions it was granted to', tier: premiumTier },
    },
  },
  conditionSets: {
    get: { record: conditionSet, included: { stats: 'How many active subscribers it holds, counted now' } },
    getMany: { record: conditionSet, description: 'Get many active condition sets' },
  },
  publicationFields: {
    getMany: {
      description: 'Get many publication fields of the workspace; the key needs access to every publication',
      record: {
        first: ['id', 'name', 'display', 'kind', 'value_source', 'default_value'],
        others: ['endpoint_url', 'response_keys'],
      },
    },
  },
  publications: {
    getMany: {
      description: 'Get many publications that the key or account may use; not every service lists them',
    },
  },
};

/**
 * Every resource of the contract with a list, by its value in a workflow.
 *
 * @param besides - resources of the contract that have a definition of their own
 */
export function readOnlyResources(besides: ReadonlySet<string>): Readonly<Record<string, ResourceDefinition>> {
  const resources = operations.flatMap(({ id }) =>
    id.endsWith('.list') && id in answerRecords ? [resourceOf(id)] : [],
  );
  return Object.fromEntries(
    resources
      .filter((resource) => !besides.has(resource))
      .map((resource) => readOnlyResource(resource, differences[resource])),
  );
}

/** One run of every operation that ends well, against the demo publication. */
import type { Run } from './context.ts';
import type { Workbench } from './workbench.ts';

export interface Scenario {
  readonly resource: string;
  readonly operation: string;
  parameters?(bench: Workbench): Promise<Run['parameters']> | Run['parameters'];
  /** For nodes of version 1, where they have other parameters. */
  parametersOfVersion1?(bench: Workbench): Promise<Run['parameters']>;
  /** Default: one empty item. */
  readonly items?: NonNullable<Run['items']>;
}

const list = (resource: string, options: readonly string[] = []): Scenario => ({
  resource,
  operation: 'getMany',
  parameters: () => ({ returnAll: true, options: options.length > 0 ? { expand: options } : {} }),
});

const got = (resource: string, parameter: string, search: string, options: readonly string[] = []): Scenario => ({
  resource,
  operation: 'get',
  parameters: async (bench) => ({
    [parameter]: { mode: 'list', value: await bench.first(search) },
    options: options.length > 0 ? { expand: options } : {},
  }),
});

const subscriptionIncludes = [
  'custom_fields',
  'newsletter_lists',
  'subscription_premium_tiers',
  'referrals',
  'stats',
  'tags',
];
const byEmail = { mode: 'email', value: 'ada.lovelace@example.com' };
const automation = async (bench: Workbench) => ({
  automationId: { mode: 'list', value: await bench.first('searchAutomations') },
});
const request = {
  email: 'new+reader@example.com',
  customFields: { mappingMode: 'defineBelow', value: { 'First Name': 'Nova', 'No such field': 'x' } },
};

/** A job that is over. */
const job = async (bench: Workbench) => {
  await bench.run('subscription', 'update', {
    subscription: byEmail,
    customFields: {},
    updateFields: { tier: 'premium' },
  });
  return { jobId: { mode: 'list', value: await bench.first('searchBulkSubscriptionUpdates') } };
};

const deletion = async (bench: Workbench) => {
  await bench.run('dataDeletion', 'request', { email: byEmail.value, emailConfirmation: byEmail.value });
  return { deletionRequestId: { mode: 'list', value: await bench.first('searchDeletionRequests') } };
};

export const scenarios: readonly Scenario[] = [
  list('advertisementOpportunity'),
  got('author', 'authorId', 'searchAuthors'),
  list('author'),
  got('automation', 'automationId', 'searchAutomations', ['stats']),
  { resource: 'automation', operation: 'getEmails', parameters: automation },
  list('automation', ['stats']),
  { resource: 'bulkUpdateJob', operation: 'get', parameters: job },
  {
    resource: 'bulkUpdateJob',
    operation: 'getMany',
    parameters: async (bench) => (await job(bench), { returnAll: true }),
  },
  got('complimentaryAccess', 'complimentaryAccessId', 'searchComplimentaryAccess', ['tier']),
  list('complimentaryAccess', ['stats', 'tier']),
  got('conditionSet', 'conditionSetId', 'searchConditionSets', ['stats']),
  list('conditionSet'),
  { resource: 'customField', operation: 'create', parameters: () => ({ display: 'Shoe size', kind: 'integer' }) },
  {
    resource: 'customField',
    operation: 'delete',
    parameters: async (bench) => ({ customFieldId: { mode: 'list', value: await bench.first('searchCustomFields') } }),
  },
  got('customField', 'customFieldId', 'searchCustomFields'),
  list('customField'),
  {
    resource: 'customField',
    operation: 'update',
    parameters: async (bench) => ({
      customFieldId: { mode: 'list', value: await bench.first('searchCustomFields') },
      display: 'Given Name',
    }),
  },
  { resource: 'dataDeletion', operation: 'get', parameters: deletion },
  {
    resource: 'dataDeletion',
    operation: 'getMany',
    parameters: async (bench) => (await deletion(bench), { returnAll: true }),
  },
  {
    resource: 'dataDeletion',
    operation: 'request',
    parameters: () => ({ email: byEmail.value, emailConfirmation: byEmail.value }),
  },
  {
    resource: 'journey',
    operation: 'enroll',
    parameters: async (bench) => ({
      ...(await automation(bench)),
      subscription: { mode: 'email', value: 'ken@example.com' },
    }),
  },
  {
    resource: 'journey',
    operation: 'get',
    parameters: async (bench) => {
      const where = await automation(bench);
      return { ...where, automationJourneyId: { mode: 'list', value: await bench.first('searchJourneys', where) } };
    },
  },
  {
    resource: 'journey',
    operation: 'getMany',
    parameters: async (bench) => ({ ...(await automation(bench)), returnAll: true }),
  },
  list('publication'),
  list('publicationField'),
  {
    resource: 'subscription',
    operation: 'bulkImport',
    items: [{ email: request.email }, { email: 'no address' }, { utm_source: 'fair' }],
  },
  {
    resource: 'subscription',
    operation: 'bulkUpdate',
    parameters: async (bench) => ({
      subscription_id: await bench.first('searchSubscriptions'),
      customFields: {},
      updateFields: { tier: 'premium' },
    }),
  },
  { resource: 'subscription', operation: 'create', parameters: () => request },
  { resource: 'subscription', operation: 'createOrUpdate', parameters: () => request },
  {
    resource: 'subscription',
    operation: 'get',
    parameters: () => ({ subscription: byEmail, options: { expand: subscriptionIncludes } }),
  },
  list('subscription', subscriptionIncludes),
  {
    resource: 'subscription',
    operation: 'update',
    parameters: () => ({ subscription: byEmail, customFields: {}, updateFields: { tier: 'premium' } }),
  },
  {
    resource: 'subscription',
    operation: 'updateStatus',
    parameters: () => ({ subscription: byEmail, new_status: 'inactive' }),
    parametersOfVersion1: async (bench) => ({
      subscription_ids: [await bench.first('searchSubscriptions')],
      new_status: 'inactive',
    }),
  },
];

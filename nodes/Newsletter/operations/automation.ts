/** Resource Automation. */
import type { ResourceDefinition } from './definition.ts';
import { getMany, getOne } from './readOperations.ts';

const record = { first: ['id', 'name'] };

export const automation: ResourceDefinition = {
  contract: 'automations',
  name: 'Automation',
  operations: {
    get: getOne('automations.get', { record }),
    getEmails: getMany('automations.listEmails', {
      name: 'Get Emails',
      description: 'Get the emails of an automation with their statistics',
      action: 'Get emails of an automation',
    }),
    getMany: getMany('automations.list', { record }),
  },
};

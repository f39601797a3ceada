/**
 * Resource Data Deletion. Request cannot be undone: it asks for the address twice, and an agent needs the permission of
 * the node's owner.
 */
import { words } from '@newsletter-kit/core/contract';
import { addressKey } from '@newsletter-kit/core/signup';
import type { INodeProperties } from 'n8n-workflow';
import { agentPermission } from '../parameters/agents.ts';
import { deletionRequest } from '../parameters/locators.ts';
import { describe, notice } from '../parameters/properties.ts';
import { ParameterMismatch, readParameter } from '../parameters/read.ts';
import { email } from '../parameters/subscription.ts';
import { recordIn, shapeOf } from '../records.ts';
import type { ItemOperation, ResourceDefinition } from './definition.ts';
import { getMany, getOne } from './readOperations.ts';

const differences = { noun: 'data deletion request', record: { others: ['created_at', 'source'] } };

const warning = notice({
  displayName:
    'After 14 days the data of this subscriber is deleted from <b>every publication of the organization</b>. Once that has begun it cannot be undone.',
  name: 'deletionNotice',
});

const address: INodeProperties = { ...email, description: describe(words['deletionRequests.create'].parameters.email) };

const confirmation: INodeProperties = {
  ...email,
  displayName: 'Confirm Email',
  name: 'emailConfirmation',
  description: 'Repeat the address. Without a match, nothing is requested.',
};

const agents = agentPermission(
  'allowAgents',
  'Allow Agents to Request Deletion',
  'request the deletion of a subscriber',
);

const request: ItemOperation = {
  name: 'Request',
  description: 'Request the deletion of all data of a subscriber. It cannot be undone.',
  action: 'Request the deletion of the data of a subscriber',
  record: shapeOf('deletionRequests.create', differences.record),
  properties: [warning, address, confirmation, agents.property],
  async execute(context) {
    agents.check(context.node);
    const named = String(readParameter(context, address));
    if (addressKey(named) !== addressKey(String(readParameter(context, confirmation)))) {
      throw new ParameterMismatch('"Email" and "Confirm Email" are not the same; nothing was requested');
    }
    return [recordIn(await context.engine.call('deletionRequests.create', { email: named }, context.call))];
  },
};

export const dataDeletion: ResourceDefinition = {
  contract: 'deletionRequests',
  name: 'Data Deletion',
  operations: {
    get: getOne('deletionRequests.get', { ...differences, path: { id: deletionRequest } }),
    getMany: getMany('deletionRequests.list', {
      ...differences,
      description: 'Get many data deletion requests of the organization',
    }),
    request,
  },
};

/**
 * Data Deletion: Request. It cannot be undone, so it asks twice, and asks the node's owner before an agent may do it.
 */
import type { INodeProperties } from 'n8n-workflow';
import { email } from '../../parameters/email.ts';
import { ParameterMismatch, readParameter } from '../../parameters/read.ts';
import { recordIn } from '../../records/record.ts';
import * as records from '../../records/records.ts';
import type { ItemOperation } from '../definition.ts';
import { deletionRequestWords } from '@newsletter-kit/core/contract';
import { describe } from '../../parameters/words.ts';
import { usedByAgent } from '../../usedByAgent.ts';

const warning: INodeProperties = {
  displayName:
    'After 14 days the data of this subscriber is deleted from <b>every publication of the organization</b>. Once that has begun it cannot be undone.',
  name: 'deletionNotice',
  type: 'notice',
  default: '',
};

const address: INodeProperties = { ...email, description: describe(deletionRequestWords.email) };

const confirmation: INodeProperties = {
  ...email,
  displayName: 'Confirm Email',
  name: 'emailConfirmation',
  description: 'The same address once more. Nothing is requested where the two differ.',
};

const allowAgents: INodeProperties = {
  displayName: 'Allow Agents to Request Deletion',
  name: 'allowAgents',
  type: 'boolean',
  // No expression, so that no agent can fill it in.
  noDataExpression: true,
  default: false,
  description: 'Whether an AI agent that uses this node as a tool may request the deletion of a subscriber',
  displayOptions: { show: { '@tool': [true] } },
};

export const request: ItemOperation = {
  name: 'Request',
  description: 'Request the deletion of all data of a subscriber. It cannot be undone.',
  action: 'Request the deletion of the data of a subscriber',
  record: records.deletionRequest,
  properties: [warning, address, confirmation, allowAgents],
  async execute(context) {
    if (usedByAgent(context.node) && readParameter(context, allowAgents) !== true) {
      throw new ParameterMismatch(
        'An agent may not request the deletion of data unless "Allow Agents to Request Deletion" is on in the node',
      );
    }
    const named = String(readParameter(context, address));
    if (addressKey(named) !== addressKey(String(readParameter(context, confirmation)))) {
      throw new ParameterMismatch('"Email" and "Confirm Email" are not the same; nothing was requested');
    }
    return [recordIn(await context.engine.call('deletionRequests.create', { email: named }, context.call))];
  },
};

/** The service tells addresses apart without regard to case. */
function addressKey(text: string): string {
  return text.trim().toLowerCase();
}

/** Converts errors of a poll to n8n's errors, with what to do about them. */
import { ApiError } from '@newsletter-kit/core/engine';
import { CapacityError, WatchStateError } from '@newsletter-kit/core/watch';
import { NodeOperationError, type INode } from 'n8n-workflow';
import { toNodeFailure, type NodeFailure } from '../transport/failure.ts';
import { events } from './events.ts';

const round = (count: number): string => count.toLocaleString('en');

export function toTriggerFailure(node: INode, error: unknown): NodeFailure {
  if (error instanceof CapacityError) {
    return new NodeOperationError(
      node,
      `This event can watch ${round(error.capacity)} subscriptions at most, and there are ${error.size === null ? 'more' : round(error.size)}`,
      {
        description: `n8n keeps what a trigger has seen with the workflow, and loads it at every execution. Choose the Event "${events['subscriptionCreated']?.name}", which keeps next to nothing, or "${events['subscriptionUnsubscribed']?.name}", which keeps the inactive ones alone; for all changes, run the command "newsletter watch" and send what it prints to a Webhook node.`,
        failure: { cause: 'configuration-invalid' },
      },
    );
  }
  if (error instanceof WatchStateError) {
    return new NodeOperationError(
      node,
      'What this trigger keeps between its polls was written by a later version of the package, or is damaged',
      {
        description:
          'Update the package to go on where it stopped. To begin anew instead, delete this node and add it again under another name: n8n keeps the state by name and ID.',
        failure: { cause: 'configuration-invalid' },
      },
    );
  }
  const failure = toNodeFailure(node, error);
  // A revoked key or a deleted publication leaves the state as it is.
  if (error instanceof ApiError && [401, 403, 404].includes(error.status))
    failure.description = `${failure.description ?? ''} Once that is put right, the trigger reports what has happened since its last poll.`;
  return failure;
}

/** Tells a person what keeps the trigger from watching, and what to do. */
import { CapacityError, WatchStateError } from '@newsletter-kit/core/watch';
import { NodeOperationError, type INode } from 'n8n-workflow';
import { toNodeFailure, type NodeFailure } from '../transport/failure.ts';

export function toTriggerFailure(node: INode, error: unknown): NodeFailure {
  if (error instanceof CapacityError) {
    return new NodeOperationError(
      node,
      `This event can watch ${error.capacity.toLocaleString('en')} subscriptions at most, and there are more`,
      {
        description:
          'n8n keeps what a trigger has seen with the workflow, and loads it at every execution. Choose the Event Subscription Created, which keeps next to nothing, or Subscription Unsubscribed, which keeps the inactive ones alone.',
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
          'Update the package to go on where it stopped. To begin anew instead, rename this node: n8n keeps the state under its name.',
        failure: { cause: 'configuration-invalid' },
      },
    );
  }
  return toNodeFailure(node, error);
}

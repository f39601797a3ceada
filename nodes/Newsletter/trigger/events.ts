/** The events the trigger watches for. The key is the event's value in a workflow and must never change. */
import type { IDataObject, INodeProperties, IPollFunctions } from 'n8n-workflow';
import { byName, choice } from '../parameters/choice.ts';
import { subscriptionCreated } from './subscriptionCreated.ts';

/** One event. */
export interface EventDefinition {
  readonly name: string;
  readonly description: string;
  /** Looks for what is new and moves the state on; called by n8n's schedule. */
  poll(context: IPollFunctions): Promise<readonly IDataObject[]>;
  /** The latest record, for building a workflow; touches no state. */
  sample(context: IPollFunctions): Promise<readonly IDataObject[]>;
}

export const events: Readonly<Record<string, EventDefinition>> = { subscriptionCreated };

const event: INodeProperties = { displayName: 'Event', name: 'event', type: 'options', noDataExpression: true, required: true, default: '' };

/** The list of events in the editor, made from the table. */
export const eventProperty = choice(
  event,
  byName(Object.entries(events).map(([value, { name, description }]) => ({ name, value, description }))),
);

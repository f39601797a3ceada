/** The polling trigger: one entry, everything else in its table of events. */
import {
  NodeConnectionTypes,
  NodeOperationError,
  type INodeExecutionData,
  type INodeType,
  type INodeTypeDescription,
  type IPollFunctions,
} from 'n8n-workflow';
import { authentication, credentials } from './parameters/authentication.ts';
import { publication } from './parameters/publication.ts';
import { subscriptionInclude } from './parameters/subscriptionInclude.ts';
import { toNodeFailure } from './transport/failure.ts';
import { eventProperty, events } from './trigger/events.ts';

export class NewsletterTrigger implements INodeType {
  description: INodeTypeDescription = {
    displayName: 'Newsletter Trigger',
    name: 'newsletterTrigger',
    icon: { light: 'file:newsletter.svg', dark: 'file:newsletter.dark.svg' },
    group: ['trigger'],
    version: 1,
    subtitle: '={{$parameter["event"].replace(/([A-Z])/g, " $1").toLowerCase()}}',
    description: 'Starts the workflow when something happens in a newsletter publication',
    eventTriggerDescription: 'Checks the publication for new subscriptions at the set times',
    defaults: { name: 'Newsletter Trigger' },
    polling: true,
    inputs: [],
    outputs: [NodeConnectionTypes.Main],
    credentials,
    properties: [
      authentication,
      eventProperty,
      publication,
      { ...subscriptionInclude, default: ['custom_fields'] },
    ],
  };

  async poll(this: IPollFunctions): Promise<INodeExecutionData[][] | null> {
    const chosen = String(this.getNodeParameter('event'));
    const event = events[chosen];
    if (event === undefined) {
      throw new NodeOperationError(this.getNode(), `This version of the node does not know the event "${chosen}"`, {
        description: 'Choose an Event from the list, or update the package.',
      });
    }
    try {
      const records = await (this.getMode() === 'manual' ? event.sample(this) : event.poll(this));
      return records.length > 0 ? [records.map((json) => ({ json }))] : null;
    } catch (error) {
      throw toNodeFailure(this.getNode(), error);
    }
  }
}

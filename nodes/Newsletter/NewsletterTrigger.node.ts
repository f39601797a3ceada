/** The polling trigger. Its events are in trigger/events.ts. */
import {
  type IDataObject,
  type INodeExecutionData,
  type INodeType,
  type INodeTypeDescription,
  type IPollFunctions,
  NodeConnectionTypes,
} from 'n8n-workflow';
import { triggerBuilderHint, triggerHints } from './hints.ts';
import { getCustomFieldNames, publicationSearch } from './methods.ts';
import { authentication, credentials, publication } from './parameters/connection.ts';
import { outputOf, subscription } from './records.ts';
import { events } from './trigger/events.ts';
import { moreProperties, watchProperties } from './trigger/parameters.ts';
import { noteRefusal } from './trigger/outage.ts';
import { poll, toTriggerFailure } from './trigger/poll.ts';
import { samplePoll } from './trigger/sample.ts';
import { readSettings } from './trigger/settings.ts';

export class NewsletterTrigger implements INodeType {
  description: INodeTypeDescription = {
    displayName: 'Newsletter Trigger',
    name: 'newsletterTrigger',
    icon: { light: 'file:newsletter.svg', dark: 'file:newsletter.dark.svg' },
    group: ['trigger'],
    version: 1,
    subtitle: `={{ $parameter["events"]?.length === 1 ? ${JSON.stringify(Object.fromEntries(Object.entries(events).map(([value, { name }]) => [value, name.toLowerCase()])))}[$parameter["events"][0]] : ($parameter["events"]?.length ?? 0) + " events" }}`,
    // The editor also shows this description for the action node, since it lists both as one entry.
    description:
      'React to new and changed subscriptions of a newsletter on beehiiv or a compatible service, and work with them',
    eventTriggerDescription: 'Polls the publication at the set times',
    activationMessage: 'The publication is polled at the set times. This workflow gets each event from now on, once.',
    defaults: { name: 'Newsletter Trigger' },
    polling: true,
    builderHint: triggerBuilderHint,
    hints: triggerHints,
    inputs: [],
    outputs: [NodeConnectionTypes.Main],
    credentials,
    properties: [authentication, ...watchProperties, publication, ...outputOf(subscription), ...moreProperties],
  };

  methods = { listSearch: publicationSearch, loadOptions: { getCustomFieldNames } };

  async poll(this: IPollFunctions): Promise<INodeExecutionData[][] | null> {
    const isAttended = startsAttended(this);
    try {
      const settings = readSettings(this);
      return itemsOf(await (this.getMode() === 'manual' ? samplePoll(this, settings) : poll(this, settings)));
    } catch (error) {
      const failure = toTriggerFailure(this.getNode(), error);
      if (isAttended) throw failure;
      noteRefusal(this, failure);
      return null;
    }
  }
}

/** Contexts that have polled. n8n polls with that of the activation, its durable scheduler with one for each poll. */
const polled = new WeakSet<IPollFunctions>();

/**
 * Whether somebody sees the error of this poll, or n8n itself waits longer after each one: by hand, at an activation,
 * and under the durable scheduler. Nobody does where n8n started or took over from another instance, where n8n would
 * never try again; nor in the polls after the activation.
 */
function startsAttended(context: IPollFunctions): boolean {
  const isFirst = !polled.has(context);
  polled.add(context);
  if (context.getMode() === 'manual') return true;
  return isFirst && !['init', 'leadershipChange'].includes(context.getActivationMode());
}

/** An empty list, unlike null, starts an execution in which no node runs, so that n8n saves the state. */
function itemsOf(records: readonly IDataObject[] | null): INodeExecutionData[][] | null {
  return records && [records.map((json) => ({ json }))];
}

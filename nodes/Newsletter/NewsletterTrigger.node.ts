/** The polling trigger: one entry, everything else in its table of events. */
import {
  NodeConnectionTypes,
  type INodeExecutionData,
  type INodeType,
  type INodeTypeDescription,
  type IPollFunctions,
} from 'n8n-workflow';
import { triggerBuilderHint, triggerHints } from './hints.ts';
import { authentication, credentials } from './parameters/authentication.ts';
import { outputOf } from './parameters/output.ts';
import { publication } from './parameters/publication.ts';
import { subscription } from './records/records.ts';
import { toTriggerFailure } from './trigger/failure.ts';
import { moreProperties, watchProperties } from './trigger/parameters.ts';
import { sample } from './trigger/sample.ts';
import { readSettings } from './trigger/settings.ts';
import { poll } from './trigger/watch.ts';

export class NewsletterTrigger implements INodeType {
  description: INodeTypeDescription = {
    displayName: 'Newsletter Trigger',
    name: 'newsletterTrigger',
    icon: { light: 'file:newsletter.svg', dark: 'file:newsletter.dark.svg' },
    group: ['trigger'],
    version: 1,
    subtitle: '={{$parameter["event"].replace(/([A-Z])/g, " $1").toLowerCase()}}',
    // The editor shows it for the action node as well: it lists both as one entry, and takes the description of the
    // trigger.
    description:
      'React to new and changed subscriptions of a newsletter on beehiiv or a compatible service, and work with them',
    eventTriggerDescription: 'Checks the publication at the set times',
    activationMessage:
      'The publication is checked at the set times, and what happens from now on starts this workflow.',
    defaults: { name: 'Newsletter Trigger' },
    polling: true,
    builderHint: triggerBuilderHint,
    hints: triggerHints,
    inputs: [],
    outputs: [NodeConnectionTypes.Main],
    credentials,
    properties: [authentication, ...watchProperties, publication, ...outputOf(subscription), ...moreProperties],
  };

  async poll(this: IPollFunctions): Promise<INodeExecutionData[][] | null> {
    try {
      const settings = readSettings(this);
      const records = await (this.getMode() === 'manual' ? sample(this, settings) : poll(this, settings));
      return records.length > 0 ? [records.map((json) => ({ json }))] : null;
    } catch (error) {
      throw toTriggerFailure(this.getNode(), error);
    }
  }
}

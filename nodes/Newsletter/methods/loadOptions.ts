/** What the editor asks for to fill lists that are not resource locators. */
import { subscriptionProperties } from '@newsletter-kit/core/sync';
import type { ILoadOptionsFunctions, INodePropertyOptions } from 'n8n-workflow';
import { byName } from '../parameters/propertyBuilders.ts';
import { publicationIn } from '../parameters/publication.ts';
import { openEngine } from '../transport/engine.ts';
import { toNodeFailure } from '../transport/failure.ts';

/** The fields a sync can map: the custom fields by their ids, then the properties of a subscription. */
async function getSyncFields(this: ILoadOptionsFunctions): Promise<INodePropertyOptions[]> {
  try {
    const { engine } = await openEngine(this, publicationIn(this));
    const customFields: INodePropertyOptions[] = [];
    for await (const { id, display, kind } of engine.list('customFields.list', {}))
      customFields.push({ name: `${display} (${kind})`, value: id });
    return [...byName(customFields), ...byName(properties)];
  } catch (error) {
    throw toNodeFailure(this.getNode(), error);
  }
}

const properties = Object.keys(subscriptionProperties).map((name): INodePropertyOptions => ({
  name: `Subscription: ${name.split('_').map(titled).join(' ')}`,
  value: name,
  description: 'Only goes to the contact',
}));

function titled(word: string): string {
  return word === 'utm' || word === 'id' ? word.toUpperCase() : word.charAt(0).toUpperCase() + word.slice(1);
}

export const loadOptions = { getSyncFields };

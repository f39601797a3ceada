/** Records of the demo, found through the API. */
import type { Sandbox } from '../../src/index.ts';
import { ask, list, publicationPath } from '../caller.ts';

export interface Known {
  readonly subscription: { readonly id: string; readonly email: string };
  /** Has an active Add by API trigger. */
  readonly automation: string;
  /** Has none. */
  readonly otherAutomation: string;
  readonly journey: string;
  readonly author: string;
  readonly access: string;
  readonly conditionSet: string;
  readonly customField: string;
}

export async function known(sandbox: Sandbox): Promise<Known> {
  const at = (path: string) => `${publicationPath}${path}`;
  const first = <Item>(items: readonly Item[]): Item => {
    const [item] = items;
    if (item === undefined) throw new Error('The demo lacks something that a test needs.');
    return item;
  };
  const automations = (await ask(sandbox, 'automations.list', at('/automations'))).data;
  const automation = first(automations.filter(({ trigger_events }) => trigger_events?.includes('api'))).id;
  const email = 'annie.easley@example.org';
  return {
    subscription: { ...first((await list(sandbox, { email })).data), email },
    automation,
    otherAutomation: first(automations.filter(({ id }) => id !== automation)).id,
    journey: first((await ask(sandbox, 'journeys.list', at(`/automations/${automation}/journeys`))).data).id,
    author: first((await ask(sandbox, 'authors.list', at('/authors'))).data).id,
    access: first((await ask(sandbox, 'complimentaryAccess.list', at('/complimentary_access'))).data).id,
    conditionSet: first((await ask(sandbox, 'conditionSets.list', at('/condition_sets'))).data).id,
    customField: first((await ask(sandbox, 'customFields.list', at('/custom_fields'))).data).id,
  };
}

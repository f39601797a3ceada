/** The descriptions in the editor come from the contract. */
import {
  bulkUpdateItemWords,
  type OperationWords,
  type ParameterWords,
  subscriptionRequestWords,
  words,
} from '@newsletter-kit/core/contract';
import { expect, it } from 'vitest';
import { describe } from '../../nodes/Newsletter/parameters/properties.ts';
import { allParameters } from './parameters.ts';
import { workbench } from './workbench.ts';

const bench = workbench();

it.each([
  [
    subscriptionRequestWords.premium_tier_ids,
    'Premium tiers to assign. Combined with Premium Tier Names without duplicates; takes precedence over Tier.',
  ],
  [subscriptionRequestWords.send_welcome_email, 'Whether to send the welcome email of the publication'],
  [subscriptionRequestWords.email, 'Email address of the subscriber'],
  [bulkUpdateItemWords.unsubscribe_newsletter_list_ids, /^Newsletter lists to leave\. A list .* as well\.$/],
  [
    words['subscriptions.list'].parameters.creation_date,
    'Only subscriptions created on this day, as YYYY/MM/DD in UTC',
  ],
  [words['subscriptions.updateStatus'].parameters.new_status, 'The status to set'],
])('converts %j to the wording of the editor', (text, expected) => {
  expect(describe(text)).toMatch(expected);
});

it('takes descriptions of API fields from the contract, except those of the form of input', () => {
  const texts = new Map<string, Set<string>>();
  const add = (parameters: Readonly<Record<string, ParameterWords>>): void => {
    for (const [name, text] of Object.entries(parameters))
      texts.set(name, (texts.get(name) ?? new Set()).add(describe(text)));
  };
  for (const { parameters } of Object.values<OperationWords>(words)) add(parameters);
  add(bulkUpdateItemWords);

  const odd = allParameters(bench.bundle.newsletter.description.properties)
    .filter(
      ({ name, type, description }) =>
        texts.has(name) && !ofEditor.has(name) && type !== 'resourceLocator' && description !== undefined,
    )
    .filter(({ name, description = '' }) => ![...(texts.get(name) ?? [])].some((text) => description.startsWith(text)))
    .map(({ name, description }) => `${name}: ${description}`);
  expect(odd).toEqual([]);
});

/** Parameters with a description of their own, because of their form of input. */
const ofEditor = new Set(['automation_ids', 'expand', 'direction', 'double_opt_override', 'limit', 'delete']);

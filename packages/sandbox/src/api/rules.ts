/** The rule of every operation of the API. */
import { automationRules } from './automations.ts';
import { contentRules } from './content.ts';
import { customFieldRules } from './custom-fields.ts';
import { deletionRequestRules } from './deletion-requests.ts';
import type { Rule } from './rule.ts';
import { subscriptionRules } from './subscriptions.ts';

const all: readonly Rule[] = [
  ...subscriptionRules,
  ...automationRules,
  ...contentRules,
  ...customFieldRules,
  ...deletionRequestRules,
];

/** By the operation's id in the contract. */
export const rules: ReadonlyMap<string, Rule> = new Map(all.map((rule) => [rule.id, rule]));

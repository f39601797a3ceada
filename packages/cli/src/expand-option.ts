/** `--expand`: what a list of subscriptions is asked to add to each. */
import { Option } from '@commander-js/extra-typings';
import { collectList, UsageError } from '#command-line';
import { operation } from '@newsletter-kit/core/contract';

type Expansion = (typeof known)[number];
const known = operation('subscriptions.list').expand;

/** @param about - what is added, and to what */
export const expandOption = (about: string) =>
  new Option('--expand <what>', `${about}: ${known.join(', ')}; repeatable`).argParser(collectList);

/** The values of the option. @throws UsageError for one that the API does not know */
export function expansions(values: readonly string[] = []): readonly Expansion[] {
  const unknown = values.filter((value) => !known.some((each) => each === value));
  if (unknown.length > 0)
    throw new UsageError(`--expand: there is no ${unknown.join(', ')}. There are ${known.join(', ')}.`);
  return known.filter((each) => values.includes(each));
}

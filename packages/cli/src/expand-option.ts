/** Options that list known names, such as `--expand`: what a list of subscriptions is asked to add to each. */
import { Option } from '@commander-js/extra-typings';
import { collectList, UsageError } from '#command-line';
import { operation } from '@newsletter-kit/core/contract';

type Expansion = (typeof known)[number];
const known = operation('subscriptions.list').expand;

/** @param about - what is added, and to what */
export const expandOption = (about: string) =>
  new Option('--expand <what>', `${about}: ${known.join(', ')}; repeatable`).argParser(collectList);

/** The values of the option. @throws UsageError for one that the API does not know */
export const expansions = (values: readonly string[] = []): readonly Expansion[] => knownIn('--expand', values, known);

/** Those of the known names that an option was given, in their order. @throws UsageError for another */
export function knownIn<Name extends string>(
  option: string,
  given: readonly string[],
  known: readonly Name[],
): readonly Name[] {
  const unknown = given.filter((value) => !known.some((each) => each === value));
  if (unknown.length > 0)
    throw new UsageError(`${option}: there is no ${unknown.join(', ')}. There are ${known.join(', ')}.`);
  return known.filter((each) => given.includes(each));
}

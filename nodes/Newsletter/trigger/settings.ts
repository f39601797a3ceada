/** Reads the parameters of the trigger. */
import type { Arguments } from '@newsletter-kit/core/engine';
import type { FieldChoice } from '@newsletter-kit/core/watch';
import type { IPollFunctions } from 'n8n-workflow';
import { publicationOf } from '../parameters/connection.ts';
import { type ItemParameters, readCollection, readFields, readParameter, withoutItems } from '../parameters/read.ts';
import { subscriptionInclude } from '../parameters/subscription.ts';
import { expandOf, type OutputForm, readOutputForm, subscription } from '../records.ts';
import type { EventName, Filter } from './events.ts';
import { changes, eventsProperty, fieldNames, filters, pagesOption, sinceOption } from './parameters.ts';

export interface Settings {
  readonly events: readonly EventName[];
  /** Whether the events need the scan of the whole list. */
  readonly scans: boolean;
  /** Whether only those who unsubscribe are of interest. */
  readonly onlyLeavers: boolean;
  /** The publication the node names; empty for the credential's. */
  readonly publication: string;
  readonly filter: Filter;
  readonly expand: Arguments<'subscriptions.list'>['expand'];
  readonly form: OutputForm;
  /** Unix seconds; undefined for the moment of the activation. */
  readonly since: number | undefined;
  /** Requests a poll may make. */
  readonly pages: number;
  /** Of the event "updated": which changes count, and in which custom fields. */
  readonly changes: readonly string[];
  readonly customFields: FieldChoice;
}

/**
 * Reads all parameters of the trigger.
 *
 * @throws ParameterMismatch
 */
export function readSettings(context: IPollFunctions): Settings {
  const item = withoutItems(context);
  const chosen = (readParameter(item, eventsProperty) ?? []) as readonly EventName[];
  const form = readOutputForm(item, subscription);
  const options: unknown = context.getNodeParameter('options', {});
  // An option that was added for another event is hidden, and ignored.
  const shown = chosen.includes('subscriptionCreated') ? [pagesOption, sinceOption] : [pagesOption];
  const { pages = pagesOption.default, since } = readCollection(shown, options, context.getTimezone());
  return {
    events: chosen,
    scans: chosen.some((name) => name !== 'subscriptionCreated'),
    onlyLeavers: chosen.every((name) => name === 'subscriptionUnsubscribed'),
    publication: publicationOf(item),
    filter: readFields(item, 'filters', filters),
    form,
    expand: expandOf('subscriptions.list', form, subscriptionInclude, options) as Settings['expand'],
    since: typeof since === 'number' ? since : undefined,
    pages: Math.floor(Number(pages)),
    ...(chosen.includes('subscriptionUpdated') ? readChanges(item) : { changes: [], customFields: 'none' }),
  };
}

/** @throws ParameterMismatch */
function readChanges(item: ItemParameters): Pick<Settings, 'changes' | 'customFields'> {
  const wanted = readParameter(item, changes);
  const list = Array.isArray(wanted) ? wanted.map(String) : [];
  if (!list.includes('custom_fields')) return { changes: list, customFields: 'none' };
  const names = readParameter(item, fieldNames);
  return { changes: list, customFields: Array.isArray(names) ? names.map(String) : 'all' };
}

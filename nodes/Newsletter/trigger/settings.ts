/** Reads the parameters of the trigger. */
import { isRecord } from '@newsletter-kit/core/engine';
import type { Arguments } from '@newsletter-kit/core/engine';
import type { FieldChoice } from '@newsletter-kit/core/watch';
import type { INodeProperties, IPollFunctions } from 'n8n-workflow';
import { publicationIn } from '../parameters/connection.ts';
import { type ItemParameters, readCollection, readFields, readParameter, readValue } from '../parameters/read.ts';
import { subscriptionInclude } from '../parameters/subscription.ts';
import { expandOf, type OutputForm, readOutputForm, subscription } from '../records.ts';
import { type EventName, type Filter, needsScan, toFilter } from './events.ts';
import { requestsPerPoll } from './limits.ts';
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
  const isShown = ({ displayOptions }: INodeProperties): boolean =>
    displayOptions?.show?.['/events']?.some((name) => chosen.includes(name as EventName)) ?? true;
  const form = readOutputForm(item, subscription);
  const options: unknown = context.getNodeParameter('options', {});
  return {
    events: chosen,
    scans: needsScan(chosen),
    onlyLeavers: chosen.every((name) => name === 'subscriptionUnsubscribed'),
    publication: publicationIn(context),
    filter: toFilter(readFields(item, 'filters', filters)),
    form,
    expand: expandOf('subscriptions.list', form, subscriptionInclude, options) as Settings['expand'],
    ...readOptions(options, isShown, context.getTimezone()),
    ...(chosen.includes('subscriptionUpdated') ? readChanges(item) : { changes: [], customFields: 'none' }),
  };
}

/** A trigger has no input items: n8n reads its parameters without an index. */
function withoutItems(context: IPollFunctions): ItemParameters {
  const read = (name: string, _itemIndex: number, fallback?: unknown): unknown =>
    context.getNodeParameter(name, fallback);
  return { node: { getNodeParameter: read as ItemParameters['node']['getNodeParameter'] }, itemIndex: 0 };
}

/**
 * Reads the collection Options. An option that was added for another event is hidden, and ignored.
 *
 * @throws ParameterMismatch
 */
function readOptions(
  entered: unknown,
  isShown: (option: INodeProperties) => boolean,
  zone: string,
): Pick<Settings, 'since' | 'pages'> {
  const { [pagesOption.name]: pages } = readCollection([pagesOption], entered);
  const since = isRecord(entered) && isShown(sinceOption) ? entered[sinceOption.name] : undefined;
  const moment = readValue(sinceOption, since, zone);
  return {
    pages: typeof pages === 'number' ? Math.floor(pages) : requestsPerPoll,
    since: typeof moment === 'number' ? moment : undefined,
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

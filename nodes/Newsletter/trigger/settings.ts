/** Reads the parameters of the trigger. */
import { isRecord } from '@newsletter-kit/core/engine';
import type { Arguments } from '@newsletter-kit/core/engine';
import type { FieldChoice } from '@newsletter-kit/core/watch';
import { type INodeProperties, type IPollFunctions, NodeOperationError } from 'n8n-workflow';
import { publicationIn } from '../parameters/connection.ts';
import { type ItemParameters, readCollection, readFields, readParameter, readValue } from '../parameters/read.ts';
import { type OutputForm, readOutputForm, subscription } from '../records.ts';
import { type EventDefinition, events, type Filter, toFilter } from './events.ts';
import { requestsPerPoll } from './limits.ts';
import { changes, eventProperty, fieldNames, filters, includeOption, pagesOption, sinceOption } from './parameters.ts';

export interface Settings {
  /** The value of the event in a workflow, and what it is. */
  readonly chosen: string;
  readonly event: EventDefinition;
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
 * @throws NodeOperationError for an event that this version does not have, ParameterMismatch
 */
export function readSettings(context: IPollFunctions): Settings {
  const chosen = String(context.getNodeParameter(eventProperty.name));
  const event = events[chosen];
  if (event === undefined) {
    throw new NodeOperationError(context.getNode(), `This version of the node does not know the event "${chosen}"`, {
      description: 'Choose an Event from the list, or update the package.',
    });
  }
  const item = withoutItems(context);
  const isShown = ({ displayOptions }: INodeProperties): boolean =>
    displayOptions?.show?.['/event']?.includes(chosen) ?? true;
  return {
    chosen,
    event,
    publication: publicationIn(context),
    filter: toFilter(readFields(item, 'filters', filters.filter(isShown))),
    form: readOutputForm(item, subscription),
    ...readOptions(context.getNodeParameter('options', {}), isShown, context.getTimezone()),
    ...(event.type === 'updated' ? readChanges(item) : { changes: [], customFields: 'none' }),
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
): Pick<Settings, 'expand' | 'since' | 'pages'> {
  const { [pagesOption.name]: pages } = readCollection([pagesOption], entered);
  const { [sinceOption.name]: since, [includeOption.name]: include } = isRecord(entered) ? entered : {};
  const moment = isShown(sinceOption) ? readValue(sinceOption, since, zone) : undefined;
  return {
    pages: typeof pages === 'number' ? Math.floor(pages) : requestsPerPoll,
    since: typeof moment === 'number' ? moment : undefined,
    // An empty list is a choice; without the option, its default counts.
    expand: (readValue(includeOption, include ?? includeOption.default) ?? []) as Settings['expand'],
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

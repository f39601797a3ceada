/** Reads how the trigger is set. */
import type { Arguments } from '@newsletter-kit/core/engine';
import type { FieldChoice } from '@newsletter-kit/core/watch';
import { type INodeProperties, type IPollFunctions, NodeOperationError } from 'n8n-workflow';
import { isRecord } from '../isRecord.ts';
import { type ItemParameters, ParameterMismatch, readFields, readParameter, readValue } from '../parameters/read.ts';
import { publicationIn } from '../parameters/publication.ts';
import { readForm } from '../records/output.ts';
import type { Form } from '../records/present.ts';
import { subscription } from '../records/shapes.ts';
import { type EventDefinition, events } from './events.ts';
import { type Filter, toFilter } from './items.ts';
import { requestsAPoll } from './limits.ts';
import { toSeconds } from './moment.ts';
import { changes, fieldNames, filters, includeOption, pagesOption, sinceOption } from './parameters.ts';

export interface Settings {
  /** The value of the event in a workflow, and what it is. */
  readonly chosen: string;
  readonly event: EventDefinition;
  /** The publication the node names; empty for the credential's. */
  readonly publication: string;
  readonly filter: Filter;
  readonly expand: Arguments<'subscriptions.list'>['expand'];
  readonly form: Form;
  /** Unix seconds; undefined for the moment of the activation. */
  readonly since: number | undefined;
  /** Requests a poll may make. */
  readonly pages: number;
  /** Of the event "updated": which changes count, and in which custom fields. */
  readonly changes: readonly string[];
  readonly customFields: FieldChoice;
}

/** @throws NodeOperationError, ParameterMismatch */
export function readSettings(context: IPollFunctions): Settings {
  const chosen = String(context.getNodeParameter('event'));
  const event = events[chosen];
  if (event === undefined) {
    throw new NodeOperationError(context.getNode(), `This version of the node does not know the event "${chosen}"`, {
      description: 'Choose an Event from the list, or update the package.',
    });
  }
  const at = withoutItems(context);
  const { pages } = readFields(at, 'options', [pagesOption]);
  return {
    chosen,
    event,
    publication: publicationIn(context),
    filter: toFilter(readFields(at, 'filters', filters.filter(shownFor(chosen)))),
    expand: readInclude(at),
    form: readForm(at, subscription),
    since: event.looks === 'newest' ? readSince(at, context.getTimezone()) : undefined,
    pages: typeof pages === 'number' ? Math.floor(pages) : requestsAPoll,
    ...(event.type === 'updated' ? readChanges(at) : { changes: [], customFields: 'none' }),
  };
}

/** A trigger has no items: its parameters are read without one. */
function withoutItems(context: IPollFunctions): ItemParameters {
  const read = (name: string, _itemIndex: number, fallback?: unknown): unknown =>
    context.getNodeParameter(name, fallback);
  return { node: { getNodeParameter: read as ItemParameters['node']['getNodeParameter'] }, itemIndex: 0 };
}

/** An option that was added for another event, and is hidden since, does not count. */
function shownFor(chosen: string): (option: INodeProperties) => boolean {
  return ({ displayOptions }) => {
    const shown = displayOptions?.show?.['/event'];
    return !Array.isArray(shown) || shown.includes(chosen);
  };
}

/** Left out it means its default; an empty list is a choice. @throws ParameterMismatch */
function readInclude({ node, itemIndex }: ItemParameters): Settings['expand'] {
  const entered: unknown = node.getNodeParameter('options', itemIndex, {});
  const chosen = isRecord(entered) ? entered[includeOption.name] : undefined;
  return (readValue(includeOption, chosen ?? includeOption.default) ?? []) as Settings['expand'];
}

/** A moment, where the other dates of the package are days. @throws ParameterMismatch */
function readSince({ node, itemIndex }: ItemParameters, zone: string): number | undefined {
  const entered: unknown = node.getNodeParameter('options', itemIndex, {});
  const given = isRecord(entered) ? entered[sinceOption.name] : undefined;
  if (given === undefined || given === null || given === '') return undefined;
  const seconds = toSeconds(given, zone);
  if (seconds === undefined)
    throw new ParameterMismatch(
      `"${sinceOption.displayName}" must be a date such as 2026-11-20 or 2026-11-20T09:30:00`,
    );
  return seconds;
}

/** @throws ParameterMismatch */
function readChanges(at: ItemParameters): Pick<Settings, 'changes' | 'customFields'> {
  const wanted = readParameter(at, changes);
  const list = Array.isArray(wanted) ? wanted.map(String) : [];
  const names = list.includes('custom_fields') ? readParameter(at, fieldNames) : undefined;
  return {
    changes: list,
    customFields: !list.includes('custom_fields')
      ? 'none'
      : Array.isArray(names) && names.length > 0
        ? names.map(String)
        : 'all',
  };
}

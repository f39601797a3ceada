/** Reads the parameters of the trigger. */
import { isRecord } from '@newsletter-kit/core/engine';
import type { Arguments } from '@newsletter-kit/core/engine';
import type { FieldChoice } from '@newsletter-kit/core/watch';
import type { INodeProperties, IPollFunctions } from 'n8n-workflow';
import { publicationIn } from '../parameters/connection.ts';
import {
  type ItemParameters,
  ParameterMismatch,
  readCollection,
  readFields,
  readParameter,
  readValue,
} from '../parameters/read.ts';
import { type OutputForm, readOutputForm, subscription } from '../records.ts';
import { type EventName, type Filter, type ListPart, partFor, toFilter } from './events.ts';
import { requestsPerPoll } from './limits.ts';
import { changes, eventsProperty, fieldNames, filters, includeOption, pagesOption, sinceOption } from './parameters.ts';

export interface Settings {
  readonly events: readonly EventName[];
  readonly part: ListPart;
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
  return {
    events: chosen,
    part: partFor(chosen),
    publication: publicationIn(context),
    filter: toFilter(readFields(item, 'filters', filters)),
    form: readOutputForm(item, subscription),
    ...readOptions(context.getNodeParameter('options', {}), isShown, context.getTimezone()),
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
): Pick<Settings, 'expand' | 'since' | 'pages'> {
  const { [pagesOption.name]: pages } = readCollection([pagesOption], entered);
  const { [sinceOption.name]: since, [includeOption.name]: include } = isRecord(entered) ? entered : {};
  return {
    pages: typeof pages === 'number' ? Math.floor(pages) : requestsPerPoll,
    since:
      isShown(sinceOption) && since !== undefined && since !== null && since !== '' ? toSince(since, zone) : undefined,
    // An empty list is a choice; without the option, its default counts.
    expand: (readValue(includeOption, include ?? includeOption.default) ?? []) as Settings['expand'],
  };
}

/** Unix seconds: other dates of the package are days. @throws ParameterMismatch */
function toSince(value: unknown, zone: string): number {
  const seconds = toUnixSeconds(value, zone);
  if (seconds !== undefined) return seconds;
  throw new ParameterMismatch(`"${sinceOption.displayName}" must be a date such as 2026-11-20 or 2026-11-20T09:30:00`);
}

/** @throws ParameterMismatch */
function readChanges(item: ItemParameters): Pick<Settings, 'changes' | 'customFields'> {
  const wanted = readParameter(item, changes);
  const list = Array.isArray(wanted) ? wanted.map(String) : [];
  if (!list.includes('custom_fields')) return { changes: list, customFields: 'none' };
  const names = readParameter(item, fieldNames);
  return { changes: list, customFields: Array.isArray(names) ? names.map(String) : 'all' };
}

/** Ends with Z or a difference to UTC. */
const zoned = /(?:Z|[+-]\d\d:?\d\d)$/i;

/**
 * Unix seconds of a date from n8n's picker or an expression; undefined where it is no date.
 *
 * @param zone - the time zone of dates that name none
 */
export function toUnixSeconds(value: unknown, zone: string): number | undefined {
  const text = value instanceof Date ? value.toISOString() : String(value).trim().replace(' ', 'T');
  const asUtc = Date.parse(zoned.test(text) ? text : `${text.includes('T') ? text : `${text}T00:00:00`}Z`);
  if (Number.isNaN(asUtc)) return undefined;
  if (zoned.test(text)) return Math.floor(asUtc / 1000);
  // Twice: the offset itself changes in the hours around a daylight saving transition.
  const near = asUtc - utcOffsetMs(zone, asUtc);
  return Math.floor((asUtc - utcOffsetMs(zone, near)) / 1000);
}

/** Milliseconds by which the zone is ahead of UTC at this time. */
function utcOffsetMs(zone: string, moment: number): number {
  const parts = new Intl.DateTimeFormat('en-US', {
    timeZone: zone,
    hourCycle: 'h23',
    year: 'numeric',
    month: 'numeric',
    day: 'numeric',
    hour: 'numeric',
    minute: 'numeric',
    second: 'numeric',
  }).formatToParts(moment);
  const part = (type: Intl.DateTimeFormatPartTypes): number => Number(parts.find((each) => each.type === type)?.value);
  return (
    Date.UTC(part('year'), part('month') - 1, part('day'), part('hour'), part('minute'), part('second')) -
    Math.floor(moment / 1000) * 1000
  );
}

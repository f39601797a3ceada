/**
 * Whether something that must happen once has happened, although its answer was lost: the list it would stand in tells.
 *
 * A record of before the call must not be taken for the one the call made. What tells them apart is the time of
 * creation, and that is coarse: whole seconds, by the service's clock. So there is a stretch of time about which
 * nothing is concluded.
 */
import type { OperationId } from '../contract/index.ts';
import { addressKey } from '../signup/address.ts';
import { isRecord } from '../is-record.ts';
import type { CallName } from './errors.ts';

type Values = Readonly<Record<string, unknown>>;

/** How to look for what an operation would have made. */
interface LookUp {
  readonly list: Extract<OperationId, `${string}.list`>;
  /** Arguments of the call that the list takes too. */
  readonly listArguments: readonly string[];
  /** Arguments of the list besides. */
  readonly query: Values;
  /** Whether a record is about what the call was about; undefined where the record does not tell. */
  readonly isAbout: (record: Values, asked: Values) => boolean | undefined;
  /** Field with the time of creation: seconds since the Unix epoch, or a text. */
  readonly created: readonly string[];
  /** What a person does who wants to know. */
  readonly advice: string;
}

const lookUps: Partial<Readonly<Record<CallName, LookUp>>> = {
  'journeys.enroll': {
    list: 'journeys.list',
    listArguments: ['publicationId', 'automationId'],
    query: { limit: 100 },
    isAbout: (record, asked) =>
      both(same(record['subscription_id'], asked['subscription_id']), sameAddress(record['email'], asked['email'])),
    created: ['started_at', 'created'],
    advice: 'List the journeys of the automation (journeys.list) to see whether the subscriber is on one.',
  },
  'deletionRequests.create': {
    list: 'deletionRequests.list',
    listArguments: ['publicationId'],
    query: {},
    isAbout: (record, asked) => sameAddress(record['email'], asked['email']),
    created: ['requested_at', 'created_at'],
    advice: 'List the deletion requests (deletionRequests.list) to see whether there is one for the subscriber.',
  },
  'customFields.create': {
    list: 'customFields.list',
    listArguments: ['publicationId'],
    query: {},
    // The text alone: subscriptions refer to fields by it, so there is one of each; and a kind may be answered by
    // another word.
    isAbout: (record, asked) => same(record['display'], asked['display']),
    created: ['created'],
    advice: 'List the custom fields (customFields.list) to see whether it exists.',
  },
};

/** The look-up of an operation; undefined where there is none, as for OAuth grants. */
export function lookUpOf(id: CallName): LookUp | undefined {
  return lookUps[id];
}

/** Arguments for the list. */
export function listArguments({ listArguments: names, query }: LookUp, asked: Values): Values {
  return {
    ...query,
    ...Object.fromEntries(names.flatMap((name) => (asked[name] === undefined ? [] : [[name, asked[name]]]))),
  };
}

/** When the call was made, by the service's clock. */
export interface CallTime {
  /** The first sending, and now; milliseconds since the Unix epoch. */
  readonly from: number;
  readonly to: number;
  /** Whether the service's clock is known, from the `Date` of its answers; else it is taken to agree with ours. */
  readonly known: boolean;
}

/** Clocks that are taken to agree differ by no more, and a time in whole seconds stands for up to one second later. */
const slackMs = 2_000;

/** A record older than the call by so much was there before, whatever the clocks. */
const surelyBeforeMs = { known: 5_000, unknown: 300_000 } as const;

/** The record the call made; `'no'` where there is none; `'unclear'` where the records do not tell. */
export type Finding = { readonly record: Values } | 'no' | 'unclear';

/** Looks through all records of the list. Pure. */
export function find(
  { isAbout, created }: LookUp,
  records: readonly unknown[],
  asked: Values,
  call: CallTime,
): Finding {
  const found: Values[] = [];
  for (const record of records) {
    if (!isRecord(record)) return 'unclear';
    const about = isAbout(record, asked);
    if (about === false) continue;
    const time = timeOf(record, created);
    const surelyBefore = time !== undefined && time < call.from - surelyBeforeMs[call.known ? 'known' : 'unknown'];
    if (surelyBefore) continue;
    if (about === undefined || time === undefined || time < call.from - slackMs || time > call.to + slackMs)
      return 'unclear';
    found.push(record);
  }
  const [record, another] = found;
  if (another) return 'unclear';
  return record ? { record } : 'no';
}

function timeOf(record: Values, names: readonly string[]): number | undefined {
  for (const name of names) {
    const value = record[name];
    const time = typeof value === 'number' ? value * 1000 : typeof value === 'string' ? Date.parse(value) : Number.NaN;
    if (Number.isFinite(time)) return time;
  }
  return undefined;
}

/** What was not asked for does not matter; what the record does not hold cannot tell. */
function same(held: unknown, asked: unknown): boolean | undefined {
  if (asked === undefined) return true;
  return held === undefined || held === null ? undefined : held === asked;
}

function sameAddress(held: unknown, asked: unknown): boolean | undefined {
  if (typeof held !== 'string' || typeof asked !== 'string') return same(held, asked);
  return addressKey(held) === addressKey(asked);
}

/** One no is enough; one that tells is enough where the other does not. */
function both(a: boolean | undefined, b: boolean | undefined): boolean | undefined {
  if (a === false || b === false) return false;
  return a === undefined || b === undefined ? undefined : true;
}

/**
 * The state of a person at the API: the word of its answer as it came, and one more question ten minutes later where
 * that word is only a beginning. What cannot be read is unknown, never a guess.
 */
import { ApiError, type Client, isRecord } from '@newsletter-kit/core';
import { isUnconfirmed, isUnsubscribed, secondsOf } from '@newsletter-kit/core/facts';
import { addressKey } from '@newsletter-kit/core/signup';
import type { KnownStatus, OpenStatus } from '../store/signup-store.ts';
import { decideRetry } from '../queue/retry.ts';
import { callOptions, type DeliveryLane } from './lane.ts';

/** How long after the delivery the API is asked once more, and waits between questions that it did not answer. */
const askAgainMs = 10 * 60_000;

/** How long after the delivery it is asked at all. */
const longestMs = 86_400_000;

/** When it is read whether a person who has left is unsubscribed: the API does it in a job. */
const checkLeaveMs = 60_000;

/** Signups about which one run asks; as many as a page of the list has. */
const atOnce = 100;

/** Longest word that counts as a status: what is longer is none. */
const longestWord = 60;

/** The status in a record of the API; null where it has none. */
export function statusIn(record: unknown): string | null {
  const word = isRecord(record) ? record['status'] : null;
  return typeof word === 'string' && word !== '' && word.length <= longestWord ? word : null;
}

/** What is known with this status, read now. */
export function knownStatus(status: string | null, now: number): KnownStatus {
  return { status, askAgainAt: isUnconfirmed(status) ? now + askAgainMs : null };
}

/** A subscription as it is looked up. */
interface FoundRecord {
  /** Empty where it cannot be read. */
  readonly id: string;
  /** In milliseconds since the Unix epoch; 0 where it cannot be read: it was there before. */
  readonly createdAt: number;
  readonly status: string | null;
}

type LookUp = (
  lane: Pick<DeliveryLane, 'client' | 'publicationId'>,
  email: string,
  options: Parameters<Client['subscriptions']['list']>[1],
) => Promise<FoundRecord | null>;

const find: LookUp = async ({ client, publicationId }, email, options) => {
  const { items, leftOut } = await client.subscriptions.list({ publicationId, email, limit: 1 }, options);
  const [record] = [...items, ...leftOut];
  if (record === undefined) return null;
  const { id, created } = isRecord(record) ? record : {};
  return {
    id: typeof id === 'string' ? id : '',
    createdAt: (secondsOf(created) ?? 0) * 1000,
    status: statusIn(record),
  };
};

const isForbidden = (error: unknown): boolean => error instanceof ApiError && error.status === 403;

/** The subscription of an address; null without one, and where the key may create but not read. */
export const lookUp: LookUp = (...query) =>
  find(...query).catch((error: unknown) => {
    if (isForbidden(error)) return null;
    throw error;
  });

/** Statuses of subscriptions, by address. */
type Statuses = ReadonlyMap<string, string | null>;

/**
 * Asks once more about the signups of a lane whose subscription was still `validating` or `pending`, and unsubscribes
 * people who have left, until the API says that they have.
 */
export function createSecondLook(lane: DeliveryLane) {
  const { store, calls, log, events, secrets, now, publicationId, client, circuits, backoff, worker } = lane;
  const forms = Object.keys(lane.forms);
  const inBackground = { ...callOptions(lane), background: true };
  /** Whether the key may look up and change subscriptions; null where that is unknown. */
  let isAllowed: boolean | null = null;

  /** When the next question is due, in milliseconds since the Unix epoch; null if none is. */
  const nextAt = (): Promise<number | null> => store.nextDueAt(forms, 'delivered');

  /** Asks about what is due, with spare calls: one page of the newest, then what that lacks, one by one. */
  async function run(): Promise<void> {
    const due = await store.openStatuses(forms, now(), atOnce);
    if (due.length === 0) return;
    const isMany = due.filter(({ hasLeft }) => !hasLeft).length > 1;
    const found: Statuses = isMany ? await newest() : new Map();
    const answers: { readonly signup: OpenStatus; readonly known: KnownStatus }[] = [];
    for (const signup of due) {
      const known = signup.hasLeft ? await unsubscribe(signup) : await statusOf(signup, found);
      // No calls are left: the rest stays due.
      if (known === undefined) break;
      answers.push({ signup, known });
    }
    const settled = await worker.write(() =>
      store.settleStatuses(answers.map(({ signup: { id, hasLeft }, known }) => ({ id, hasLeft, ...known }))),
    );
    const ids = new Set(settled?.map(({ id }) => id));
    for (const { signup, known } of answers)
      if (ids.has(signup.id) && known.askAgainAt === null)
        events.emit({ type: 'statusKnown', form: signup.form, status: known.status });
    log.debug({ asked: answers.length }, 'asked again for the status of subscriptions that were being checked');
  }

  async function statusOf(signup: OpenStatus, found: Statuses): Promise<KnownStatus | undefined> {
    const listed = found.get(addressKey(signup.submission.email));
    const answer = listed === undefined ? await ask(signup) : { status: listed };
    if (answer === undefined) return undefined;
    const asksAgain = answer === null && now() - signup.settledAt < longestMs;
    return { status: answer?.status ?? null, askAgainAt: asksAgain ? now() + askAgainMs : null };
  }

  /** Whether a person can leave: false where the key may not look them up. The first mail asks, and waits for it. */
  async function mayLeave(): Promise<boolean> {
    if (isAllowed !== null) return isAllowed;
    // A leave waits until the API answers.
    if (circuits.isFailing || !(await calls.take(1))) return true;
    try {
      await client.subscriptions.list({ publicationId, limit: 1 }, { ...callOptions(lane), timeoutMs: 2000 });
      isAllowed ??= true;
    } catch (error) {
      if (isForbidden(error)) isAllowed = false;
    }
    return isAllowed ?? true;
  }

  /** @returns undefined if no calls are left */
  async function unsubscribe({ id, submission, settledAt }: OpenStatus): Promise<KnownStatus | undefined> {
    if (!(await calls.take(2))) return undefined;
    try {
      const record = await find(lane, submission.email, inBackground);
      // It may appear in the list later than it was created.
      if (record === null)
        return { status: null, askAgainAt: now() - settledAt < longestMs ? now() + askAgainMs : null };
      if (isUnsubscribed(record.status)) return { status: record.status, askAgainAt: null };
      const change = { subscription_id: record.id, unsubscribe: true };
      await client.subscriptions.bulkUpdate({ publicationId, subscriptions: [change] }, inBackground);
      return { status: record.status, askAgainAt: now() + checkLeaveMs };
    } catch (error) {
      const { reason } = decideRetry(error, secrets);
      if (isForbidden(error)) isAllowed = false;
      log[isForbidden(error) ? 'error' : 'warn'](
        { signup: id, reason },
        'a person has left by the program that shows their mails, and is not unsubscribed yet; it will be tried again',
      );
      return { status: null, askAgainAt: now() + backoff.maxMs };
    }
  }

  /** The statuses of the newest subscriptions; none where the list cannot be read. */
  async function newest(): Promise<Statuses> {
    if (!(await calls.take(1))) return new Map();
    try {
      const { items } = await client.subscriptions.list(
        { publicationId, order_by: 'created', direction: 'desc', limit: atOnce },
        { ...inBackground, reader: 'relay' },
      );
      return new Map(items.map((record) => [addressKey(record.email ?? ''), statusIn(record)]));
    } catch {
      return new Map();
    }
  }

  /** @returns null if the API did not answer, undefined if no calls are left */
  async function ask({ submission }: OpenStatus): Promise<{ readonly status: string | null } | null | undefined> {
    if (circuits.isFailing) return null;
    if (!(await calls.take(1))) return undefined;
    try {
      return (await lookUp(lane, submission.email, inBackground)) ?? { status: null };
    } catch {
      return null;
    }
  }

  return { nextAt, run, mayLeave };
}

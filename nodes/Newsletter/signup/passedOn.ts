/** Which signups started an execution lately: a table of hashes and times that n8n keeps beside the workflow. Pure. */
import { addressKey } from '@newsletter-kit/core/signup';
import { isRecord } from '../isRecord.ts';
import type { Signup } from './admit.ts';

/** Hash of what makes two posts one signup → when it was passed on, in seconds since 1970. */
export type PassedOn = ReadonlyMap<string, number>;

/** Most hashes kept, the newest: 30 kB at most are written with each signup. */
const mostKept = 1_000;

/** Seconds in which a repeated Idempotency-Key is the same attempt. The tag repeats within a minute. */
const attemptSeconds = 600;

/** The marks of a signup: hashes, each with the seconds it counts for. */
export type Marks = readonly { readonly hash: string; readonly seconds: number }[];

/**
 * Which marks a signup leaves. The address is never kept, only hashes that hold for this node alone. One key used for
 * two people must not lose the second; and what a robot seems to have sent never stands in for a person.
 *
 * @param scope - what tells this node from every other
 */
export async function marksOf(
  { submission, suspected, idempotencyKey }: Signup,
  quietSeconds: number,
  scope: string,
): Promise<Marks> {
  const person = [scope, suspected, addressKey(submission.email)];
  return [
    ...(quietSeconds > 0 ? [{ hash: await digest(['address', ...person]), seconds: quietSeconds }] : []),
    ...(idempotencyKey === null
      ? []
      : [{ hash: await digest(['attempt', ...person, idempotencyKey]), seconds: attemptSeconds }]),
  ];
}

/** Whether one of the marks is there and still counts. */
export function isRepeat(passedOn: PassedOn, marks: Marks, now: number): boolean {
  return marks.some(({ hash, seconds }) => now - (passedOn.get(hash) ?? Number.NEGATIVE_INFINITY) < seconds);
}

/** The table with these marks added, and without what is too old to count. */
export function withMarks(passedOn: PassedOn, marks: Marks, now: number, quietSeconds: number): PassedOn {
  const oldest = now - Math.max(quietSeconds, attemptSeconds);
  const kept = [...passedOn].filter(([, at]) => at > oldest && at <= now);
  const all = new Map([...kept, ...marks.map(({ hash }) => [hash, now] as const)]);
  return new Map([...all].toSorted(([, a], [, b]) => b - a).slice(0, mostKept));
}

/** Reads what n8n kept. A foreign shape counts as empty: at worst a signup is passed on twice. */
export function fromKept(kept: unknown): PassedOn {
  if (!isRecord(kept)) return new Map();
  return new Map(
    Object.entries(kept).flatMap(([hash, at]) =>
      typeof at === 'number' && Number.isFinite(at) ? [[hash, at] as const] : [],
    ),
  );
}

/** The table as n8n keeps it: JSON. */
export function toKept(passedOn: PassedOn): Record<string, number> {
  return Object.fromEntries(passedOn);
}

/** 96 bits of SHA-256: enough to tell addresses apart, and short. */
async function digest(parts: readonly unknown[]): Promise<string> {
  const bytes = await crypto.subtle.digest('SHA-256', new TextEncoder().encode(JSON.stringify(parts)));
  return [...new Uint8Array(bytes, 0, 12)].map((byte) => byte.toString(16).padStart(2, '0')).join('');
}

/** Translates a filter of signups into an SQL condition, for both dialects. Pure. */
import { personHash } from './signup-identity.ts';
import type { Dialect, Value } from './acts/act.ts';
import { leftByMail, type SignupFilter, signupStates } from './signup-store.ts';

/** A condition with a `?` for each of its values. */
interface SqlCondition {
  readonly sql: string;
  readonly values: readonly Value[];
}

/** Of a signup that is neither delivered nor due by itself: the condition of a partial index. */
export const isIdle = `next_attempt_at IS NULL AND state <> 'delivered'`;

/** Repeats `isRedrivable` for unconfirmed signups: those whose mail is held. */
export const isHeld = `state = 'unconfirmed' AND NOT tried AND next_attempt_at IS NOT NULL AND last_error IS NOT NULL`;

/** Of a signup whose person has left: settling it keeps that. */
export const hasLeft = `last_error = '${leftByMail}'`;

/** Of a signup that has surely not reached the API, and will not. */
export const isUnsent = `(state IN ('dead', 'review') OR (state = 'waiting' AND NOT tried))`;

/** Whether the state is one of these. */
export const isOneOf = (states: readonly string[]): string =>
  states.length === 0 ? '1 = 0' : `state IN (${states.map((each) => `'${each}'`).join(', ')})`;

const uuid = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;

type Part<Value> = (value: Value, dialect: Dialect) => SqlCondition;

const parts: { readonly [Name in keyof Required<SignupFilter>]: Part<NonNullable<SignupFilter[Name]>> } = {
  // A text that is no UUID matches no signup.
  ids: (ids, { among }) => ({ sql: among('id', '?'), values: [ids.filter((id) => uuid.test(id))] }),
  states(states, { ofStates }) {
    const known = signupStates.filter((each) => states.includes(each));
    return { sql: (known.includes('delivered') ? isOneOf : ofStates)(known), values: [] };
  },
  form: (form) => ({ sql: 'form = ?', values: [form] }),
  // Each fingerprint begins with the hash of the person; '~' sorts after every character of a hash.
  email: (address) => ({
    sql: "content >= ? AND content < ? || '~'",
    values: [personHash(address), personHash(address)],
  }),
  reason: (text, { find }) => ({ sql: `${find}(lower(last_error), lower(?)) > 0`, values: [text] }),
  receivedFrom: (moment) => ({ sql: 'received_at >= ?', values: [moment] }),
  receivedUntil: (moment) => ({ sql: 'received_at < ?', values: [moment] }),
};

export function conditions(filter: SignupFilter, dialect: Dialect): SqlCondition {
  const all = (Object.keys(parts) as (keyof SignupFilter)[]).flatMap((name) => {
    // Each part takes the value of its own name.
    const part = parts[name] as Part<unknown>;
    return filter[name] === undefined || filter[name] === null ? [] : [part(filter[name], dialect)];
  });
  return { sql: all.map(({ sql }) => sql).join(' AND ') || '1 = 1', values: all.flatMap(({ values }) => values) };
}

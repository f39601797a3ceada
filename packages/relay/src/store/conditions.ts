/** Translates a filter of signups into an SQL condition, for both dialects. Pure. */
import { personHash } from './signup-identity.ts';
import type { Bind, Dialect } from './acts/act.ts';
import { leftByMail, type SignupFilter, signupStates } from './signup-store.ts';

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

type Part<Value> = (value: Value, bind: Bind, dialect: Dialect) => string;

const parts: { readonly [Name in keyof Required<SignupFilter>]: Part<NonNullable<SignupFilter[Name]>> } = {
  // A text that is no UUID matches no signup.
  ids: (ids, bind, { among }) => among('id', bind(ids.filter((id) => uuid.test(id)))),
  states(states, _bind, { ofStates }) {
    const known = signupStates.filter((each) => states.includes(each));
    return (known.includes('delivered') ? isOneOf : ofStates)(known);
  },
  form: (form, bind) => `form = ${bind(form)}`,
  // Each fingerprint begins with the hash of the person; '~' sorts after every character of a hash.
  email(address, bind) {
    const person = bind(personHash(address));
    return `content >= ${person} AND content < ${person} || '~'`;
  },
  reason: (text, bind, { find }) => `${find}(lower(last_error), lower(${bind(text)})) > 0`,
  receivedFrom: (moment, bind) => `received_at >= ${bind(moment)}`,
  receivedUntil: (moment, bind) => `received_at < ${bind(moment)}`,
};

export function conditions(filter: SignupFilter, bind: Bind, dialect: Dialect): string {
  const all = (Object.keys(parts) as (keyof SignupFilter)[]).flatMap((name) => {
    // Each part takes the value of its own name.
    const part = parts[name] as Part<unknown>;
    return filter[name] === undefined || filter[name] === null ? [] : [part(filter[name], bind, dialect)];
  });
  return all.join(' AND ') || '1 = 1';
}

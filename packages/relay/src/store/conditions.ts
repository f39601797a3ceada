/** Translates a filter of signups into an SQL condition, for both dialects. Pure. */
import { personHash } from './signup-identity.ts';
import type { SignupFilter } from './signup-store.ts';

/** A condition with a `?` for each of its values. */
export interface SqlCondition {
  readonly sql: string;
  readonly values: readonly (string | number)[];
}

const oneOf = (column: string, values: readonly string[]): SqlCondition => ({
  sql: values.length === 0 ? '1 = 0' : `${column} IN (${values.map(() => '?').join(', ')})`,
  values,
});

const uuid = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;

/** @param find - the dialect's function for the position of a substring */
type Part<Value> = (value: Value, find: string) => SqlCondition;

const parts: { readonly [Name in keyof Required<SignupFilter>]: Part<NonNullable<SignupFilter[Name]>> } = {
  // A text that is no UUID matches no signup.
  ids: (ids, find) => {
    const known = ids.filter((id) => uuid.test(id));
    // One value for all of them: a Durable Object takes a hundred values per query.
    return find === 'instr'
      ? { sql: 'id IN (SELECT value FROM json_each(?))', values: [JSON.stringify(known)] }
      : oneOf('id', known);
  },
  states: (states) => {
    const { sql, values } = oneOf('state', states);
    // Lets the planner use the partial index of signups that are not delivered.
    return { sql: states.includes('delivered') ? sql : `state <> 'delivered' AND ${sql}`, values };
  },
  form: (form) => ({ sql: 'form = ?', values: [form] }),
  // Each fingerprint begins with the hash of the person; '~' sorts after every character of a hash.
  email: (address) => ({
    sql: "content >= ? AND content < ? || '~'",
    values: [personHash(address), personHash(address)],
  }),
  reason: (text, find) => ({ sql: `${find}(lower(last_error), lower(?)) > 0`, values: [text] }),
  receivedFrom: (moment) => ({ sql: 'received_at >= ?', values: [moment] }),
  receivedUntil: (moment) => ({ sql: 'received_at < ?', values: [moment] }),
};

/** @param find - the dialect's function for the position of a substring */
export function conditions(filter: SignupFilter, find: 'instr' | 'strpos'): SqlCondition {
  const part = <Value>(value: Value | null | undefined, of: Part<Value>): SqlCondition[] =>
    value === undefined || value === null ? [] : [of(value, find)];
  const all = [
    ...part(filter.ids, parts.ids),
    ...part(filter.states, parts.states),
    ...part(filter.form, parts.form),
    ...part(filter.email, parts.email),
    ...part(filter.reason, parts.reason),
    ...part(filter.receivedFrom, parts.receivedFrom),
    ...part(filter.receivedUntil, parts.receivedUntil),
  ];
  return { sql: all.map(({ sql }) => sql).join(' AND ') || '1 = 1', values: all.flatMap(({ values }) => values) };
}

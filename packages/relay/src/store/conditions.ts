/** A filter as the condition of an SQL statement, for every dialect. Pure. */
import type { SignupFilter } from './signup-store.ts';

/** A condition with a `?` for each of its values. */
export interface Condition {
  readonly sql: string;
  readonly values: readonly (string | number)[];
}

type Part<Name extends keyof SignupFilter> = (value: NonNullable<SignupFilter[Name]>, find: string) => Condition;

const oneOf = (column: string, values: readonly string[]): Condition => ({
  sql: values.length === 0 ? '1 = 0' : `${column} IN (${values.map(() => '?').join(', ')})`,
  values,
});

const uuid = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;

const parts: { readonly [Name in keyof Required<SignupFilter>]: Part<Name> } = {
  // What is no identifier is nobody's.
  ids: (ids) => oneOf('id', ids.filter((id) => uuid.test(id))),
  states: (states) => oneOf('state', states),
  form: (form) => ({ sql: 'form = ?', values: [form] }),
  reason: (text, find) => ({ sql: `${find}(lower(last_error), lower(?)) > 0`, values: [text] }),
  receivedFrom: (moment) => ({ sql: 'received_at >= ?', values: [moment] }),
  receivedUntil: (moment) => ({ sql: 'received_at < ?', values: [moment] }),
};

/** @param find - the dialect's function for the place of a text in another */
export function conditions(filter: SignupFilter, find: 'instr' | 'strpos'): Condition {
  const all = Object.keys(parts).flatMap((name) => part(name as keyof SignupFilter, filter, find));
  return { sql: all.map(({ sql }) => sql).join(' AND ') || '1 = 1', values: all.flatMap(({ values }) => values) };
}

function part<Name extends keyof SignupFilter>(name: Name, filter: SignupFilter, find: string): Condition[] {
  const value = filter[name];
  return value === undefined || value === null ? [] : [parts[name](value, find)];
}

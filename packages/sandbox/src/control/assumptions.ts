/** The current value of each assumption, and how it changes answers. */
import { apiError } from '../api/errors.ts';
import {
  type Assumed,
  type Assumption,
  type AssumptionChoice,
  type AssumptionId,
  assumptions,
  type AssumptionValue,
  type Draft,
  type Facts,
} from './assumption-table.ts';

/** One assumption with its current value. */
export interface AssumptionState {
  readonly id: AssumptionId;
  /** What the specification leaves open. */
  readonly silent: string;
  readonly values: readonly string[];
  readonly default: string;
  readonly value: string;
}

export interface Assumptions {
  /** Whether any answer came out differently, or any work was done differently, since they were set. */
  readonly met: boolean;
  list(): readonly AssumptionState[];
  /** Sets the assumptions named and every other to its default. @throws ApiError 400 for an id or value there is not */
  set(choice: AssumptionChoice): void;
}

/** The assumptions as the sandbox uses them. */
export interface AssumptionSet extends Assumptions {
  /** The answer as it reads under the assumptions; the same object where all have their default. */
  apply(response: Response, operation: string | null, facts: () => Facts): Promise<Response>;
  readonly value: Assumed;
  /** Back to what it started with. */
  reset(): void;
}

const table: Readonly<Record<string, Assumption>> = assumptions;
const ids = Object.keys(table) as AssumptionId[];
const valuesOf = (id: AssumptionId): string[] => [table[id]?.default ?? '', ...Object.keys(table[id]?.others ?? {})];

export function createAssumptions(initial: AssumptionChoice = {}): AssumptionSet {
  let changed = new Map<AssumptionId, string>();
  let met = false;
  const set = (choice: Readonly<Record<string, unknown>>): void => {
    met = false;
    changed = new Map(
      Object.entries(choice)
        .flatMap(([id, value]) => (value === undefined ? [] : [read(id, value)]))
        .filter(([id, value]) => value !== table[id]?.default),
    );
  };
  set(initial);

  return {
    set,
    get met() {
      return met;
    },
    value<Id extends AssumptionId>(id: Id) {
      met ||= changed.has(id);
      return (changed.get(id) ?? assumptions[id].default) as AssumptionValue<Id>;
    },
    reset: () => set(initial),
    list: () =>
      ids.map((id) => {
        const { silent = '', default: fallback = '' } = table[id] ?? {};
        return { id, silent, values: valuesOf(id), default: fallback, value: changed.get(id) ?? fallback };
      }),
    async apply(response, operation, facts) {
      if (changed.size === 0) return response;
      const text = await response.text();
      const json = text !== '' && (response.headers.get('content-type') ?? '').includes('json');
      const headers = Object.fromEntries(response.headers);
      if (text !== '' && !json) return new Response(text, { status: response.status, headers });
      let draft: Draft = {
        operation,
        status: response.status,
        headers,
        body: json ? JSON.parse(text) : undefined,
        facts: facts(),
      };
      for (const id of ids) draft = table[id]?.others[changed.get(id) ?? '']?.(draft) ?? draft;
      const changedText = draft.body === undefined ? '' : JSON.stringify(draft.body);
      const before = JSON.stringify([response.status, headers]);
      met ||= changedText !== text || JSON.stringify([draft.status, draft.headers]) !== before;
      return new Response(draft.body === undefined ? null : changedText, {
        status: draft.status,
        headers: draft.headers,
      });
    },
  };
}

function read(id: string, value: unknown): [AssumptionId, string] {
  const known = ids.find((name) => name === id);
  if (!known)
    throw apiError(
      400,
      'UNKNOWN_ASSUMPTION',
      `There is no assumption "${id.slice(0, 60)}". There are ${ids.join(', ')}.`,
    );
  const text = String(value);
  if (!valuesOf(known).includes(text))
    throw apiError(400, 'UNKNOWN_ASSUMPTION', `"${known}" is ${valuesOf(known).join(' or ')}.`);
  return [known, text];
}

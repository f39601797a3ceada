/** Assumptions: the values chosen for the gaps of the specification; and `/_sandbox/assumptions`. */
import { Hono } from 'hono';
import * as z from 'zod';
import { apiError } from '../http/errors.ts';
import { readBody } from '../http/read-request.ts';
import {
  type Answer,
  type AssumptionChoice,
  type AssumptionId,
  type AssumptionValue,
  type Assumed,
  type Facts,
  type Gap,
  gaps,
} from '../gaps.ts';
import type { Feature } from './feature.ts';

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
export interface AssumptionSet extends Assumptions, Feature {
  /** The answer as it reads under the assumptions; the same object where all have their default. */
  apply(response: Response, operation: string | null, facts: () => Facts): Promise<Response>;
  readonly value: Assumed;
}

const table: Readonly<Record<AssumptionId, Gap>> = gaps;
const ids = Object.keys(table) as AssumptionId[];
const valuesOf = (id: AssumptionId): string[] => [table[id].default, ...Object.keys(table[id].others)];

export function createAssumptions(initial: AssumptionChoice = {}): AssumptionSet {
  let changed = new Map<AssumptionId, string>();
  let met = false;
  const set = (choice: Readonly<Record<string, unknown>>): void => {
    met = false;
    changed = new Map(
      Object.entries(choice)
        .flatMap(([id, value]) => (value === undefined ? [] : [read(id, value)]))
        .filter(([id, value]) => value !== table[id].default),
    );
  };
  set(initial);

  const assumptionSet: AssumptionSet = {
    set,
    get met() {
      return met;
    },
    value<Id extends AssumptionId>(id: Id) {
      met ||= changed.has(id);
      return (changed.get(id) ?? gaps[id].default) as AssumptionValue<Id>;
    },
    reset: () => set(initial),
    list: () =>
      ids.map((id) => {
        const { silent, default: fallback } = table[id];
        return { id, silent, values: valuesOf(id), default: fallback, value: changed.get(id) ?? fallback };
      }),
    async apply(response, operation, facts) {
      if (changed.size === 0) return response;
      const text = await response.text();
      const json = text !== '' && (response.headers.get('content-type') ?? '').includes('json');
      const headers = Object.fromEntries(response.headers);
      if (text !== '' && !json) return new Response(text, { status: response.status, headers });
      let answer: Answer = {
        operation,
        status: response.status,
        headers,
        body: json ? JSON.parse(text) : undefined,
        facts: facts(),
      };
      for (const id of ids) {
        const change = table[id].others[changed.get(id) ?? ''];
        if (typeof change === 'function') answer = change(answer);
      }
      const changedText = answer.body === undefined ? '' : JSON.stringify(answer.body);
      const before = JSON.stringify([response.status, headers]);
      met ||= changedText !== text || JSON.stringify([answer.status, answer.headers]) !== before;
      return new Response(answer.body === undefined ? null : changedText, {
        status: answer.status,
        headers: answer.headers,
      });
    },
    routes: () => assumptionRoutes(assumptionSet),
  };
  return assumptionSet;
}

function assumptionRoutes(assumptions: Assumptions): Hono {
  return new Hono()
    .get('/assumptions', (context) => context.json({ data: assumptions.list() }))
    .put('/assumptions', async (context) => {
      assumptions.set(await readBody(context.req.raw, z.record(z.string(), z.union([z.string(), z.number()]))));
      return context.json({ data: assumptions.list() });
    });
}

function read(id: string, value: unknown): [AssumptionId, string] {
  const known = ids.find((name) => name === id);
  if (!known)
    throw apiError(
      400,
      'UNKNOWN_ASSUMPTION',
      `There is no assumption "${id.slice(0, 60)}". The assumptions are ${ids.join(', ')}.`,
    );
  const text = String(value);
  if (!valuesOf(known).includes(text))
    throw apiError(400, 'UNKNOWN_ASSUMPTION', `"${known}" must be ${valuesOf(known).join(' or ')}.`);
  return [known, text];
}

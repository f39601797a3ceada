/**
 * Fault injection: which requests a fault matches, when it fires, and what it does – delays, error answers, and
 * connections that break before or after the work; and `/_sandbox/faults`.
 */
import { operations } from '@newsletter-kit/core/contract';
import { Hono } from 'hono';
import * as z from 'zod';
import { apiError } from '../http/errors.ts';
import { readBody } from '../http/read-request.ts';
import { fraction } from '../world/ids.ts';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Feature } from './feature.ts';
import { deviate, fieldChanges, type AnswerDeviation } from './deviations.ts';

const effect = z.union([
  z.enum(['reset', 'truncate', 'lostResponse', 'duplicate']),
  z.strictObject({
    status: z.int().min(400).max(599),
    /** Seconds, sent as `Retry-After`. */
    retryAfter: z.int().min(0).max(86_400).optional(),
    /** The API's error body, or what a proxy in front of it answers. */
    body: z.enum(['error', 'html', 'empty']).default('error'),
  }),
  z.strictObject({ latency: z.int().min(0).max(300_000) }),
  /** A success whose body has this field otherwise; `[]` is the first element of a list: `data[].stats.open_rate`. */
  z.strictObject({ field: z.string().min(1).max(200), change: z.enum(fieldChanges) }),
]);

const ids = operations.map((operation) => operation.id);
const match = z
  .string()
  .refine((text) => text === '*' || /^[A-Z]+ \/\S*$/.test(text) || ids.some((id) => matchesOperation(text, id)), {
    error: `must be "*", an operation such as "subscriptions.create" or "subscriptions.*", or a method and path such as "POST /v2/publications/*/subscriptions"`,
  });

export const faultSchema = z.strictObject({
  /** `*`, an operation's id with `*` for any part, or `METHOD /path` with `*` for anything. */
  match: match.default('*'),
  effect,
  /** Fires from the nth request it meets on, counted from when it was set. Default: the first. */
  nth: z.int().min(1).optional(),
  /** Chance to fire at each request it meets, 0 to 1. */
  probability: z.number().min(0).max(1).optional(),
  /** Decides when a fault with a probability fires: the same number, the same requests. */
  seed: z.int().default(1),
  /** How often it fires at most; null for ever. Default 1 with `nth`, otherwise null. */
  times: z.int().min(1).nullable().optional(),
});

/** A fault as it is written. */
export type FaultRequest = z.input<typeof faultSchema>;
export type Effect = z.output<typeof effect>;

/** A fault that is set. */
export interface Fault {
  readonly id: string;
  readonly match: string;
  readonly effect: Effect;
  readonly nth: number | null;
  readonly probability: number | null;
  readonly seed: number;
  readonly times: number | null;
  /** How many requests it has met. */
  readonly seen: number;
  /** How often it has fired. */
  readonly fired: number;
}

/** The parts of a request that faults match on. */
export interface FaultTarget {
  readonly method: string;
  readonly path: string;
  /** Ids of the operations at this method and path. */
  readonly operations: readonly string[];
}

/** Whether a fault with this `match` applies to the request. */
function matchesFault(match: string, { method, path, operations }: FaultTarget): boolean {
  if (match === '*') return true;
  if (match.includes(' ')) return wildcard(match, '.*').test(`${method} ${path}`);
  return operations.some((id) => matchesOperation(match, id));
}

function matchesOperation(match: string, id: string): boolean {
  return match === id || wildcard(match, '[^.]*').test(id);
}

/** Matches texts in which `*` stands for `anything`. */
export function wildcard(text: string, anything: string): RegExp {
  return new RegExp(
    `^${text
      .split('*')
      .map((part) => part.replace(/[$()+.?[\\\]^{|}]/g, '\\$&'))
      .join(anything)}$`,
  );
}

export interface Faults {
  /** Sets a fault. @throws ZodError where it is not one */
  add(fault: FaultRequest): Fault;
  list(): readonly Fault[];
  /** Whether there was one of this id. */
  remove(id: string): boolean;
  /** Removes all and returns how many. */
  clear(): number;
}

/** The faults as the sandbox uses them. */
export interface FaultSet extends Faults, Feature {
  /** Whether any fault is set; avoids work when there is none. */
  readonly any: boolean;
  /** Counts the request for every fault that it matches, and returns those that fire. */
  fire(met: FaultTarget): readonly Fault[];
}

export function createFaults(): FaultSet {
  const faults = new Map<string, Fault>();
  let made = 0;
  const set: FaultSet = {
    add(options) {
      const {
        match,
        effect,
        nth = null,
        probability = null,
        seed,
        times = nth === null ? null : 1,
      } = faultSchema.parse(options);
      const id = `fault_${(made += 1)}`;
      const fault: Fault = { id, match, effect, nth, probability, seed, times, seen: 0, fired: 0 };
      faults.set(id, fault);
      return fault;
    },
    list: () => [...faults.values()],
    remove: (id) => faults.delete(id),
    clear() {
      const { size } = faults;
      faults.clear();
      return size;
    },
    get any() {
      return faults.size > 0;
    },
    fire(met) {
      const firing: Fault[] = [];
      for (const fault of faults.values()) {
        if (!matchesFault(fault.match, met)) continue;
        const seen = fault.seen + 1;
        const fires = firesAt(fault, seen);
        faults.set(fault.id, { ...fault, seen, fired: fault.fired + (fires ? 1 : 0) });
        if (fires) firing.push(fault);
      }
      return firing;
    },
    reset: () => faults.clear(),
    routes: () => faultRoutes(set),
  };
  return set;
}

function faultRoutes(faults: Faults): Hono {
  return new Hono()
    .get('/faults', (context) => context.json({ data: faults.list() }))
    .post('/faults', async (context) =>
      context.json({ data: faults.add(await readBody(context.req.raw, faultSchema)) }, 201),
    )
    .delete('/faults', (context) => context.json({ removed: faults.clear() }))
    .delete('/faults/:id', (context) => {
      if (!faults.remove(context.req.param('id')))
        throw apiError(404, 'NOT_FOUND', 'There is no fault with this id. GET /_sandbox/faults lists them.');
      return context.json({ removed: 1 });
    });
}

function firesAt({ nth, probability, seed, times, fired }: Fault, seen: number): boolean {
  if (times !== null && fired >= times) return false;
  if (nth !== null && seen < nth) return false;
  return probability === null || fraction(seed, 'fault', seen) < probability;
}

/**
 * How the connection to the API breaks: as `fetch` reports it, so that a client in process sees what it would see over
 * a port.
 */
export class ConnectionLost extends TypeError {
  constructor() {
    super('fetch failed', {
      cause: Object.assign(new Error('read ECONNRESET'), { code: 'ECONNRESET', errno: -104, syscall: 'read' }),
    });
    this.name = 'TypeError';
  }
}

/** Makes an error answer of this status. */
export type Refuse = (
  status: number,
  reason: { readonly message: string; readonly code: string },
  headers: Readonly<Record<string, string>>,
) => Response;

/** The steps of a request without faults. Each call adds one entry to the request log, with these notes. */
export interface RequestSteps {
  /** Does the request's work. */
  readonly work: (request: Request, notes: readonly string[]) => Promise<Response>;
  /** A refusal in the error body that belongs to the path: that of the API, or that of OAuth. */
  readonly refuse: Refuse;
  /** Logs that the request ended without its work; null where there was no answer. */
  readonly end: (response: Response | null, notes: readonly string[]) => Promise<void>;
}

/**
 * Runs a request through the faults that fired. Delays add up; of the others the first decides.
 *
 * @throws {@link ConnectionLost}, or the reason of the request's signal where it is aborted during a delay
 */
export async function applyFaults(
  fired: readonly Fault[],
  request: Request,
  { work, refuse, end }: RequestSteps,
): Promise<Response> {
  const notes: string[] = [];
  const note = ({ id }: Pick<Fault, 'id'>, what: string): void => void notes.push(`Fault ${id}: ${what}`);
  for (const fault of fired) {
    if (typeof fault.effect !== 'object' || !('latency' in fault.effect)) continue;
    note(fault, `the request waited ${fault.effect.latency} ms.`);
    await wait(fault.effect.latency, request.signal);
  }
  const deviations = fired.flatMap(({ id, effect }) =>
    typeof effect === 'object' && 'field' in effect ? [{ id, ...effect }] : [],
  );
  for (const { id, field, change } of deviations) notes.push(`Fault ${id}: "${field}" of the answer was ${change}.`);
  const [fault] = fired.flatMap(({ id, effect }) =>
    typeof effect !== 'object' || 'status' in effect ? [{ id, effect }] : [],
  );
  if (!fault) return deviated(await work(request, notes), deviations);

  if (typeof fault.effect === 'object') {
    const { status, retryAfter, body } = fault.effect;
    note(fault, `answered ${status}; the request was not carried out.`);
    const headers: Readonly<Record<string, string>> =
      retryAfter === undefined ? {} : { 'Retry-After': String(retryAfter) };
    const response =
      body === 'error'
        ? refuse(status, { message: 'This error is a fault that was set in the sandbox.', code: 'FAULT' }, headers)
        : page(status, body, headers);
    await end(response, notes);
    return response;
  }
  switch (fault.effect) {
    case 'reset':
      note(fault, 'the connection was broken before the request was carried out.');
      await end(null, notes);
      throw new ConnectionLost();
    case 'lostResponse':
      note(fault, 'the request was carried out, then the connection was broken: the answer was lost.');
      await work(request, notes);
      throw new ConnectionLost();
    case 'truncate':
      note(fault, 'the request was carried out, and its answer was cut off in the middle.');
      return cut(await work(request, notes));
    case 'duplicate': {
      const copy = request.clone();
      const answer = await work(request, notes);
      note(fault, 'this is the same request once more; the client sees the first answer.');
      await work(copy, notes);
      return answer;
    }
  }
}

/** A success in JSON with its fields changed. */
async function deviated(response: Response, deviations: readonly AnswerDeviation[]): Promise<Response> {
  if (deviations.length === 0 || !response.ok || !response.headers.get('content-type')?.includes('json'))
    return response;
  const body = deviations.reduce<unknown>(deviate, await response.json());
  return new Response(JSON.stringify(body), { status: response.status, headers: response.headers });
}

async function wait(milliseconds: number, signal: AbortSignal): Promise<void> {
  try {
    await sleep(milliseconds, undefined, { signal });
  } catch (error) {
    // As fetch does: with the reason the caller gave.
    throw signal.aborted ? signal.reason : error;
  }
}

/** What a proxy in front of the service answers. */
function page(status: number, body: 'html' | 'empty', headers: Readonly<Record<string, string>>): Response {
  const html =
    body === 'html'
      ? `<html><head><title>${status}</title></head><body><center><h1>${status}</h1></center></body></html>
`
      : '';
  return new Response(html, { status, headers: { 'Content-Type': 'text/html', ...headers } });
}

/** An answer that ends in the middle. Its body fails there; a server sends `part` and closes the connection. */
export class CutResponse extends Response {
  readonly part: Uint8Array;

  constructor(part: Uint8Array, init: ResponseInit) {
    let sent = false;
    const pull = (controller: ReadableStreamDefaultController<Uint8Array>): void => {
      if (sent) return controller.error(new TypeError('terminated', { cause: new ConnectionLost().cause }));
      sent = true;
      controller.enqueue(part);
    };
    super(new ReadableStream({ pull }, { highWaterMark: 0 }), init);
    this.part = part;
  }
}

/** The first half of the body under the length of the whole. An answer without a body stays as it is. */
async function cut(response: Response): Promise<Response> {
  const bytes = new Uint8Array(await response.arrayBuffer());
  const headers = new Headers(response.headers);
  if (bytes.length === 0) return new Response(null, { status: response.status, headers });
  headers.set('Content-Length', String(bytes.length));
  return new CutResponse(bytes.subarray(0, Math.floor(bytes.length / 2)), { status: response.status, headers });
}

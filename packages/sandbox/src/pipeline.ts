/**
 * What happens to a request of the API or of OAuth, in order: faults, its work, assumptions, shapes; then it is logged
 * and published as an event.
 */
import { operationsAt } from './api/api.ts';
import { nearestRequest } from './api/nearest.ts';
import { notedText, noteText, responseText } from './http/read-request.ts';
import { blankTrace, type Trace } from './http/trace.ts';
import { applyFaults, type Fault, type Refuse } from './control/faults.ts';
import type { Features } from './control/features.ts';
import { redactedBody, redactedHeaders, redactedTarget } from './control/redaction.ts';
import { bodyKept, loggableQuery, type LoggedMessage } from './control/request-log.ts';
import type { Shape } from './control/shapes.ts';
import type { Clock } from './world/clock.ts';

/** What answers the requests below a path: the API, or OAuth. */
export interface Service {
  /** Answers a request and records in the trace how. */
  readonly work: (request: Request, path: string, search: string, trace: Trace) => Promise<Response>;
  /** A refusal in the error body of this service. */
  readonly refuse: Refuse;
}

export type Pipeline = (request: Request, path: string, service: Service) => Promise<Response>;

/** A request on its way. */
interface Passage {
  readonly request: Request;
  readonly path: string;
  /** The query with its question mark, or empty. */
  readonly search: string;
  readonly service: Service;
  readonly fired: readonly Fault[];
}

/** How the request, or a copy that a fault made of it, was answered. */
interface Outcome {
  readonly request: Request;
  /** Null where the connection was broken. */
  readonly response: Response | null;
  readonly trace: Trace;
  /** When the work began, by `performance.now()`. */
  readonly started: number;
}

export function createPipeline(clock: Clock, features: Features, shape: Shape): Pipeline {
  const { faults, assumptions, rateLimit, requestLog, events } = features;

  // 1. The faults that fire delay the request, refuse it, break its connection, let its work happen twice, or change
  //    its answer once it is made.
  const answer: Pipeline = (request, path, service) => {
    const from = request.url.indexOf('?');
    const search = from < 0 ? '' : request.url.slice(from);
    const operations = faults.any ? operationsAt(request.method, path) : [];
    const target = { method: request.method, path, operations: operations.map(({ id }) => id) };
    const passage = { request, path, search, service, fired: faults.fire(target) };
    return applyFaults(passage.fired, request, {
      work: (sent, notes) => carryOut(passage, sent, notes),
      refuse: service.refuse,
      end(response, notes) {
        const [operation = null] = operations;
        const status = response?.status ?? 0;
        const trace = { ...blankTrace(), operation, status, reasons: [...notes], rule: 'FAULT' };
        return record(passage, { request, response, trace, started: performance.now() });
      },
    });
  };

  const carryOut = async (passage: Passage, request: Request, notes: readonly string[]): Promise<Response> => {
    const { path, search, service } = passage;
    const trace = blankTrace();
    const started = performance.now();
    // 2. The work itself.
    const plain = await service.work(request, path, search, trace);
    // 3. What the specification leaves open reads as it was chosen.
    const assumed = await assumptions.apply(plain, trace.operation?.id ?? null, () => ({
      created: trace.created,
      total: trace.total,
      resetsIn: rateLimit.resetsIn(),
      now: clock.seconds(),
    }));
    // 4. The answer takes on the shape of the service's.
    const { response, notes: shaped } = await shape(assumed, trace.operation, service.refuse);
    // Its clock can be moved, and its records carry that time.
    response.headers.set('Date', new Date(clock.now()).toUTCString());
    trace.status = response.status;
    trace.reasons.unshift(...notes);
    trace.reasons.push(...shaped);
    await record(passage, { request, response, trace, started });
    return response;
  };

  // 5. The log keeps request and answer without secrets, and the event tells observers.
  const record = async (passage: Passage, outcome: Outcome): Promise<void> => {
    const { entry, contents } = await describe(passage, outcome, clock);
    events.publish({ type: 'request', request: requestLog.add(entry, contents, passage.request) });
  };

  return answer;
}

/** What the log keeps of a request. */
async function describe({ path, search, fired }: Passage, outcome: Outcome, clock: Clock) {
  const { request, response, trace, started } = outcome;
  const { operation, status, reasons, rule } = trace;
  const milliseconds = Math.round((performance.now() - started) * 100) / 100;
  const oauth = operation?.base === 'app' || path.startsWith('/oauth');
  const sent = await requestText(request);
  const contents = {
    target: redactedTarget(path + search),
    request: message(request.headers, sent, oauth),
    response: response && message(response.headers, await responseText(response), oauth),
  };
  const entry = {
    time: new Date(clock.now()).toISOString(),
    method: request.method,
    path: withoutAddresses(path),
    query: loggableQuery(operation, search),
    operation: operation?.id ?? null,
    status,
    milliseconds,
    reasons,
    rule,
    faults: fired.map(({ id }) => id),
    nearest: nearestRequest({ method: request.method, path, search, body: sent, ...trace }),
  };
  return { entry, contents };
}

function message(headers: Headers, text: string | null, oauth: boolean): LoggedMessage {
  const long = text !== null && text.length > bodyKept;
  // A slice would keep the whole text in memory.
  const body = long ? Buffer.from(text.slice(0, bodyKept), 'utf16le').toString('utf16le') : text;
  return {
    headers: redactedHeaders(headers),
    body: body === null ? null : redactedBody(body, headers.get('content-type'), oauth),
    cutFrom: long ? text.length : null,
  };
}

/** The text of a request; null where nothing has read it and it is too long, or streamed, to be read for the log. */
async function requestText(request: Request): Promise<string | null> {
  const noted = notedText(request);
  if (noted !== undefined) return noted;
  if (request.body === null) return '';
  if (request.bodyUsed || request.headers.has('transfer-encoding')) return null;
  if (Number(request.headers.get('content-length') ?? 0) > bodyKept) return null;
  const text = await request.text().catch(() => null);
  if (text !== null) noteText(request, text);
  return text;
}

function withoutAddresses(path: string): string {
  const segments = path.split('/').map((segment) => (/@|%40/.test(segment) ? '…' : segment));
  return segments.join('/');
}

/**
 * Passes every request through the faults, its work and the assumptions, then logs it and publishes it as an event.
 */
import { apiPrefix, blankTrace, operationsAt, type Trace } from '../api/api.ts';
import { nearestRequest } from '../api/nearest.ts';
import type { RateLimit } from '../api/rate-limit.ts';
import { notedText, noteText } from '../api/read-request.ts';
import type { Clock } from '../world/clock.ts';
import type { Feed } from '../world/world.ts';
import type { AssumptionSet } from './assumptions.ts';
import type { SandboxEvent } from './events.ts';
import { applyFaults, type Refuse, type FaultSet } from './faults.ts';
import { bodyKept, loggableQuery, type LogEntry, type LoggedMessage, type RequestLog } from './request-log.ts';
import { createRedaction, hiddenMark } from './redaction.ts';
import type { Shaping } from './shapes.ts';

export interface TracingOptions {
  readonly clock: Clock;
  readonly log: RequestLog;
  readonly events: Feed<SandboxEvent>;
  readonly faults: FaultSet;
  readonly assumptions: AssumptionSet;
  readonly rateLimit: RateLimit;
  readonly shaping: Shaping;
}

/** Answers a request and records in the trace how. */
export type Work = (request: Request, path: string, search: string, trace: Trace) => Promise<Response>;

export interface RequestTracing {
  /** Answers a request by `work`, or `refuse`s it where a fault says so, and leaves an entry in the log. */
  readonly answer: (request: Request, path: string, work: Work, refuse: Refuse) => Promise<Response>;
  /**
   * Marks a request as a repetition of number `n`, before it is answered. The returned function gives its log entry.
   */
  readonly repeating: (request: Request, n: number) => () => LogEntry | undefined;
}

const redaction = createRedaction(() => hiddenMark);

export function createTracing({
  clock,
  log,
  events,
  faults,
  assumptions,
  rateLimit,
  shaping,
}: TracingOptions): RequestTracing {
  const repeated = new WeakMap<Request, { readonly n: number; entry?: LogEntry }>();

  const answer: RequestTracing['answer'] = async (request, path, work, refuse) => {
    const from = request.url.indexOf('?');
    const search = from < 0 ? '' : request.url.slice(from);
    const repeat = repeated.get(request);
    let fired: readonly string[] = [];

    const enter = async (request: Request, response: Response | null, trace: Trace, started: number): Promise<void> => {
      const milliseconds = Math.round((performance.now() - started) * 100) / 100;
      const oauth = trace.operation?.base === 'app' || path.startsWith('/oauth');
      const contents = {
        target: redaction.target(path + search),
        request: message(request.headers, await requestText(request), oauth),
        response: response && message(response.headers, await responseText(response), oauth),
      };
      const entry = log.add(
        {
          time: new Date(clock.now()).toISOString(),
          method: request.method,
          path: withoutAddresses(path),
          query: loggableQuery(trace.operation, search),
          operation: trace.operation?.id ?? null,
          status: trace.status,
          milliseconds,
          reasons: trace.reasons,
          rule: trace.rule,
          faults: fired,
          nearest: nearestRequest({ method: request.method, path, ...trace }, apiPrefix),
          repeats: repeat?.n ?? null,
        },
        contents,
      );
      if (repeat) repeat.entry ??= entry;
      events.publish({ type: 'request', request: entry });
    };
    const answered = async (request: Request, notes: readonly string[]): Promise<Response> => {
      const trace = blankTrace();
      const started = performance.now();
      const plain = await work(request, path, search, trace);
      const facts = () => ({
        created: trace.created,
        total: trace.total,
        resetsIn: rateLimit.resetsIn(),
        now: clock.seconds(),
      });
      const assumed = await assumptions.apply(plain, trace.operation?.id ?? null, facts);
      const { response, notes: shaped } = await shaping.apply(assumed, trace.operation, refuse);
      trace.status = response.status;
      trace.reasons.unshift(...notes);
      trace.reasons.push(...shaped);
      await enter(request, response, trace, started);
      return response;
    };

    if (!faults.any) return answered(request, []);
    const operations = operationsAt(request.method, path);
    const firing = faults.fire({ method: request.method, path, operations: operations.map(({ id }) => id) });
    fired = firing.map(({ id }) => id);
    const end = (response: Response | null, reasons: readonly string[]): Promise<void> =>
      enter(
        request,
        response,
        {
          ...blankTrace(),
          operation: operations[0] ?? null,
          status: response?.status ?? 0,
          reasons: [...reasons],
          rule: 'FAULT',
        },
        performance.now(),
      );
    return applyFaults(firing, request, { work: answered, refuse, end });
  };

  return {
    answer,
    repeating(request, n) {
      const repeat: { readonly n: number; entry?: LogEntry } = { n };
      repeated.set(request, repeat);
      return () => repeat.entry;
    },
  };
}

function message(headers: Headers, text: string | null, oauth: boolean): LoggedMessage {
  const long = text !== null && text.length > bodyKept;
  // A slice would keep the whole text in memory.
  const body = long ? Buffer.from(text.slice(0, bodyKept), 'utf16le').toString('utf16le') : text;
  return {
    headers: redaction.headers(headers),
    body: body === null ? null : redaction.body(body, headers.get('content-type'), oauth),
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

async function responseText(response: Response): Promise<string> {
  return notedText(response) ?? (response.body === null ? '' : response.clone().text());
}

function withoutAddresses(path: string): string {
  const address = /@|%40/;
  return address.test(path)
    ? path
        .split('/')
        .map((segment) => (address.test(segment) ? '…' : segment))
        .join('/')
    : path;
}

/** Applies faults to a request: delays, error answers, and connections that break before or after the work. */
import { setTimeout as sleep } from 'node:timers/promises';
import type { FiredFault } from './faults.ts';

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
  fired: readonly FiredFault[],
  request: Request,
  { work, refuse, end }: RequestSteps,
): Promise<Response> {
  const notes: string[] = [];
  const note = ({ id }: FiredFault, what: string): void => void notes.push(`Fault ${id}: ${what}`);
  for (const fault of fired) {
    if (typeof fault.effect !== 'object' || !('latency' in fault.effect)) continue;
    note(fault, `the request waited ${fault.effect.latency} ms.`);
    await wait(fault.effect.latency, request.signal);
  }
  const fault = fired.find(({ effect }) => typeof effect !== 'object' || 'status' in effect);
  if (!fault || (typeof fault.effect === 'object' && 'latency' in fault.effect)) return work(request, notes);

  if (typeof fault.effect === 'object') {
    const { status, retryAfter, body } = fault.effect;
    note(fault, `answered ${status}; the request was not carried out.`);
    const headers: Readonly<Record<string, string>> =
      retryAfter === undefined ? {} : { 'Retry-After': String(retryAfter) };
    const response =
      body === 'error'
        ? refuse(status, { message: 'A fault that was set in the sandbox.', code: 'FAULT' }, headers)
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

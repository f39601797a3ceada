/** Calls every read operation of the contract and keeps each answer as it came: status, headers, body. */
import { createFetchHost, NewsletterError, type Client, type Host, type HostAnswer } from '@newsletter-kit/core';
import { isRecord, readPage, type HostRequest } from '@newsletter-kit/core/engine';
import { operations, type Operation, type OperationId } from '@newsletter-kit/core/contract';

/** A JSON object. */
type Json = Readonly<Record<string, unknown>>;

/** The answer to one call, as the service sent it. */
export interface RecordedAnswer {
  /** Null for a path that the contract does not have. */
  readonly operation: OperationId | null;
  /** The purpose of this call where an operation is called more than once, such as `by page`. */
  readonly variant: string | null;
  readonly status: number;
  /** Names in lower case. */
  readonly headers: Readonly<Record<string, string>>;
  /** The parsed body; the text itself where it is no JSON; null where there is none. */
  readonly body: unknown;
}

/** An operation that could not be called, and why. */
export interface SkippedOperation {
  readonly operation: OperationId;
  readonly reason: string;
}

export type RecordingHost = ReturnType<typeof createRecordingHost>;

/** A host that keeps the answers that pass through it. */
export function createRecordingHost(host: Host = createFetchHost()) {
  let kept: HostAnswer[] = [];
  return {
    ...host,
    async send(request: HostRequest): Promise<HostAnswer> {
      const answer = await host.send(request);
      kept.push(answer);
      return answer;
    },
    /** Returns the answers since the last call of `take`. */
    take(): readonly HostAnswer[] {
      const taken = kept;
      kept = [];
      return taken;
    },
  };
}

export interface ReadOptions {
  readonly client: Client;
  /** The host of `client`. */
  readonly host: RecordingHost;
  /** Whether the client signs its calls with an OAuth login: only then there is a token to ask about. */
  readonly hasLogin: boolean;
  readonly signal: AbortSignal;
  /** Called before each call, with its number and the number of operations. */
  readonly onCall: (operation: OperationId, done: number, total: number) => void;
}

/** A path that no service has. */
const unknownPath = '/publications/{publicationId}/newsletter_probe_of_an_unknown_path';

/** Reads that answer with a body; `oauth.authorize` answers a browser. */
const reads: readonly Operation[] = operations.filter(({ method, success }) => method === 'GET' && success === 200);

/**
 * Calls every read operation, lists first where their records name what others read. Sends GET requests alone.
 *
 * @throws NewsletterError where the service cannot be reached, AbortedError
 */
export async function readEverything({ client, host, hasLogin, signal, onCall }: ReadOptions) {
  const answers: RecordedAnswer[] = [];
  const skipped: SkippedOperation[] = [];
  /** Every answer with status 429 after which the client waited and called again. */
  const rateLimited: RecordedAnswer[] = [];

  async function record(
    operation: OperationId | null,
    variant: string | null,
    call: () => PromiseLike<unknown>,
  ): Promise<RecordedAnswer> {
    try {
      await call();
    } catch (error) {
      // An error status is an answer too; without any answer the service was not reached.
      const isAnswer = error instanceof NewsletterError && 'status' in error && typeof error.status === 'number';
      if (!isAnswer && !(error instanceof NewsletterError && error.name === 'InvalidAnswerError')) throw error;
    }
    const attempts = host.take().map((answer) => ({ ...answer, operation, variant, body: parse(answer.body) }));
    const last = attempts.pop();
    if (!last) throw new Error(`No answer was recorded for ${operation ?? unknownPath}.`);
    rateLimited.push(...attempts.filter(({ status }) => status === 429));
    answers.push(last);
    return last;
  }

  for (const [index, { id, path, base, query, expand, pagination }] of reads.entries()) {
    const operationId = id as OperationId;
    onCall(operationId, index, reads.length);
    if (base === 'app') {
      if (hasLogin) await record(operationId, null, () => client.oauth.tokenInfo({}, { signal }));
      else skipped.push({ operation: operationId, reason: 'it describes an OAuth login, and this is an API key' });
      continue;
    }
    const filled = fillPath(path, operationId, answers);
    if ('missing' in filled) {
      skipped.push({ operation: operationId, reason: `${filled.missing} returned no record to read` });
      continue;
    }
    const call = (variant: string | null, parameters: Record<string, string | number | readonly string[]>) =>
      record(operationId, variant, () => client.request('GET', filled.path, { query: parameters, signal }));
    const usual = {
      ...(query.includes('limit') && { limit: 100 }),
      ...(expand.length > 0 && { 'expand[]': expand }),
    };
    const first = await call(null, usual);
    if (pagination === 'cursor-or-offset') await call('by page', { ...usual, page: 1 });
    if (pagination.startsWith('cursor')) {
      const cursor = isRecord(first.body) ? readPage(first.body).paging.nextCursor : null;
      if (cursor !== null) await call('second page', { ...usual, cursor });
    }
    if (operationId === 'subscriptions.list') {
      const email = recordsOf(first).map((subscription) => subscription['email'])[0];
      // A list of one record, so that the end of a list by cursor is seen however many subscriptions there are.
      if (typeof email === 'string') await call('by address', { ...usual, email });
    }
  }
  await record(null, null, () => client.request('GET', unknownPath, { signal }));
  return { answers, skipped, rateLimited };
}

/** Fills the parameters of a path with identifiers from earlier answers. */
function fillPath(
  path: string,
  id: OperationId,
  answers: readonly RecordedAnswer[],
): { readonly path: string } | { readonly missing: OperationId } {
  const missing: OperationId[] = [];
  const resource = id.slice(0, id.indexOf('.'));
  const filled = path.replaceAll(/\{(\w+)\}/g, (placeholder, name: string) => {
    if (name === 'publicationId') return placeholder;
    // `{automationId}` names a record of another list than that of its own resource.
    const list = (name === 'automationId' ? 'automations.list' : `${resource}.list`) as OperationId;
    const record = answers.filter(({ operation }) => operation === list).flatMap(recordsOf)[0];
    const value = record?.['id'];
    if (typeof value !== 'string') missing.push(list);
    return encodeURIComponent(String(value));
  });
  return missing[0] === undefined ? { path: filled } : { missing: missing[0] };
}

/** The records of an answer: those of its `data`, a list or one. */
function recordsOf({ status, body }: RecordedAnswer): readonly Json[] {
  if (status >= 300 || !isRecord(body)) return [];
  const data = body['data'];
  return (Array.isArray(data) ? data : [data]).filter(isRecord);
}

function parse(text: string): unknown {
  if (text === '') return null;
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return text;
  }
}

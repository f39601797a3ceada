/** `/_sandbox/requests`: the request log – listed, read in full, sent again, cleared. */
import { Hono } from 'hono';
import * as z from 'zod';
import { apiPrefix } from '../api/api.ts';
import { apiError } from '../api/errors.ts';
import { exampleRequest } from '../api/nearest.ts';
import { apiKeys } from '../world/standard-values.ts';
import { readBody } from './read-body.ts';
import type { Exchange, LogEntry, RequestLog } from './log.ts';
import { hiddenMark } from './redaction.ts';

export interface RequestControlOptions {
  readonly log: RequestLog;
  /** Answers `request` as a repetition of number `n`; the entry of it in the log. */
  readonly repeat: (request: Request, n: number) => Promise<LogEntry | undefined>;
}

const filters = ['method', 'status', 'operation', 'text'] as const;
/** `key` is the API key or access token to send; null sends none. */
const sending = z.strictObject({ key: z.string().min(1).max(500).nullable().default(apiKeys.workspace) });

export function requestControl({ log, repeat }: RequestControlOptions): Hono {
  const find = (number: string): Exchange => {
    const exchange = log.exchange(Number(number));
    if (!exchange)
      throw apiError(
        404,
        'NOT_FOUND',
        'There is no request with this number, or no longer. GET /_sandbox/requests lists them.',
      );
    return exchange;
  };
  return new Hono()
    .get('/requests', (context) => {
      const query = context.req.query();
      const filter = Object.fromEntries(filters.map((name) => [name, query[name] || undefined]));
      return context.json({ data: log.entries({ ...filter, after: Number(query['after']) || 0 }) });
    })
    .delete('/requests', (context) => context.json({ removed: log.clear() }))
    .get('/requests/:n', (context) => context.json({ data: described(find(context.req.param('n'))) }))
    .post('/requests/:n/send', async (context) => {
      const exchange = find(context.req.param('n'));
      const { key } = await readBody(context.req.raw, sending);
      const entry = await repeat(again(exchange, new URL(context.req.url).origin, key), exchange.n);
      if (!entry) throw apiError(409, 'NOT_SENT', 'The request was not answered; look at the request log.');
      return context.json({ data: entry }, 201);
    });
}

/** The exchange, with a corrected request where the log knows what to change. */
function described(exchange: Exchange) {
  const { nearest, target, request } = exchange;
  if (!nearest || nearest.change.length === 0) return exchange;
  const sent = { target, body: request?.cutFrom === null ? request.body : null };
  return { ...exchange, nearest: { ...nearest, example: exampleRequest(nearest, sent, apiPrefix) } };
}

/** Headers that belong to the connection the request came by. */
const connectionHeaders =
  /^(?:host|connection|content-length|transfer-encoding|expect|keep-alive|upgrade|te|origin|referer|cookie|accept-encoding|sec-.*|authorization)$/;

function again({ method, target, request }: Exchange, origin: string, key: string | null): Request {
  const gone = (why: string) =>
    apiError(409, 'NOT_KEPT', `The request can't be sent again: ${why} Send it from your client.`);
  if (!request) throw gone('the log dropped its body to save memory.');
  const { headers, body, cutFrom } = request;
  if (body === null || cutFrom !== null) throw gone('its body was too long to be kept in whole.');
  if (target.includes(hiddenMark) || body.includes(hiddenMark))
    throw gone('it held a secret, which the log does not keep.');
  const kept = Object.entries(headers).filter(([name, value]) => !connectionHeaders.test(name) && value !== hiddenMark);
  return new Request(origin + target, {
    method,
    headers: [...kept, ...(key === null ? [] : [['Authorization', `Bearer ${key}`] as [string, string]])],
    ...(body !== '' && { body }),
    redirect: 'manual',
  });
}

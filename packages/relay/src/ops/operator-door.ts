/** The operator's HTTP door: a page anybody may load and, behind the token, what it shows and does. */
import { refusalBody, refused, type Refused } from '@newsletter-kit/core/signup';
import { Hono } from 'hono';
import { stream } from 'hono/streaming';
import { everySignup } from '../store/every-signup.ts';
import { moveAddress, moveAddressRule } from '../settings.ts';
import type { Operator } from './operator.ts';
import { isOperator } from './operator-token.ts';
import { operatorPage } from './operator-page.ts';
import { readFilter } from './signup-filter.ts';

/** Options of {@link operatorDoor}. */
export interface OperatorDoorOptions {
  readonly operator: Operator;
  readonly token: string;
  readonly now: () => number;
}

/** Most signups of one page. */
const largestPage = 1000;

const headers = { 'cache-control': 'no-store', 'x-content-type-options': 'nosniff' };

/**
 * Mounted at `/operator`. The token goes in `Authorization: Bearer …`; without cookies there is nothing a foreign page
 * could ride on.
 */
export function operatorDoor({ operator, token, now }: OperatorDoorOptions): Hono {
  const door = new Hono();
  operatorPage(door);

  door.use('/api/*', async (context, next) => {
    if (isOperator(context.req.header('authorization'), token)) return next();
    const answer = refuse(
      refused(401, 'UNAUTHORIZED', 'The operator token is missing or wrong: send it as "Authorization: Bearer …".'),
    );
    answer.headers.set('www-authenticate', 'Bearer realm="newsletter-relay operator"');
    return answer;
  });

  door.get('/api/status', async () => Response.json(await operator.status(), { headers }));
  for (const paused of [true, false]) {
    door.post(paused ? '/api/pause' : '/api/resume', async () => {
      await operator.setPaused(paused);
      return Response.json({ paused }, { headers });
    });
  }
  door.get('/api/signups', async ({ req }) => {
    const { after, limit, ...parts } = req.query();
    const read = readFilter(parts, now());
    if (!read.ok) return refuse(badFilter(read.mistakes));
    const size = Math.min(Math.max(1, Number(limit) || 100), largestPage);
    return Response.json({ signups: await operator.list(read.filter, { after, limit: size }) }, { headers });
  });
  door.get('/api/export', (context) => {
    const read = readFilter(context.req.query(), now());
    if (!read.ok) return refuse(badFilter(read.mistakes));
    const { filter } = read;
    context.header('content-type', 'application/x-ndjson');
    context.header('cache-control', 'no-store');
    return stream(context, async (out) => {
      for await (const signup of everySignup(operator, filter)) await out.writeln(JSON.stringify(signup));
    });
  });
  door.post('/api/redrive', async ({ req }) => {
    const read = readFilter(req.query(), now());
    if (!read.ok) return refuse(badFilter(read.mistakes));
    return Response.json({ redriven: await operator.redrive(read.filter) }, { headers });
  });
  door.get('/api/move', async () => Response.json({ move: await operator.moving() }, { headers }));
  door.post('/api/move', async ({ req }) => {
    const to = moveAddress(textOf(await req.json().catch(() => null), 'to'));
    if (to === null)
      return refuse(refused(400, 'INVALID_BODY', `Send {"to": "…"} with the new store: it ${moveAddressRule}.`));
    return Response.json(await operator.move(to), { headers });
  });
  door.post('/api/erase', async ({ req }) => {
    const address = textOf(await req.json().catch(() => null), 'address');
    if (!address) return refuse(refused(400, 'INVALID_BODY', 'Send {"address": "…"} with the address to erase.'));
    return Response.json({ erased: await operator.erase(address) }, { headers });
  });
  door.all('/api/*', () => refuse(refused(404, 'NOT_FOUND', 'There is nothing here.')));
  return door;
}

/** A text of a JSON body; empty where there is none. */
function textOf(body: unknown, name: string): string {
  const value: unknown =
    typeof body === 'object' && body !== null ? Object.entries(body).find(([key]) => key === name)?.[1] : undefined;
  return typeof value === 'string' ? value.trim() : '';
}

function badFilter(mistakes: readonly string[]): Refused {
  return { status: 400, errors: mistakes.map((message) => ({ message: `${message}.`, code: 'INVALID_FILTER' })) };
}

function refuse(why: Refused): Response {
  return Response.json(refusalBody(why), { status: why.status, headers });
}

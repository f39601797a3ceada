/** The operator's HTTP API, protected by a bearer token, and the files of the page that uses it. */
import { refused, type Refused } from '@newsletter-kit/core/endpoint';
import { isAddress } from '@newsletter-kit/core/signup';
import { Hono, type HonoRequest } from 'hono';
import * as z from 'zod';
import type { PageRequest, SignupFilter } from '../store/signup-store.ts';
import { refuse, unstored as headers } from '../pages/page.ts';
import { BadLineError, importLines } from '../store/transfer.ts';
import type { RelayContext } from '../context.ts';
import { toListedForm } from './listed-form.ts';
import { toListed } from './listed-signup.ts';
import { createChanges, type Operator, selectorFormat } from './operator.ts';
import { type PrivateAccess, refusePrivate } from './private-access.ts';
import { readFilter } from './signup-filter.ts';

/** Options of {@link operatorApi}. */
export interface OperatorApiOptions {
  readonly operator: Operator;
  readonly access: PrivateAccess;
  readonly now: () => number;
}

/** Maximum number of signups per page. */
const largestPage = 1000;

/**
 * Mounted at `/operator`. The token is sent as `Authorization: Bearer …`, not as a cookie, so that cross-site requests
 * are never authorized.
 */
export function operatorApi(
  context: Pick<RelayContext, 'config' | 'log' | 'events' | 'stopping'>,
  { operator, access, now }: OperatorApiOptions,
): Hono {
  const { config, log } = context;
  const changes = createChanges(context);
  const api = new Hono();
  operatorPage(api);

  api.use('/api/*', async ({ req }, next) => {
    const refusal = refusePrivate(req.raw, access);
    if (refusal) return refusal;
    const [, read] = personal.exec(req.path) ?? [];
    if (read && (read !== 'signups' || req.query('whole') === 'true'))
      log.info({ read, id: req.query('id') }, 'an operator read personal data');
    return next();
  });

  const filterOf = (query: Readonly<Record<string, string>>): SignupFilter => {
    const read = readFilter(query, now());
    if (!read.ok) throw badFilter(read.errors);
    return read.filter;
  };
  api.get('/api/status', async () => answer(await operator.status()));
  api.get('/api/changes', async ({ req }) => answer({ number: await changes(Number(req.query('since'))) }));
  api.get('/api/check', async () => answer({ checks: await operator.check() }));
  api.post('/api/check', async ({ req }) => answer({ checks: await operator.check(await bodyOf(req, checkBody)) }));
  for (const paused of [true, false]) {
    api.post(paused ? '/api/pause' : '/api/resume', async () => {
      await operator.setPaused(paused);
      return answer({ paused });
    });
  }
  api.get('/api/signups', async ({ req }) => {
    const { after: _after, limit: _limit, whole, ...parts } = req.query();
    const signups = await operator.list(filterOf(parts), pageOf(req));
    return answer({ signups: whole === 'true' ? signups : signups.map(toListed) });
  });
  api.get('/api/forms', ({ req }) => {
    const address = config.mail.publicUrl ?? req.query('address') ?? new URL(req.url).origin;
    // A Worker serves every form and the tag at its root.
    const root = address.replace(/\/publications\/[^/]+$/, '');
    return answer({ forms: Object.values(config.forms).map((form) => toListedForm(form, root)) });
  });
  api.get('/api/consents', async ({ req }) => answer({ consents: await operator.listConsents(pageOf(req)) }));
  api.get('/api/suppressions', async ({ req }) => answer({ hashes: await operator.suppressions(pageOf(req)) }));
  api.post('/api/import', async ({ req }) =>
    answer(await importLines(operator, (await bodyOf(req, importBody)).lines)),
  );
  api.post('/api/redrive', async ({ req }) => answer({ redriven: await operator.redrive(filterOf(req.query())) }));
  api.post('/api/discard', async ({ req }) => {
    const filter = filterOf(req.query());
    if (Object.keys(filter).length === 0) throw badFilter(['Select the signups to discard, for example with "state"']);
    return answer({ discarded: await operator.discard(filter) });
  });
  // The address of a person is sent in the body, because proxies log the query.
  api.post('/api/person', async ({ req }) => answer(await operator.person((await bodyOf(req, personBody)).address)));
  api.post('/api/erase', async ({ req }) => {
    const { address, keepConsent } = await bodyOf(req, personBody);
    return answer(await operator.erase(address, { keepConsent }));
  });
  api.post('/api/webhooks/resume', async ({ req }) =>
    answer({ resumed: await operator.resumeWebhooks((await bodyOf(req, webhookBody)).destination) }),
  );
  api.post('/api/webhooks/redrive', async ({ req }) =>
    answer({ redriven: await operator.redriveWebhooks((await bodyOf(req, webhookBody)).destination) }),
  );
  api.all('/api/*', () => refuse(refused(404, 'NOT_FOUND', 'There is nothing here.')));
  api.onError((error) => {
    if (error instanceof BadLineError) return refuse(refused(400, 'INVALID_BODY', error.message));
    if (error instanceof BadRequest) return refuse(error.why);
    throw error;
  });
  return api;
}

const answer = (body: object): Response => Response.json(body, { headers });

/** A request that is answered with 400. */
class BadRequest extends Error {
  readonly why: Refused;

  constructor(why: Refused) {
    super('The request is not valid.');
    this.why = why;
  }
}

/** The reads that answer with addresses or hashes of them; of signups, only with `whole=true`. */
const personal = /\/api\/(signups|consents|suppressions|person)$/;

function pageOf(req: HonoRequest): PageRequest {
  const { after, limit } = req.query();
  return { after: after || undefined, limit: Math.min(Math.max(1, Math.trunc(Number(limit)) || 100), largestPage) };
}

/** The bodies of requests: what each contains, and how it is written. */
const checkBody = [
  z.object({ dkim: z.string().regex(selectorFormat).optional(), mail: z.string().refine(isAddress).optional() }),
  'Send {"dkim": "…", "mail": "…"}: a selector and an address, or neither.',
] as const;
const importBody = [
  z.object({ lines: z.array(z.string()).max(largestPage) }),
  'Send {"lines": […]} with lines of an export.',
] as const;
const webhookBody = [z.object({ destination: z.string() }), 'Send {"destination": "…"} with its name.'] as const;
const personBody = [
  z.object({ address: z.string().trim().min(1), keepConsent: z.boolean().default(false) }),
  'Send {"address": "…"} with the address of the person.',
] as const;

/** @throws BadRequest that says what to send */
async function bodyOf<Value>(req: HonoRequest, [schema, message]: readonly [z.ZodType<Value>, string]): Promise<Value> {
  const read = schema.safeParse(await req.json().catch(() => null));
  if (read.success) return read.data;
  throw new BadRequest(refused(400, 'INVALID_BODY', message));
}

function badFilter(errors: readonly string[]): BadRequest {
  return new BadRequest({
    status: 400,
    errors: errors.map((message) => ({ message: `${message}.`, code: 'INVALID_FILTER' })),
  });
}

/** Allows nothing from other origins and nothing inline, so that no stored text can run or load anything. */
const policy =
  "default-src 'none'; style-src 'self'; script-src 'self'; connect-src 'self'; img-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'";

/** By their path, relative to the operator endpoint; its slash at the end is one of them. */
const files = {
  '/': { name: 'operator.html', type: 'text/html; charset=utf-8' },
  '/:slash{$}': { name: 'operator.html', type: 'text/html; charset=utf-8' },
  '/operator.css': { name: 'operator.css', type: 'text/css; charset=utf-8' },
  '/operator.js': { name: 'operator.js', type: 'text/javascript; charset=utf-8' },
  '/mark.svg': { name: 'mark.svg', type: 'image/svg+xml' },
} as const;

/** Adds the routes of the page. @param door - mounted at `/operator` */
function operatorPage(door: Hono): void {
  for (const [path, { name, type }] of Object.entries(files)) {
    door.get(path, async ({ req }) => {
      const pages = await import('#operator-page');
      // The page names its files relative to an address without a slash.
      const prefix = req.path.endsWith('/') ? '"' : '"operator/';
      return new Response(pages.files[name]?.replaceAll('"operator/', prefix), {
        headers: {
          'content-type': type,
          'content-security-policy': policy,
          'x-content-type-options': 'nosniff',
          'referrer-policy': 'no-referrer',
          'x-robots-tag': 'noindex',
          'cache-control': 'no-store',
        },
      });
    });
  }
}

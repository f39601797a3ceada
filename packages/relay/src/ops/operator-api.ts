/** The operator's HTTP API, protected by a bearer token, and the files of the page that uses it. */
import { refused, type Refused } from '@newsletter-kit/core/endpoint';
import { isAddress } from '@newsletter-kit/core/signup';
import { Hono, type HonoRequest } from 'hono';
import { stream } from 'hono/streaming';
import * as z from 'zod';
import type { PageRequest } from '../store/signup-store.ts';
import { unstored as headers } from '../pages/page.ts';
import { BadLineError, exportLines, importLines } from '../store/transfer.ts';
import type { RelayContext } from '../context.ts';
import { toListedForm } from './listed-form.ts';
import { toListed } from './listed-signup.ts';
import { createChanges, type Operator, selectorFormat } from './operator.ts';
import { type PrivateAccess, refuse, refusePrivate } from './private-access.ts';
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

  api.get('/api/status', async () => Response.json(await operator.status(), { headers }));
  api.get('/api/changes', async ({ req }) =>
    Response.json({ number: await changes(Number(req.query('since'))) }, { headers }),
  );
  api.on(['GET', 'POST'], '/api/check', async ({ req }) => {
    const read = checkRequest.safeParse(req.method === 'GET' ? {} : await req.json().catch(() => null));
    if (!read.success)
      return refuse(
        refused(400, 'INVALID_BODY', 'Send {"dkim": "…", "mail": "…"}: a selector and an address, or neither.'),
      );
    return Response.json({ checks: await operator.check(read.data) }, { headers });
  });
  for (const paused of [true, false]) {
    api.post(paused ? '/api/pause' : '/api/resume', async () => {
      await operator.setPaused(paused);
      return Response.json({ paused }, { headers });
    });
  }
  api.get('/api/signups', async ({ req }) => {
    const { after, limit, whole, ...parts } = req.query();
    const read = readFilter(parts, now());
    if (!read.ok) return refuse(badFilter(read.errors));
    const signups = await operator.list(read.filter, pageOf(after, limit));
    return Response.json({ signups: whole === 'true' ? signups : signups.map(toListed) }, { headers });
  });
  api.get('/api/forms', ({ req }) => {
    const address = config.mail.publicUrl ?? req.query('address') ?? new URL(req.url).origin;
    // A Worker serves every form and the tag at its root.
    const root = address.replace(/\/publications\/[^/]+$/, '');
    return Response.json({ forms: Object.values(config.forms).map((form) => toListedForm(form, root)) }, { headers });
  });
  api.get('/api/consents', async ({ req }) => {
    const { after, limit } = req.query();
    return Response.json({ consents: await operator.listConsents(pageOf(after, limit)) }, { headers });
  });
  api.get('/api/suppressions', async ({ req }) => {
    const { after, limit } = req.query();
    return Response.json({ hashes: await operator.suppressions(pageOf(after, limit)) }, { headers });
  });
  api.get('/api/export', (context) => {
    const read = readFilter(context.req.query(), now());
    if (!read.ok) return refuse(badFilter(read.errors));
    const { filter } = read;
    context.header('content-type', 'application/x-ndjson');
    context.header('cache-control', 'no-store');
    return stream(context, async (out) => {
      for await (const line of exportLines(operator, filter)) await out.writeln(line);
    });
  });
  api.post('/api/import', async ({ req }) => {
    const read = importRequest.safeParse(await req.json().catch(() => null));
    if (!read.success) return refuse(refused(400, 'INVALID_BODY', 'Send {"lines": […]} with lines of an export.'));
    try {
      return Response.json(await importLines(operator, read.data.lines), { headers });
    } catch (error) {
      if (!(error instanceof BadLineError)) throw error;
      return refuse(refused(400, 'INVALID_BODY', error.message));
    }
  });
  api.post('/api/redrive', async ({ req }) => {
    const read = readFilter(req.query(), now());
    if (!read.ok) return refuse(badFilter(read.errors));
    return Response.json({ redriven: await operator.redrive(read.filter) }, { headers });
  });
  api.post('/api/discard', async ({ req }) => {
    const read = readFilter(req.query(), now());
    if (!read.ok) return refuse(badFilter(read.errors));
    if (Object.keys(read.filter).length === 0)
      return refuse(badFilter(['Select the signups to discard, for example with "state"']));
    return Response.json({ discarded: await operator.discard(read.filter) }, { headers });
  });
  // The address of a person is sent in the body, because proxies log the query.
  api.post('/api/person', async ({ req }) => {
    const { address } = await personBody(req);
    if (address === '') return refuse(refused(400, 'INVALID_BODY', 'Send {"address": "…"} with the address.'));
    return Response.json(await operator.person(address), { headers });
  });
  api.post('/api/erase', async ({ req }) => {
    const { address, keepConsent } = await personBody(req);
    if (address === '') return refuse(refused(400, 'INVALID_BODY', 'Send {"address": "…"} with the address to erase.'));
    return Response.json(await operator.erase(address, { keepConsent }), { headers });
  });
  api.post('/api/webhooks/:action{resume|redrive}', async ({ req }) => {
    const read = webhookRequest.safeParse(await req.json().catch(() => null));
    if (!read.success) return refuse(refused(400, 'INVALID_BODY', 'Send {"destination": "…"} with its name.'));
    const { destination } = read.data;
    const body =
      req.param('action') === 'resume'
        ? { resumed: await operator.resumeWebhooks(destination) }
        : { redriven: await operator.redriveWebhooks(destination) };
    return Response.json(body, { headers });
  });
  api.all('/api/*', () => refuse(refused(404, 'NOT_FOUND', 'There is nothing here.')));
  return api;
}

/** The reads that answer with addresses or hashes of them; of signups, only with `whole=true`. */
const personal = /\/api\/(signups|consents|suppressions|export|person)$/;

function pageOf(after: string | undefined, limit: string | undefined): PageRequest {
  return { after: after || undefined, limit: Math.min(Math.max(1, Number(limit) || 100), largestPage) };
}

const checkRequest = z.object({
  dkim: z.string().regex(selectorFormat).optional(),
  mail: z.string().refine(isAddress).optional(),
});

const importRequest = z.object({ lines: z.array(z.string()).max(largestPage) });

const webhookRequest = z.object({ destination: z.string() });

const personRequest = z.object({ address: z.string().trim(), keepConsent: z.boolean().default(false) });

/** The person of a request; an empty address if none was sent. */
async function personBody(req: HonoRequest): Promise<z.output<typeof personRequest>> {
  const read = personRequest.safeParse(await req.json().catch(() => null));
  return read.success ? read.data : { address: '', keepConsent: false };
}

function badFilter(errors: readonly string[]): Refused {
  return { status: 400, errors: errors.map((message) => ({ message: `${message}.`, code: 'INVALID_FILTER' })) };
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

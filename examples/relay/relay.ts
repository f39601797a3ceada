/**
 * A relay without a delivery loop, for hosts that run code only while a request is answered: signups are stored in
 * PostgreSQL, and a call of `/cron` delivers them.
 */
import process from 'node:process';
import {
  applyRetention,
  createLog,
  createRelay,
  hasBearerToken,
  openStore,
  readConfig,
  secretsOf,
} from '@newsletter-kit/relay';

/** Opens the store and creates the relay. */
async function openRelay() {
  const { CRON_SECRET: cronSecret, CRON_SECONDS: cronSeconds = '50' } = process.env;
  if (!cronSecret) throw new Error('CRON_SECRET is missing: anybody could call /cron.');
  if (!(Number(cronSeconds) > 0)) throw new Error('CRON_SECONDS must be a number of seconds, such as 50.');
  const config = readConfig(process.env);
  const log = createLog({ level: config.log.level, secrets: [...secretsOf(config), cronSecret] });
  const store = await openStore(config.store);
  const relay = createRelay({ config, store, log, operatorToken: config.operator.token });

  /** Delivers what waits and erases what has expired. Calls at the same time share the work. */
  async function deliver(request: Request): Promise<Response> {
    if (!hasBearerToken(request.headers.get('authorization'), cronSecret ?? ''))
      return new Response('The token is missing or wrong: send "Authorization: Bearer CRON_SECRET".\n', {
        status: 401,
      });
    await applyRetention({ store, retention: config.retention, log });
    const { nextDueAt } = await relay.deliver({ untilMs: Date.now() + Number(cronSeconds) * 1000 });
    return Response.json({ nextDueAt });
  }

  return { relay, store, deliver };
}

let opened: ReturnType<typeof openRelay> | undefined;

/**
 * Opens it once, and again after a failure. Not while this file is loaded: frameworks load it when they build, without
 * the settings.
 */
export function open(): ReturnType<typeof openRelay> {
  opened ??= openRelay().catch((error: unknown) => {
    opened = undefined;
    throw error;
  });
  return opened;
}

/**
 * Answers a request.
 *
 * @param peer - address of the visitor's connection; null if the host does not tell it
 */
export async function answer(request: Request, peer: string | null): Promise<Response> {
  const { relay, deliver } = await open();
  const { pathname } = new URL(request.url);
  if (pathname === '/cron') return deliver(request);
  // `/metrics` would show this instance alone.
  if (pathname === '/metrics') return new Response(null, { status: 404 });
  return relay.fetch(request, peer);
}

/** Ends deliveries in flight, then closes the store. Signups that were accepted stay in it. */
export async function stop(): Promise<void> {
  const { relay, store } = await open();
  await relay.stop();
  await store.close();
}

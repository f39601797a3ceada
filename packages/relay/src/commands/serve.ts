/** `newsletter-relay serve`: opens store and port, and closes both in the right order. */
import process from 'node:process';
import { isSigning } from '../config/form.ts';
import { createMachineRelay } from '../machine.ts';
import { readConfig } from '../config/read.ts';
import { namedSecrets, type RelayConfig, secretsOf } from '../config/settings.ts';
import { loadOrCreateSecret } from '../secrets.ts';
import { createAlerts } from '../ops/alerts.ts';
import { checkConsents, checkOrigins, checkStoreClock, logChecks, serviceTime } from '../checks.ts';
import { checkMail } from '../mail-checks.ts';
import { openTransport } from '../confirmation/smtp.ts';
import { startRetentionJob } from '../ops/retention.ts';
import { weakSecrets } from '../ops/weak-secrets.ts';
import { createLog, type Log, plainLines } from '../log.ts';
import { storeName } from '../config/store-address.ts';
import { openStore } from '../store/open-store.ts';
import { openStoreThread } from '../store/sqlite/store-thread.ts';
import { tagFiles } from '../tag-files.ts';
import { listen, operatorSettings } from './listen.ts';
import { operatorToken, refuseRemote } from './with-operator.ts';
import { letGrow } from './young-generation.ts';

/** Grace period for requests and deliveries in flight after Ctrl-C or SIGTERM, in milliseconds. */
const graceMs = 10_000;
/** After it, how long the store may take to note what was ended, in milliseconds. */
const storeMs = 5000;

/** @throws StartupError where it cannot start */
export async function serve(command: Parameters<typeof refuseRemote>[0]): Promise<void> {
  refuseRemote(command);
  const config = readConfig(process.env);
  const stopAsked = firstSignal();
  const secret = signingSecret(config);
  const weak = weakSecrets(namedSecrets(config));
  const log = logFor(config, secret, new Set(weak.map((each) => each.secret)));
  for (const { setting, why } of weak)
    log.warn({ setting, why }, 'this secret is weak, and removed from errors alone: choose a longer one, at random');
  const { store: place } = config;
  const store = await (place.kind === 'sqlite' ? openStoreThread(place.path) : openStore(place));
  try {
    const keptIn = config.tagFolder ?? (place.kind === 'sqlite' ? `${place.path}-tag` : undefined);
    const alerts = createAlerts({ ...config.alerts, log });
    const relay = createMachineRelay({
      config,
      store,
      log,
      secret,
      onEvent: alerts.onEvent,
      operatorToken: operatorToken(config),
      platform: { tagFiles: tagFiles(log, keptIn) },
    });
    const own = config.operator.listen;
    // Opened first: the line that says that signups are taken comes once everything listens.
    const operator = own && (await listen({ fetch: relay.fetchPrivate }, own, { settings: operatorSettings, log }));
    const server = await listen(relay, config.listen, { log });
    const { waiting, review, dead } = await store.counts();
    letGrow();
    log.info(
      { address: server.address, operator: operator?.address, store: storeName(config.store), waiting, review, dead },
      'the relay takes signups',
    );
    const stopErasing = startRetentionJob({
      store,
      retention: config.retention,
      log,
      serviceTime: () => serviceTime(config.api.url),
    });
    relay.start();
    // Not awaited: signups are accepted while the API cannot be reached. A failing store is reported elsewhere.
    const clock = checkStoreClock(store, Date.now).catch(() => []);
    const consents = checkConsents(config, store, Date.now).catch(() => []);
    const mail = checkMail(config, secretsOf(config), openTransport);
    void Promise.all([clock, consents, relay.check(), mail]).then((checks) =>
      logChecks([checkOrigins(config), ...checks.flat()], log),
    );

    log.info({ signal: await stopAsked }, 'stopping: what was taken is kept, deliveries under way are ended');
    endAfter(graceMs + storeMs, log);
    const closed = Promise.all([server.close(graceMs), operator?.close(graceMs)]);
    await relay.stop(graceMs);
    await closed;
    await stopErasing();
    await alerts.stop();
  } finally {
    await store.close();
  }
  log.info('stopped');
}

/** Generated and stored only if a signature or hash must outlive this process. */
function signingSecret({ secret, forms, store }: RelayConfig): string | undefined {
  if (secret !== undefined || store.kind !== 'sqlite') return secret;
  return Object.values(forms).some(isSigning)
    ? loadOrCreateSecret(
        `${store.path}-secret`,
        'The secret that signs form tokens and links in mails, and hashes addresses',
        'RELAY_SECRET',
      )
    : undefined;
}

function logFor(config: RelayConfig, secret = '', weak: ReadonlySet<string>): Log {
  const { level, format } = config.log;
  const plain = format === 'plain' || (format === 'auto' && process.stdout.isTTY);
  return createLog({
    level,
    secrets: [...secretsOf(config), secret].filter((each) => !weak.has(each)),
    weakSecrets: [...weak],
    destination: plain ? plainLines((text) => process.stdout.write(text)) : undefined,
  });
}

/** Ends a process that still waits for its store, without loss of acknowledged signups. */
function endAfter(ms: number, log: Log): void {
  const end = (): never => {
    log.warn('stopped before the store answered');
    process.exit(0);
  };
  setTimeout(end, ms).unref();
}

/** The first signal starts the stop; a second one ends the process at once, without loss of acknowledged signups. */
function firstSignal(): Promise<NodeJS.Signals> {
  return new Promise((resolve) => {
    let isStopping = false;
    for (const signal of ['SIGINT', 'SIGTERM'] as const) {
      process.on(signal, () => {
        if (isStopping) process.exit(1);
        isStopping = true;
        resolve(signal);
      });
    }
  });
}

/**
 * The relay's Worker in workerd as a server of `npm run worker`, until SIGTERM. Its settings come from the environment.
 * An argument names a bundle to run in place of the sources.
 */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { root } from './root.ts';
import { bundleWorker, startWorkerd } from './workerd.ts';

/** Variables with the prefix of a setting that concern this server. */
const ofServer: readonly string[] = ['RELAY_PORT', 'RELAY_HOST', 'RELAY_STORE', 'RELAY_LOG_FORMAT'];

/** Milliseconds between two runs of the cron trigger, as in `wrangler.jsonc`. */
const cronMs = 5 * 60_000;

const { RELAY_PORT: port = '4020', WORKER_STORAGE: storage } = process.env;
const [bundle] = process.argv.slice(2);
const script = bundle === undefined ? await bundleWorker() : readFileSync(bundle, 'utf8');
const settings = Object.entries(process.env).flatMap(([name, value]) =>
  /^(RELAY|NEWSLETTER)_/.test(name) && !ofServer.includes(name) && value ? [[name, value] as const] : [],
);
const { workerd, url, runCron } = await startWorkerd(script, {
  port: Number(port),
  ...(storage && { storage }),
  assets: join(root, 'packages/relay/dist/tag'),
  variables: Object.fromEntries(settings),
  onLine: (line) => process.stdout.write(`${line}\n`),
});
process.stdout.write(`${JSON.stringify({ level: 'info', address: url, msg: 'the Worker takes signups' })}\n`);
setInterval(() => void runCron(), cronMs);
await runCron();
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const)
  process.once(signal, () => void workerd.dispose().then(() => process.exit(0)));

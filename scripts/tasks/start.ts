/** `npm start`: sandbox, relay and demo site in one terminal, until Ctrl-C. */
import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { Complaint } from '../bring/complaint.mjs';
import { launch, type RunningServer } from '../chain/launch.ts';
import { assertPortsFree, portsFromEnvironment } from '../chain/ports.ts';
import { root } from '../chain/root.ts';
import { servers } from '../chain/servers.ts';
import { isWidgetStale } from '../chain/widget.ts';
import { buildWidget } from '../steps/build.ts';

const stopping = new AbortController();
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, () => stopping.abort());
const asked = new Promise<void>((resolve) => stopping.signal.addEventListener('abort', () => resolve()));

const relayStore = process.env['RELAY_STORE'] || `sqlite:${join(root, '.cache', 'relay.db')}`;
const running: RunningServer[] = [];
/** Greetings of the servers are left out; once the addresses are printed, what they say is news. */
let greeted = false;
try {
  await start();
  const first = await Promise.race([asked, ...running.map(({ plan, ended }) => ended.then((how) => ({ plan, how })))]);
  if (first) await reportDeath(first.plan.name, first.how);
} catch (error) {
  if (!(error instanceof Complaint)) throw error;
  if (!stopping.signal.aborted) {
    console.error(`\n${error.message}`);
    process.exitCode = 1;
  }
} finally {
  // The relay goes before the sandbox, so that its last deliveries still find the API.
  for (const server of running.toReversed()) await server.stop();
  if (stopping.signal.aborted) console.log('\nStopped. Signups that the relay accepted and has not delivered yet are kept.');
}

async function start(): Promise<void> {
  const ports = portsFromEnvironment(process.env);
  await assertPortsFree(ports);
  if (await isWidgetStale()) {
    console.log('▸ Building the widget');
    if (!(await buildWidget())) throw new Complaint('The widget was not built.', 'The reasons stand above; mend them and run the command again.');
  }
  await mkdir(join(root, '.cache'), { recursive: true });

  for (const plan of servers) {
    if (stopping.signal.aborted) return;
    console.log(`▸ Starting the ${plan.name}`);
    const begun = Date.now();
    running.push(await launch(plan, { ports, relayStore }, (line) => show(plan.name, line)));
    console.log(`✓ The ${plan.name} answers after ${Date.now() - begun} ms`);
  }
  if (stopping.signal.aborted) return;
  const width = Math.max(...servers.map(({ title }) => title.length));
  console.log(`\n${running.map(({ plan, url }) => `  ${plan.title.padEnd(width)}  ${url}`).toReversed().join('\n')}`);
  greeted = true;
  console.log('\nOpen the demo site and subscribe; Ctrl-C stops everything.\n');
}

function show(name: string, line: string): void {
  if (greeted && line) console.log(`[${name}] ${line}`);
}

async function reportDeath(name: string, how: string): Promise<void> {
  // Ctrl-C in a terminal reaches the servers as well, and they may be gone before this process hears of it.
  await Promise.race([asked, new Promise((resolve) => setTimeout(resolve, 300))]);
  if (stopping.signal.aborted) return;
  console.error(`\n✗ The ${name} ${how}, so the others stop too.\n  Its last lines stand above; run npm start again.`);
  process.exitCode = 1;
}

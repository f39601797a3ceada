/**
 * `npm start`: sandbox, relay and demo site in one terminal, until Ctrl-C. `npm run worker`: the same with the relay's
 * Worker in place of the relay.
 */
import { randomBytes } from 'node:crypto';
import { mkdir } from 'node:fs/promises';
import { join, relative } from 'node:path';
import { launch, serveUntilStopped } from './launch.ts';
import { assertPortsFree, portsFromEnvironment } from './ports.ts';
import { root } from './root.ts';
import { plans, servers as onMachine, serverUrl, type ServerPlan } from './servers.ts';
import { buildIfStale } from './build.ts';

/** Starts the relay on this machine. @returns false where a server did not start or ended by itself */
export function start(): Promise<boolean> {
  return serve('start', onMachine, operatorTokenLocation);
}

/** Starts the relay's Worker in workerd. @returns false where a server did not start or ended by itself */
export function startWorker(): Promise<boolean> {
  const token = process.env['RELAY_OPERATOR_TOKEN'] || randomBytes(18).toString('base64url');
  const servers = onMachine.map((plan) => (plan === plans.relay ? inWorkerd(plan, token) : plan));
  return serve('worker', servers, () => `is ${token}`);
}

/** The relay's Worker as a server; its storage is a folder beside the other caches. */
function inWorkerd(relay: ServerPlan, operatorToken: string): ServerPlan {
  return {
    ...relay,
    title: 'Relay (Worker in workerd)',
    entry: 'scripts/worker-server.ts',
    args: () => [],
    env: (settings) => ({
      ...relay.env(settings),
      RELAY_OPERATOR_TOKEN: operatorToken,
      WORKER_STORAGE: join(root, '.cache', `worker-${settings.ports.relay}`),
    }),
  };
}

/**
 * @param tokenOf - where the token of the operator's page is, as the rest of a sentence; undefined without such a page
 */
function serve(
  task: 'start' | 'worker',
  servers: readonly ServerPlan[],
  tokenOf: (store: string) => string | undefined,
): Promise<boolean> {
  const command = task === 'start' ? 'npm start' : `npm run ${task}`;
  return serveUntilStopped({
    command,
    farewell: 'Stopped. Signups that the relay accepted and has not delivered yet are kept.',
    async start(started, stopping) {
      const ports = portsFromEnvironment(servers, process.env);
      await assertPortsFree(servers, ports, command);
      await buildIfStale(task);
      const cache = join(root, '.cache');
      await mkdir(cache, { recursive: true });
      const relayStore = process.env['RELAY_STORE'] || `sqlite:${join(cache, storeName(ports.relay))}`;
      const settings = { ports, relayStore, command };

      /** The servers' output is printed only after the addresses. */
      let addressesPrinted = false;
      const addresses: string[] = [];
      const width = Math.max(...servers.map(({ title }) => title.length));
      for (const plan of servers) {
        if (stopping.aborted) return;
        console.log(`▸ Starting the ${plan.name}`);
        const begun = Date.now();
        const server = await launch(plan, settings, (line) => {
          if (addressesPrinted && line) console.log(`[${plan.name}] ${line}`);
        });
        started(server);
        addresses.unshift(`  ${plan.title.padEnd(width)}  ${server.url}`);
        console.log(`✓ The ${plan.name} answers after ${Date.now() - begun} ms`);
      }
      if (stopping.aborted) return;
      console.log(`\n${addresses.join('\n')}`);
      addressesPrinted = true;
      const tokenLocation = tokenOf(relayStore);
      console.log(
        [
          '',
          `Open the demo site and subscribe; ${serverUrl(ports.demo)}/playground has every option of the tag.`,
          `A form without a website: ${serverUrl(ports.relay)}/signup; for a website: <script src="${serverUrl(ports.relay)}/signup-form.js" async></script>`,
          ...(tokenLocation
            ? [
                `The relay's signups: ${serverUrl(ports.relay)}/operator. The page asks for a token: it ${tokenLocation}.`,
              ]
            : []),
          'Ctrl-C stops everything.',
          '',
        ].join('\n'),
      );
    },
  });
}

/** Two relays cannot share a file, and a second `npm start` on other ports runs beside the first. */
function storeName(port: number): string {
  return port === plans.relay.usualPort ? 'relay.db' : `relay-${port}.db`;
}

/** Which variable or file holds the token of the operator's page; undefined where the relay has no such page. */
function operatorTokenLocation(store: string): string | undefined {
  if (process.env['RELAY_OPERATOR_TOKEN']) return 'is in RELAY_OPERATOR_TOKEN';
  const [, file] = /^sqlite:(.+)$/.exec(store) ?? [];
  return file && `is in ${relative(root, file)}-operator`;
}

/** `npm start`: sandbox, relay and demo site in one terminal, until Ctrl-C. */
import { mkdir } from 'node:fs/promises';
import { join, relative } from 'node:path';
import { launch, serveUntilStopped } from './launch.ts';
import { assertPortsFree, portsFromEnvironment } from './ports.ts';
import { root } from './root.ts';
import { servers, serverUrl } from './servers.ts';
import { buildStalePages, buildWidgetIfStale } from './build.ts';

const command = 'npm start';

/** @returns false where a server did not start or ended by itself */
export function start(): Promise<boolean> {
  return serveUntilStopped({
    command,
    farewell: 'Stopped. Signups that the relay accepted and has not delivered yet are kept.',
    async start(started, stopping) {
      const ports = portsFromEnvironment(servers, process.env);
      await assertPortsFree(servers, ports, command);
      await buildWidgetIfStale();
      await buildStalePages();
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
        started({ ...server, name: plan.name });
        addresses.unshift(`  ${plan.title.padEnd(width)}  ${server.url}`);
        console.log(`✓ The ${plan.name} answers after ${Date.now() - begun} ms`);
      }
      if (stopping.aborted) return;
      console.log(`\n${addresses.join('\n')}`);
      addressesPrinted = true;
      const tokenLocation = operatorTokenLocation(relayStore);
      console.log(
        [
          '',
          `Open the demo site and subscribe; ${serverUrl(ports.demo)}/playground has every option of the tag.`,
          ...(tokenLocation
            ? [
                `The relay's signups: ${serverUrl(ports.relay)}/operator. The page asks for a token: it is in ${tokenLocation}.`,
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
  return port === servers.find(({ name }) => name === 'relay')?.usualPort ? 'relay.db' : `relay-${port}.db`;
}

/** The variable or file that holds the token of the operator's page; undefined where the relay has no such page. */
function operatorTokenLocation(store: string): string | undefined {
  if (process.env['RELAY_OPERATOR_TOKEN']) return 'RELAY_OPERATOR_TOKEN';
  const [, file] = /^sqlite:(.+)$/.exec(store) ?? [];
  return file && `${relative(root, file)}-operator`;
}

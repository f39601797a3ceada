/**
 * CPU time of `import '@newsletter-kit/core'` in a fresh process, above that of an import of nothing, and of the first
 * call, which waits for the schemas, above that of the platform's own `Response`.
 */
import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { median, reportFigures } from '../figure.ts';

const rounds = 20;

/** Milliseconds of CPU time of a piece of code, in a fresh process after other code. */
async function cost(measured: string, before = ''): Promise<number> {
  const code = `
    ${before}
    const begun = process.cpuUsage();
    ${measured}
    const { user, system } = process.cpuUsage(begun);
    console.log((user + system) / 1000);`;
  const { stdout } = await promisify(execFile)(process.execPath, ['--input-type=module', '--eval', code], {
    cwd: fileURLToPath(new URL('../..', import.meta.url)),
  });
  return Number(stdout);
}

const importOf = (specifier: string): string => `await import(${JSON.stringify(specifier)});`;
const firstCall = `
  const client = createClient({
    baseUrl: 'http://api.example/v2',
    token: 'key',
    publicationId: 'pub_1',
    fetch: async () => Response.json({ data: { id: 'sub_1', email: 'ada@example.com', status: 'active', created: 1 } }),
  });
  await client.subscriptions.create({ email: 'ada@example.com' });`;
const ways = {
  nothing: () => cost(importOf('data:text/javascript,')),
  core: () => cost(importOf('@newsletter-kit/core')),
  engine: () => cost(importOf('@newsletter-kit/core/engine')),
  sdk: () => cost(importOf('@beehiiv/sdk')),
  response: () => cost('await Response.json({}).text();'),
  firstCall: () => cost(firstCall, "const { createClient } = await import('@newsletter-kit/core');"),
} as const;
const names = Object.keys(ways) as (keyof typeof ways)[];
const costs = new Map(names.map((name) => [name, [] as number[]]));
for (let round = 0; round < rounds; round += 1) {
  for (const name of names) costs.get(name)?.push(await ways[name]());
}
const middle = (name: keyof typeof ways): number => median(costs.get(name) ?? []);
const own = (name: keyof typeof ways): number => middle(name) - middle('nothing');
reportFigures({
  cpu: {
    value: own('core'),
    ratios: { '@beehiiv/sdk': own('core') / own('sdk') },
    detail: `medians of ${rounds} fresh processes; …/engine ${own('engine').toFixed(1)}, @beehiiv/sdk ${own('sdk').toFixed(1)}`,
  },
  firstCall: {
    value: middle('firstCall') - middle('response'),
    detail: `medians of ${rounds} fresh processes; without a network; ${middle('firstCall').toFixed(0)} with the ${middle('response').toFixed(0)} of the first Response of the process`,
  },
});

/** CPU time of `import '@newsletter-kit/core'` in a fresh process, above that of an import of nothing. */
import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { median, tell } from '../figure.ts';

const rounds = 20;

/** Milliseconds of CPU time. */
async function cost(specifier: string): Promise<number> {
  const code = `
    const begun = process.cpuUsage();
    await import(${JSON.stringify(specifier)});
    const { user, system } = process.cpuUsage(begun);
    console.log((user + system) / 1000);`;
  const { stdout } = await promisify(execFile)(process.execPath, ['--input-type=module', '--eval', code], {
    cwd: fileURLToPath(new URL('../..', import.meta.url)),
  });
  return Number(stdout);
}

const specifiers = {
  nothing: 'data:text/javascript,',
  core: '@newsletter-kit/core',
  engine: '@newsletter-kit/core/engine',
  sdk: '@beehiiv/sdk',
} as const;
const costs: Record<keyof typeof specifiers, number[]> = { nothing: [], core: [], engine: [], sdk: [] };
for (let round = 0; round < rounds; round += 1) {
  for (const name of ['nothing', 'core', 'engine', 'sdk'] as const) costs[name].push(await cost(specifiers[name]));
}
const own = (name: keyof typeof specifiers): number => median(costs[name]) - median(costs.nothing);
tell({
  cpu: {
    value: own('core'),
    ratios: { '@beehiiv/sdk': own('core') / own('sdk') },
    detail: `medians of ${rounds} fresh processes; …/engine ${own('engine').toFixed(1)}, @beehiiv/sdk ${own('sdk').toFixed(1)}`,
  },
});

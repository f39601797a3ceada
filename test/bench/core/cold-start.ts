/**
 * The first second: the README's snippet with `concurrency: 32` makes 20, 100 and 500 parallel calls with a client made
 * for them, against a server that answers after 150 ms; once in a process that has only imported the package, and once
 * more with another client in the same process. Beside it, in a process of its own, a loop of 32 callers over bare
 * fetch. The time runs from `createClient` to the last answer.
 */
import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { median, reportFigures, type Figure } from '../figure.ts';
import { snippetWith } from './readme.ts';
import { serve } from './serve.ts';

const rounds = 7;
const publicationId = 'pub_00000000-0000-4000-8000-000000000001';
const server = await serve(150);

/** The snippet, with as many calls as asked and the address of the server; anything else stays as it is. */
function snippet(calls: number): string {
  const code = snippetWith('concurrency: 32')
    .replace(/baseUrl: '[^']+'/, `baseUrl: '${server.url}'`)
    .replace(/length: \d+/, `length: ${calls}`)
    .replace(/console\.log\(/, 'void (');
  const [imports = '', ...rest] = code.split(/(?<=^import .*;\n)/m);
  return imports + twice(rest.join(''));
}

/** Code that prints the milliseconds of the first and of the second run of this. */
const twice = (code: string): string => `
  const times = [];
  for (const run of ['first', 'second']) {
    const begun = performance.now();
    ${code}
    times.push(performance.now() - begun);
  }
  console.log(JSON.stringify(times));`;

const loop = (calls: number): string =>
  twice(`
  let left = ${calls};
  const caller = async () => {
    while (left-- > 0) {
      const answer = await fetch('${server.url}/publications/${publicationId}/subscriptions', {
        method: 'POST',
        headers: { authorization: 'Bearer key', accept: 'application/json', 'content-type': 'application/json' },
        body: JSON.stringify({ email: \`reader.\${left}@example.com\`, utm_source: 'landing' }),
      });
      await answer.json();
    }
  };
  await Promise.all(Array.from({ length: 32 }, caller));`);

async function milliseconds(code: string): Promise<readonly [first: number, second: number]> {
  const { stdout } = await promisify(execFile)(process.execPath, ['--input-type=module', '--eval', code], {
    cwd: fileURLToPath(new URL('../..', import.meta.url)),
  });
  return JSON.parse(stdout) as [number, number];
}

type Times = Record<'ours' | 'fetch', number[]>;

function compared({ ours, fetch }: Times): Figure {
  return {
    value: median(ours.map((own, round) => own / (fetch[round] ?? Number.NaN))),
    detail: `medians of ${rounds} pairs: ours ${Math.round(median(ours))} ms, fetch ${Math.round(median(fetch))} ms`,
  };
}

const figures: Record<string, Figure> = {};
for (const calls of [20, 100, 500]) {
  const [first, second]: [Times, Times] = [
    { ours: [], fetch: [] },
    { ours: [], fetch: [] },
  ];
  for (let round = 0; round < rounds; round += 1) {
    for (const [way, code] of [
      ['ours', snippet(calls)],
      ['fetch', loop(calls)],
    ] as const) {
      const [cold, warm] = await milliseconds(code);
      first[way].push(cold);
      second[way].push(warm);
    }
  }
  figures[`client${calls}`] = compared(second);
  figures[`process${calls}`] = compared(first);
}
server.stop();
reportFigures(figures);

/**
 * `for await` over a million subscriptions, validated, from a real server: the memory of the process that iterates.
 *
 * V8 lets a heap grow as far as the machine has memory, whatever the program needs: bare fetch in a loop takes as much.
 * So the figure is taken where the heap may be 64 MB, as in a small container; what both take unbounded stands beside
 * it.
 */
import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { reportFigures, type Figure } from '../figure.ts';
import { serve } from './serve.ts';

const size = 1_000_000;
const bounded = ['--max-old-space-size=64', '--max-semi-space-size=2'];
const server = await serve();

async function walk(way: 'client' | 'fetch', flags: readonly string[]): Promise<Figure> {
  const script = fileURLToPath(new URL('walk.ts', import.meta.url));
  const { stdout } = await promisify(execFile)(process.execPath, [
    '--disable-warning=ExperimentalWarning',
    ...flags,
    script,
    server.url,
    String(size),
    way,
  ]);
  return (JSON.parse(stdout) as { walk: Figure }).walk;
}

const ours = await walk('client', bounded);
const bare = await walk('fetch', bounded);
const unbounded = { ours: await walk('client', []), bare: await walk('fetch', []) };
server.stop();

const mb = ({ value }: Figure): string => `${Math.round(value)} MB`;
reportFigures({
  memory: {
    value: ours.value,
    detail: `highest RSS with a heap of 64 MB, ${ours.detail}; bare fetch ${mb(bare)}. Heap unbounded: ours ${mb(unbounded.ours)}, bare fetch ${mb(unbounded.bare)}`,
  },
});

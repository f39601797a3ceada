/**
 * The report on sources over a million subscriptions, read page by page from a real server, with a history of 300,000
 * leavings: seconds, and the memory of the process where the heap may be 160 MB.
 */
import { once } from 'node:events';
import { createWriteStream } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { resultOf } from '../../../scripts/result-channel.ts';
import { reportFigures } from '../figure.ts';
import { serve } from './serve.ts';

const size = 1_000_000;
const leavings = 300_000;
const folder = await mkdtemp(join(tmpdir(), 'sources-bench-'));
const path = join(folder, 'history.ndjson');
const file = createWriteStream(path);
file.write('{"history":1,"of":"here","since":"2020-01-01T00:00:00.000Z"}\n');
for (let index = 0; index < leavings; index += 1) {
  const id = `sub_${(index * 3).toString(16).padStart(8, '0')}-0000-4000-8000-000000000000`;
  if (!file.write(`{"id":"${id}","left":"2025-06-01T00:00:00.000Z"}\n`)) await once(file, 'drain');
}
file.end(`{"until":"${new Date().toISOString()}"}\n`);
await once(file, 'finish');

const { url, stop } = await serve();
type Run = Readonly<Record<'ms' | 'cpuMs' | 'megabytes', number>>;
function run(...flags: readonly string[]): Promise<Run> {
  const script = fileURLToPath(new URL('sources-run.ts', import.meta.url));
  return resultOf(script, [url, String(size), path], { execArgv: [...process.execArgv, ...flags] });
}
const free = await run();
const bounded = await run('--max-old-space-size=160', '--max-semi-space-size=2');
stop();
await rm(folder, { recursive: true });
reportFigures({
  time: {
    value: free.ms / 1000,
    detail: `10,000 requests one after the other, ${(free.cpuMs / 1000).toFixed(1)} s of CPU time; 300 sources, 50,000 campaigns, 250 weeks`,
  },
  memory: {
    value: bounded.megabytes,
    detail: `highest RSS with a heap of 160 MB, in ${(bounded.ms / 1000).toFixed(1)} s, with 300,000 leavings of the history; heap unbounded ${Math.round(free.megabytes)} MB`,
  },
});

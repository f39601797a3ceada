/**
 * The report on sources over a million subscriptions, read page by page from a real server, with a history of 300,000
 * leavings: seconds, and the memory of the process.
 */
import { execFile } from 'node:child_process';
import { once } from 'node:events';
import { createWriteStream } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
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
const script = fileURLToPath(new URL('sources-run.ts', import.meta.url));
const { stdout } = await promisify(execFile)(process.execPath, [...process.execArgv, script, url, String(size), path]);
stop();
await rm(folder, { recursive: true });
const { ms, cpuMs, megabytes } = JSON.parse(stdout) as Readonly<Record<'ms' | 'cpuMs' | 'megabytes', number>>;
reportFigures({
  time: {
    value: ms / 1000,
    detail: `10,000 requests one after the other, ${(cpuMs / 1000).toFixed(1)} s of CPU time; 300 sources, 50,000 campaigns, 250 weeks`,
  },
  memory: { value: megabytes, detail: 'highest RSS of the process, with 300,000 leavings of the history' },
});

/**
 * The rolling scan of a million subscriptions: room, time and memory, the latter where the heap may be 64 MB (see
 * iterate.ts).
 */
import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { tell, type Figure } from '../figure.ts';

const flags = [...process.execArgv, '--max-old-space-size=64', '--max-semi-space-size=2'];
const script = fileURLToPath(new URL('watch-passes.ts', import.meta.url));
const { stdout } = await promisify(execFile)(process.execPath, [...flags, script]);
tell(JSON.parse(stdout) as Record<string, Figure>);

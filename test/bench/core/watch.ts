/**
 * The rolling scan of a million subscriptions: room, time and memory, the latter where the heap may be 64 MB;
 * and its state between two polls, beside the simplest one, a Map.
 */
import { fileURLToPath } from 'node:url';
import { resultOf } from '../../../scripts/result-channel.ts';
import { reportFigures, type Figure } from '../figure.ts';

function run(file: string, ...args: readonly string[]): Promise<Record<string, Figure>> {
  const script = fileURLToPath(new URL(file, import.meta.url));
  const flags = args.filter((arg) => arg.startsWith('--'));
  const rest = args.filter((arg) => !arg.startsWith('--'));
  return resultOf(script, rest, { execArgv: [...process.execArgv, ...flags] });
}

const passes = await run('watch-passes.ts', '--max-old-space-size=64', '--max-semi-space-size=2');
const { state: packed } = await run('watch-state.ts', 'packed', '--expose-gc');
const { state: map } = await run('watch-state.ts', 'map', '--expose-gc');
const { state: statuses } = await run('watch-state.ts', 'statuses', '--expose-gc');
if (!packed || !map || !statuses) throw new Error('The states were not measured.');
reportFigures({ ...passes, state: { ...packed, detail: `${packed.detail}; a Map by id: ${map.detail}` }, statuses });

/**
 * Measures the state that keeps a million subscriptions between two polls: `watch-state.ts packed` as the watch keeps
 * them, `watch-state.ts map` in a Map from id to a status and a hash; and `watch-state.ts statuses` 250,000 without
 * custom fields, the most a trigger of n8n keeps. Tells the JSON of the state, the time to write and read it, and the
 * memory it takes once read.
 */
import { recordSeen, startScan, type ScanState, type Watched } from '@newsletter-kit/core/watch';
import { reportFigures } from '../figure.ts';
import { subscription } from '../subscription.ts';

const [, , way = ''] = process.argv;
const size = way === 'statuses' ? 250_000 : 1_000_000;
const fields = way === 'statuses' ? 'none' : 'all';

function watched(index: number): Watched {
  return {
    ...subscription(index),
    status: index % 10 === 0 ? 'inactive' : 'active',
    created: 1_600_000_000 + index * 157,
    custom_fields: [{ name: 'City', value: `city ${index % 500}` }],
  };
}

function packed(): unknown {
  let state: ScanState = startScan(fields);
  for (let from = 0; from < size; from += 100) {
    const items = Array.from({ length: 100 }, (_, offset) => watched(from + offset));
    ({ state } = recordSeen(state, items, fields, true));
  }
  return state;
}

function map(): unknown {
  const known = new Map<string, readonly [status: number, hash: number]>();
  for (let index = 0; index < size; index += 1) {
    const { id, status } = watched(index);
    known.set(id, [status === 'active' ? 1 : 0, Math.imul(index, 2_654_435_761) >>> 0]);
  }
  return [...known].map(([id, [status, hash]]) => [id, status, hash]);
}

function read(text: string): unknown {
  const state: unknown = JSON.parse(text);
  if (way !== 'map') return state;
  return new Map((state as [string, number, number][]).map(([id, ...entry]) => [id, entry]));
}

const collect = (): void => globalThis.gc?.();
let begun = performance.now();
const text = JSON.stringify(way === 'map' ? map() : packed());
const built = performance.now() - begun;
collect();
const before = process.memoryUsage().heapUsed;
begun = performance.now();
const state = read(text);
const reading = performance.now() - begun;
collect();
const heap = process.memoryUsage().heapUsed - before;
begun = performance.now();
const again = JSON.stringify(state instanceof Map ? [...(state as Map<string, number[]>)] : state);
const writing = performance.now() - begun;
if (again.length < size) throw new Error('The state is not whole.');
reportFigures({
  state: {
    value: text.length / 1e6,
    detail: `${(text.length / 1e6).toFixed(1)} MB of JSON, ${Math.round(heap / 1e6)} MB in memory, written in ${Math.round(writing)} ms, read in ${Math.round(reading)} ms, built in ${Math.round(built)} ms`,
  },
});

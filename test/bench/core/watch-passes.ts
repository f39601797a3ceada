/**
 * Scans a million subscriptions twice, page by page, without a network, and tells what the packed table takes, what a
 * page costs beside the reading of its JSON, and the highest memory of this process. The first pass builds the table,
 * the second finds what changed.
 */
import {
  scan,
  startScan,
  type ScanPage,
  type ScanState,
  type ScanView,
  type Watched,
} from '@newsletter-kit/core/watch';
import { median, reportFigures } from '../figure.ts';
import { subscription } from '../subscription.ts';

const size = 1_000_000;
const limit = 100;
const first = 1_600_000_000;
const view: ScanView = {
  fields: 'all',
  now: 0,
  seen: { created: first + size * 160, ids: [] },
  createdInProgress: false,
};

/**
 * A page as the service would send it. In the second pass one in a thousand is unsubscribed and one moved to another
 * city.
 */
function pageText(from: number, pass: number): string {
  const items = Array.from({ length: limit }, (_, offset) => {
    const index = from + offset;
    return {
      ...subscription(index),
      status: pass > 0 && index % 1000 === 7 ? 'inactive' : 'active',
      // An import of ten thousand at once now and then, else one every few minutes.
      created: first + (index % 50_000 < 10_000 ? index - (index % 50_000) : index) * 157,
      subscription_tier: index % 9 === 0 ? 'premium' : 'free',
      subscription_premium_tier_names: index % 9 === 0 ? ['Gold'] : [],
      custom_fields: [
        { name: 'City', kind: 'string', value: `city ${pass > 0 && index % 1000 === 8 ? 'new' : index % 500}` },
      ],
    };
  });
  return JSON.stringify({ items, nextCursor: from + limit < size ? String(from + limit) : null });
}

let state: ScanState = startScan('all');
let events = 0;
const times: { readonly parse: number[]; readonly scan: number[] } = { parse: [], scan: [] };
for (let pass = 0; pass < 2; pass++) {
  for (let from = 0; from < size; from += limit) {
    const text = pageText(from, pass);
    const begun = performance.now();
    const page = JSON.parse(text) as ScanPage<Watched>;
    const parsed = performance.now();
    const step = scan(state, page, view);
    times.scan.push(performance.now() - parsed);
    times.parse.push(parsed - begun);
    events += step.events.length;
    ({ state } = step);
  }
}
const expected = (size / 1000) * 3;
if (events !== expected) throw new Error(`The scan reported ${events} events, ${expected} were expected.`);

const entries = state.table.reduce((sum, { packed }) => sum + packed.length / 15, 0);
if (entries !== size) throw new Error(`The table holds ${entries} of ${size} subscriptions.`);
// 15 letters of six bits an entry; of a segment its second (4 bytes), hash (6) and width (1).
const packed = (entries * 15 * 6) / 8 + state.table.length * 11;
const json = JSON.stringify(state).length;
const microseconds = (values: readonly number[]): number => median(values) * 1000;
const [perPage, parse] = [microseconds(times.scan), microseconds(times.parse)];

reportFigures({
  bytes: {
    value: packed / size,
    detail: `packed, ${state.table.length} segments and all; as JSON ${(json / size).toFixed(2)} letters`,
  },
  page: {
    value: perPage / 100,
    detail: `median of ${times.scan.length} pages; reading the JSON of a page takes ${(parse / 100).toFixed(1)} µs a subscription`,
  },
  memory: {
    value: process.resourceUsage().maxRSS / 1024,
    detail: 'highest RSS of the process, the pages themselves included',
  },
});

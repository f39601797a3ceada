/** A publication of a million: every page of 100 from the first to the last by cursor, and the memory it takes. */
import { apiKeys, createSandbox, publicationId } from '@newsletter-kit/sandbox';
import { median, reportFigures, timed } from '../figure.ts';

const size = 1_000_000;
let sandbox = undefined as ReturnType<typeof createSandbox> | undefined;
const planting = await timed(() => {
  sandbox = createSandbox({ seed: 'empty', seedSize: size });
});
if (!sandbox) throw new Error('The sandbox did not start.');
const { fetch, close } = sandbox;

interface Page {
  readonly data: readonly unknown[];
  readonly next_cursor: string | null;
}

async function read(cursor: string | null): Promise<Page> {
  const query = cursor === null ? '' : `&cursor=${encodeURIComponent(cursor)}`;
  const answer = await fetch(`http://sandbox.test/v2/publications/${publicationId}/subscriptions?limit=100${query}`, {
    headers: { Authorization: `Bearer ${apiKeys.workspace}` },
  });
  return (await answer.json()) as Page;
}

const first: number[] = [];
for (let n = 0; n < 300; n += 1) first.push(await timed(() => read(null)));

const deciles: number[][] = Array.from({ length: 10 }, () => []);
let cursor: string | null = null;
let met = 0;
do {
  let page: Page | undefined;
  const at = cursor;
  const took = await timed(async () => {
    page = await read(at);
  });
  deciles[Math.floor((met / size) * 10)]?.push(took);
  met += page?.data.length ?? 0;
  cursor = page?.next_cursor ?? null;
} while (cursor !== null && met < size * 2);
if (met !== size) throw new Error(`The walk met ${met} of ${size} subscriptions.`);

const depths = deciles.map(median);
const base = median(first.slice(100));
const megabytes = process.resourceUsage().maxRSS / 1024;
close();

reportFigures({
  depth: {
    value: Math.max(...depths) / base,
    detail: `the first page ${base.toFixed(2)} ms, the slowest tenth of the way ${Math.max(...depths).toFixed(2)} ms (medians of 1,000)`,
  },
  seed: { value: planting / 1000, detail: 'seed `empty`, generated subscriptions, in memory; one run' },
  memory: {
    value: megabytes,
    detail: `highest RSS of the process, generating and reading all pages`,
  },
});

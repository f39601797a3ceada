/** The parts of the world that every rule uses: its ids and its event feed. */
import { expect, onTestFinished, test, vi } from 'vitest';
import { createIds } from '../../src/world/ids.ts';
import { createFeed } from '../../src/world/world.ts';

test('ids stay the same in every version: tests of users may contain them', () => {
  const ids = createIds(1);
  expect([ids.uuid('sub', 1), ids.code('sub', 1), ids.token('access', 1), ids.fraction('demo', 1)]).toEqual([
    '9886580d-f3d3-4aaf-8890-ea740d18d285',
    'lkFr3o4yqh',
    'Aow1m42hdilwkzjhz2lp1xeRa6NbZSF_0idB9CDPZj0',
    0.7546219378709793,
  ]);
});

test('ids differ by seed, kind and number', () => {
  const made = [1, 2].flatMap((seed) =>
    ['sub', 'job'].flatMap((kind) =>
      [1, 2, 1000].flatMap((n) => {
        const ids = createIds(seed);
        return [ids.uuid(kind, n), ids.code(kind, n), ids.token(kind, n), ids.fraction(kind, n)];
      }),
    ),
  );
  expect(new Set(made).size).toBe(48);
});

test('a UUID has version 4 and each of its variants', () => {
  const variants = Array.from(
    { length: 50 },
    (_, n) => /^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-(.)/.exec(createIds(1).uuid('sub', n))?.[1],
  );
  expect(new Set(variants)).toEqual(new Set('89ab'));
});

test('a listener gets each event until it unsubscribes, once for each of its subscriptions', () => {
  const feed = createFeed<string>();
  const got: string[] = [];
  const listener = (event: string): void => void got.push(event);
  expect(feed.listening).toBe(false);
  const [first, second] = [feed.subscribe(listener), feed.subscribe(listener)];
  feed.publish('one');
  first();
  feed.publish('two');
  expect(feed.listening).toBe(true);
  second();
  feed.publish('three');
  expect(got).toEqual(['one', 'one', 'two']);
  expect(feed.listening).toBe(false);
});

test('a listener that fails keeps no event from the others, and its error is reported by itself', () => {
  const reports: (() => void)[] = [];
  const queued = vi.spyOn(globalThis, 'queueMicrotask').mockImplementation((report) => void reports.push(report));
  onTestFinished(() => queued.mockRestore());
  const feed = createFeed<string>();
  const got: string[] = [];
  feed.subscribe(() => {
    throw new Error('a listener failed');
  });
  feed.subscribe((event) => void got.push(event));
  feed.publish('one');
  expect(got).toEqual(['one']);
  expect(reports).toHaveLength(1);
  expect(reports[0]).toThrow('a listener failed');
});

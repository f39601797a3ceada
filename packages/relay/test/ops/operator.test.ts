/** Counts of events per minute. */
import { expect, test } from 'vitest';
import { Events } from '../../src/events.ts';
import { countMinutes } from '../../src/ops/operator.ts';

test('the last hour has sixty minutes with their counts, and nothing older', () => {
  let now = Date.parse('2026-03-01T12:00:30Z');
  const events = new Events();
  const minutes = countMinutes({ events, now: () => now });
  events.emit({ type: 'refused', form: 'default', status: 403, codes: [] });
  events.emit({ type: 'refused', form: 'default', status: 400, codes: [], times: 3 });
  now += 59 * 60_000;
  for (let count = 0; count < 2; count += 1)
    events.emit({ type: 'accepted', form: 'default', suspectedBecause: null, needsConfirmation: false, tookMs: 1 });
  expect(minutes()).toHaveLength(60);
  expect(minutes()[0]).toEqual({
    from: Date.parse('2026-03-01T12:00:00Z'),
    kept: 0,
    refused: 4,
    delivered: 0,
    dead: 0,
  });
  expect(minutes().at(-1)).toMatchObject({ kept: 2, refused: 0 });
  now += 60_000;
  expect(minutes().every(({ refused }) => refused === 0)).toBe(true);
});

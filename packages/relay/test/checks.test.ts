/** Checks at the start of a relay: the clock of a shared database, and the log of failed checks. */
import { expect, it } from 'vitest';
import { createLog } from '../src/index.ts';
import { checkStoreClock, logChecks } from '../src/checks.ts';

const now = Date.UTC(2026, 10, 23);

it.each([
  [0, 'ok', 'agrees with the database'],
  [2500, 'ok', 'agrees with the database'],
  [-2500, 'ok', 'agrees with the database'],
  [10_000, 'warning', 'is 10 seconds ahead of the database'],
  [-10_000, 'warning', 'is 10 seconds behind the database'],
])('compares the clocks of relay and database: a difference of %i ms is %s', async (aheadMs, result, text) => {
  const store = { serverTime: () => Promise.resolve(now - aheadMs) };
  expect(await checkStoreClock(store, () => now)).toEqual([
    { name: 'clock of the store', result, text: expect.stringContaining(text) as string },
  ]);
});

it('ignores the duration of a slow answer when it compares clocks', async () => {
  const times = [now, now + 20_000];
  const store = { serverTime: () => Promise.resolve(now + 15_000) };
  expect(await checkStoreClock(store, () => times.shift() ?? now)).toMatchObject([{ result: 'ok' }]);
});

it('checks no clock of an SQLite store', async () => {
  expect(await checkStoreClock({}, () => now)).toEqual([]);
});

it('logs a failed mail server as confirmation mails that cannot be sent, any other failure as delivery', () => {
  const lines: string[] = [];
  const log = createLog({ destination: { write: (line) => void lines.push(line) } });
  logChecks(
    [
      { name: 'mail server', result: 'failed', text: 'It does not answer.' },
      { name: 'publication of "default"', result: 'failed', text: 'It is unknown.' },
    ],
    log,
  );
  expect(lines.map((line) => (JSON.parse(line) as { msg: string }).msg)).toEqual([
    'signups are taken, but confirmation mails cannot be sent',
    'signups are taken, but cannot be delivered',
  ]);
});

import { expect, test } from 'vitest';
import { createSandbox } from '../../src/index.ts';
import { errorsOf, fresh, noon } from '../caller.ts';
import { control } from '../control/control.ts';
import { scratchFolder } from '../../../../test/support/scratch-folder.ts';

const at = (time: number) => new Date(time).toISOString();
const now = async (sandbox: ReturnType<typeof fresh>) =>
  ((await control(sandbox, 'GET', '/clock')).body as { now: string }).now;

test.each([
  [
    { advance: '14 days' },
    '"14 days" is not a duration. Write it as in ISO 8601: P14D for 14 days, PT90M for 90 minutes. It is at 2026-11-04T12:00:00.000Z.',
  ],
  [{ set: '2026-11-04T11:59:59.999Z' }, 'The clock only moves forward. It is at 2026-11-04T12:00:00.000Z.'],
  [{ set: '2026-11-04T12:00:00Z', advance: 'P8000Y' }, 'Use either "advance" or "set", not both.'],
  [{ advance: 'P8000Y' }, 'The clock goes no further than the year 9999. It is at 2026-11-04T12:00:00.000Z.'],
])('the clock refuses %j with a reason', async (body, message) => {
  const answered = await control(fresh(), 'POST', '/clock', body);
  expect(answered.status).toBe(400);
  expect(errorsOf(answered).map((error) => error.message)).toEqual([message]);
});

test('the clock takes its own time and the last millisecond of the year 9999', async () => {
  const sandbox = fresh();
  sandbox.clock.set(noon);
  sandbox.clock.advance(0);
  sandbox.clock.advance('PT0S');
  expect(sandbox.clock.now()).toBe(noon);
  sandbox.clock.set(Date.UTC(10_000, 0) - 1);
  expect(await now(sandbox)).toBe('9999-12-31T23:59:59.999Z');
  expect(() => sandbox.clock.set(Date.UTC(10_000, 0))).toThrow('The clock goes no further than the year 9999.');
});

test.each([-1, Number.NaN])('the clock cannot be advanced by %s ms', (by) => {
  const { clock } = fresh();
  expect(() => clock.advance(by)).toThrow(`The clock only moves forward; it can't be advanced by ${by} ms.`);
  expect(() => clock.set(Number.NaN)).toThrow('The clock only moves forward.');
  expect(clock.now()).toBe(noon);
});

test.each(['PD', 'P1', 'PT', 'P1H', 'PT1D', 'P1D1W', 'T1H', 'xP1D', 'P1Dx', 'PT1.2345S', 'PT.5S', 'P1.5D', 'p1d'])(
  '"%s" is not a duration',
  (duration) => {
    expect(() => fresh().clock.advance(duration)).toThrow(`"${duration}" is not a duration.`);
  },
);

test.each([
  ['P1Y', Date.UTC(2027, 10, 4, 12)],
  ['P1M', Date.UTC(2026, 11, 4, 12)],
  ['P13M', Date.UTC(2027, 11, 4, 12)],
  ['P2W', noon + 14 * 86_400_000],
  ['P2D', noon + 2 * 86_400_000],
  ['PT2H', noon + 2 * 3_600_000],
  ['PT2M', noon + 2 * 60_000],
  ['PT2S', noon + 2000],
  ['PT1.234S', noon + 1234],
  ['P9999D', noon + 9999 * 86_400_000],
  ['PT9999999H', noon + 9_999_999 * 3_600_000],
])('advancing by %s reaches the expected time', (duration, time) => {
  const { clock } = fresh();
  clock.advance(duration);
  expect(at(clock.now())).toBe(at(time));
});

test('the clock follows real time, and never goes back with it', () => {
  let real = noon;
  const { clock } = fresh({ now: () => real });
  clock.advance('P1D');
  real += 1500;
  expect(clock.now()).toBe(noon + 86_400_000 + 1500);
  real -= 1000;
  expect(clock.now()).toBe(noon + 86_400_000 + 1500);
  real += 1600;
  expect(clock.now()).toBe(noon + 86_400_000 + 2100);
});

test('the clock has whole milliseconds, whatever real time has', () => {
  let real = noon + 0.7;
  const { clock } = fresh({ now: () => real });
  expect(clock.now()).toBe(noon);
  clock.set(noon + 10.9);
  expect(clock.now()).toBe(noon + 10);
  clock.freeze();
  clock.set(noon + 20.9);
  expect(clock.now()).toBe(noon + 20);
  real = noon + 5.9;
  clock.thaw();
  expect(clock.now()).toBe(noon + 20);
});

test('a frozen clock can be advanced, stays frozen, and continues from there when thawed', async () => {
  let real = noon;
  const sandbox = fresh({ now: () => real });
  const { clock } = sandbox;
  expect(clock.frozen).toBe(false);
  clock.freeze();
  real += 5000;
  clock.advance('PT1H');
  expect([clock.frozen, clock.now()]).toEqual([true, noon + 3_600_000]);
  clock.freeze();
  expect(clock.now()).toBe(noon + 3_600_000);
  clock.thaw();
  clock.thaw();
  real += 1000;
  expect([clock.frozen, clock.now()]).toEqual([false, noon + 3_601_000]);
  expect((await control(sandbox, 'POST', '/clock', {})).body).toMatchObject({
    frozen: false,
    now: at(noon + 3_601_000),
  });
});

test('a database file keeps a frozen clock frozen over a restart', () => {
  const db = `${scratchFolder()}/sandbox.db`;
  const first = createSandbox({ db, now: () => noon });
  first.clock.freeze();
  first.clock.advance('PT1H');
  first.close();
  const second = fresh({ db, now: () => noon + 86_400_000 });
  expect([second.clock.frozen, second.clock.now()]).toEqual([true, noon + 3_600_000]);
});

test('a long text that is not a duration is quoted in part', () => {
  expect(() => fresh().clock.advance('x'.repeat(41))).toThrow(`"${'x'.repeat(40)}" is not a duration.`);
});

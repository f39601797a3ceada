import { expect, test } from 'vitest';
import { createSandbox } from '../../src/index.ts';
import { control, create, errorsOf, fresh, list, noon } from '../caller.ts';
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
  [{ advance: 14 }, '"advance" must be a string.'],
  [{ set: 'tomorrow' }, '"set" must be a time such as 2027-01-01T00:00:00Z.'],
  ['[]', 'The body must be a JSON object.'],
])('the clock refuses %j with a reason, and stays', async (body, message) => {
  const sandbox = fresh();
  const answered = await control(sandbox, 'POST', '/clock', body);
  expect(answered.status).toBe(400);
  expect(errorsOf(answered).map((error) => error.message)).toEqual([message]);
  expect(sandbox.clock.now()).toBe(noon);
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

test.each([
  '',
  'P',
  '-P1D',
  'P1DT',
  '14d',
  'PD',
  'P1',
  'PT',
  'P1H',
  'PT1D',
  'P1D1W',
  'T1H',
  'xP1D',
  'P1Dx',
  'PT1.2345S',
  'PT.5S',
  'P1.5D',
  'p1d',
])('"%s" is not a duration', (duration) => {
  expect(() => fresh().clock.advance(duration)).toThrow(`"${duration}" is not a duration.`);
});

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
  ['PT0,25S', noon + 250],
  ['P1Y2M3W4DT5H6M7S', Date.UTC(2028, 0, 29, 17, 6, 7)],
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
  expect((await control(sandbox, 'POST', '/clock', { set: '2026-12-24T20:00:00+01:00' })).body).toMatchObject({
    frozen: true,
    now: '2026-12-24T19:00:00.000Z',
  });
  await control(sandbox, 'POST', '/clock', { freeze: false });
  clock.thaw();
  real += 1000;
  expect((await control(sandbox, 'POST', '/clock', {})).body).toMatchObject({
    frozen: false,
    now: '2026-12-24T19:00:01.000Z',
  });
});

test('a long text that is not a duration is quoted in part', () => {
  expect(() => fresh().clock.advance('x'.repeat(41))).toThrow(`"${'x'.repeat(40)}" is not a duration.`);
});

test('GET /clock returns the time and the next scheduled event', async () => {
  const sandbox = fresh();
  expect((await control(sandbox, 'GET', '/clock')).body).toEqual({
    now: '2026-11-04T12:00:00.000Z',
    frozen: false,
    due: { count: 0, next: null },
  });
  await create(sandbox, { email: 'ada@example.com' });
  expect((await control(sandbox, 'GET', '/clock')).body).toMatchObject({
    due: { count: 1, next: { at: '2026-11-04T12:00:00.500Z', kind: 'subscription.validated' } },
  });
});

test('advancing runs the events that become due and counts them by kind', async () => {
  const sandbox = fresh();
  for (const name of ['ada', 'grace', 'linus']) await create(sandbox, { email: `${name}@example.com` });
  expect(await control(sandbox, 'POST', '/clock', { advance: 'P14D' })).toMatchObject({
    status: 200,
    body: { now: '2026-11-18T12:00:00.000Z', happened: { 'subscription.validated': 3 }, due: { count: 0, next: null } },
  });
  expect((await list(sandbox)).data.map((one) => one.status)).toEqual(['active', 'active', 'active']);
});

test.each([
  ['2028-01-31', 'P1M', '2028-02-29'],
  ['2027-01-31', 'P1M', '2027-02-28'],
  ['2028-02-29', 'P1Y', '2029-02-28'],
  ['2027-07-31', 'P1M', '2027-08-31'],
  ['2027-08-31', 'P1M', '2027-09-30'],
  ['2027-12-31', 'P1M', '2028-01-31'],
  ['2027-11-30', 'P1M', '2027-12-30'],
])('months and years are calendar units: %s plus %s is %s', async (from, advance, to) => {
  const sandbox = fresh({ now: () => Date.parse(from) });
  expect((await control(sandbox, 'POST', '/clock', { advance })).body).toMatchObject({
    now: `${to}T00:00:00.000Z`,
  });
});

test('a database file keeps its clock; a reset restores real time', async () => {
  const db = `${scratchFolder()}/sandbox.db`;
  const first = createSandbox({ db, now: () => noon });
  await control(first, 'POST', '/clock', { freeze: true, advance: 'P14D' });
  first.close();
  const second = fresh({ db, now: () => noon + 1000 });
  expect([second.clock.frozen, second.clock.now()]).toEqual([true, noon + 14 * 86_400_000]);
  expect(() =>
    second.reset({ publications: [{ id: 'pub_1', name: 'P', tiers: [{ name: 'A' }, { name: 'A' }] }] }),
  ).toThrow('twice');
  expect(second.clock.now()).toBe(noon + 14 * 86_400_000);
  second.reset();
  expect([second.clock.frozen, second.clock.now()]).toEqual([false, noon + 1000]);
});

test('a control endpoint refuses misspelt keys and what is no JSON; no body or blanks count as {}', async () => {
  const sandbox = fresh();
  const refused = async (body: unknown) => errorsOf(await control(sandbox, 'POST', '/clock', body));
  expect(await refused({ advnace: 'P1D' })).toEqual([
    { message: '"advnace" is not known here. Check its spelling.', code: 'UNKNOWN_KEY' },
  ]);
  expect(await refused({ ['x'.repeat(200)]: 1 })).toEqual([
    { message: `"${'x'.repeat(100)}" is not known here. Check its spelling.`, code: 'UNKNOWN_KEY' },
  ]);
  expect(await refused('{"advance"')).toEqual([{ message: 'The body is not valid JSON.', code: 'INVALID_JSON' }]);
  for (const body of [undefined, '', ' \n']) expect((await control(sandbox, 'POST', '/clock', body)).status).toBe(200);
});

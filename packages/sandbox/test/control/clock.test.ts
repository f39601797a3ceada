import { expect, test } from 'vitest';
import { createSandbox } from '../../src/index.ts';
import { create, errorsOf, fresh, list, noon } from '../caller.ts';
import { control } from './control.ts';
import { scratchFolder } from '../../../../test/support/scratch-folder.ts';

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
  ['PT0.25S', '2026-11-04T12:00:00.250Z'],
  ['PT0,25S', '2026-11-04T12:00:00.250Z'],
  ['PT90M', '2026-11-04T13:30:00.000Z'],
  ['P1W', '2026-11-11T12:00:00.000Z'],
  ['P3M27D', '2027-03-03T12:00:00.000Z'],
  ['P1Y2M3W4DT5H6M7S', '2028-01-29T17:06:07.000Z'],
  ['P0D', '2026-11-04T12:00:00.000Z'],
])('advancing by %s makes it %s', async (advance, now) => {
  expect((await control(fresh(), 'POST', '/clock', { advance })).body).toMatchObject({ now });
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

test.each([
  [{ advance: 'P' }, 'is not a duration'],
  [{ advance: '' }, 'is not a duration'],
  [{ advance: '14d' }, 'is not a duration'],
  [{ advance: '-P1D' }, 'is not a duration'],
  [{ advance: 'P1DT' }, 'is not a duration'],
  [{ advance: 'P9999Y' }, 'year 9999'],
  [{ advance: 14 }, '"advance" must be a string'],
  [{ set: '2020-01-01T00:00:00Z' }, 'only moves forward'],
  [{ set: 'tomorrow' }, '"set" must be a time'],
  [{ set: '2027-01-01T00:00:00Z', advance: 'P1D' }, 'not both'],
  [{ advanced: 'P1D' }, '"advanced" is not known'],
  ['{', 'not valid JSON'],
  ['[]', 'JSON object'],
])('%j is refused and the clock stays', async (body, says) => {
  const sandbox = fresh();
  const answered = await control(sandbox, 'POST', '/clock', body);
  expect(answered.status).toBe(400);
  expect(errorsOf(answered)[0]?.message).toContain(says);
  expect(sandbox.clock.now()).toBe(noon);
});

test('a frozen clock keeps its time until it is moved or thawed', async () => {
  let real = noon;
  const sandbox = fresh({ now: () => real });
  await control(sandbox, 'POST', '/clock', { freeze: true });
  real += 3_600_000;
  expect((await control(sandbox, 'GET', '/clock')).body).toMatchObject({
    now: '2026-11-04T12:00:00.000Z',
    frozen: true,
  });
  await control(sandbox, 'POST', '/clock', { set: '2026-12-24T20:00:00+01:00' });
  expect((await control(sandbox, 'POST', '/clock', { freeze: false })).body).toMatchObject({
    now: '2026-12-24T19:00:00.000Z',
    frozen: false,
  });
  real += 1000;
  expect((await control(sandbox, 'GET', '/clock')).body).toMatchObject({ now: '2026-12-24T19:00:01.000Z' });
});

test('a database file keeps its clock; a reset restores real time', async () => {
  const db = `${scratchFolder()}/sandbox.db`;
  const first = createSandbox({ db, now: () => noon });
  await control(first, 'POST', '/clock', { advance: 'P14D' });
  first.close();
  const second = fresh({ db });
  expect(second.clock.now()).toBe(noon + 14 * 86_400_000);
  expect(() =>
    second.reset({ publications: [{ id: 'pub_1', name: 'P', tiers: [{ name: 'A' }, { name: 'A' }] }] }),
  ).toThrow('twice');
  expect(second.clock.now()).toBe(noon + 14 * 86_400_000);
  second.reset();
  expect(second.clock.now()).toBe(noon);
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

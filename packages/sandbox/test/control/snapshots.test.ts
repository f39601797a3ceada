import { createHash } from 'node:crypto';
import { expect, test } from 'vitest';
import { createSandbox, publicationId, type Sandbox } from '../../src/index.ts';
import { control, create, customFieldsPath, errorsOf, fresh, list, send, subscriptionsPath } from '../caller.ts';
import { scratchFolder } from '../../../../test/support/scratch-folder.ts';

const addresses = async (sandbox: Sandbox) => (await list(sandbox, { limit: '100' })).data.map((one) => one.email);
const file = (sandbox: Sandbox) => [...sandbox.snapshots.export(sandbox.snapshots.take().id)].join('');

test('restoring a snapshot restores subscribers, scheduled events, the clock and the id counters', async () => {
  const sandbox = fresh();
  await create(sandbox, { email: 'ada@example.com' });
  const { body } = await control(sandbox, 'POST', '/snapshots', { name: 'before' });
  expect(body).toEqual({
    data: { id: 'snapshot_1', name: 'before', time: '2026-11-04T12:00:00.000Z', rows: expect.any(Number) },
  });

  const next = (await create(sandbox, { email: 'grace@example.com' })).data;
  await control(sandbox, 'POST', '/clock', { advance: 'P14D' });
  expect((await list(sandbox)).data.map((one) => one.status)).toEqual(['active', 'active']);

  expect((await control(sandbox, 'POST', '/snapshots/snapshot_1/restore')).status).toBe(200);
  expect((await list(sandbox)).data.map(({ email, status }) => [email, status])).toEqual([
    ['ada@example.com', 'validating'],
  ]);
  expect((await control(sandbox, 'GET', '/clock')).body).toMatchObject({
    now: '2026-11-04T12:00:00.000Z',
    due: { count: 1 },
  });
  expect((await create(sandbox, { email: 'grace@example.com' })).data).toEqual(next);
});

test('scheduled events of a snapshot run after it is restored', async () => {
  const sandbox = fresh();
  await create(sandbox, { email: 'ada@example.com' });
  const { id } = sandbox.snapshots.take();
  sandbox.reset();
  sandbox.clock.advance(1000);
  await list(sandbox);
  sandbox.snapshots.restore(id);
  sandbox.clock.advance(1000);
  expect((await list(sandbox)).data.map((one) => one.status)).toEqual(['active']);
});

test('a snapshot can be restored again and again, and restored from within another', async () => {
  const sandbox = fresh({ seed: 'demo' });
  const full = sandbox.snapshots.take('full');
  const all = await addresses(sandbox);
  sandbox.reset('empty');
  const none = sandbox.snapshots.take();
  for (let round = 0; round < 3; round += 1) {
    sandbox.snapshots.restore(full.id);
    expect(await addresses(sandbox)).toEqual(all);
    sandbox.snapshots.restore(none.id);
    expect(await addresses(sandbox)).toEqual([]);
  }
  expect((await control(sandbox, 'GET', '/snapshots')).body).toMatchObject({
    data: [
      { id: full.id, name: 'full' },
      { id: none.id, name: null },
    ],
  });
});

test('an exported snapshot is imported by another sandbox over HTTP, and exported again byte for byte', async () => {
  const one = fresh({ seed: 'demo' });
  await create(one, { email: 'jürgen+x@bücher.example', utm_campaign: `"quoted" \u2028 🌷 \n` });
  const { id } = one.snapshots.take();
  const exported = await one.fetch(`http://sandbox.test/_sandbox/snapshots/${id}/export`);
  expect(exported.headers.get('content-type')).toBe('application/x-ndjson');
  const text = await exported.text();

  const other = fresh();
  const taken = await other.fetch('http://sandbox.test/_sandbox/snapshots?name=from+afar', {
    method: 'POST',
    headers: { 'Content-Type': 'application/x-ndjson' },
    body: text,
  });
  expect([taken.status, await taken.json()]).toEqual([
    201,
    { data: expect.objectContaining({ id: 'snapshot_1', name: 'from afar' }) },
  ]);
  expect(await addresses(other)).toEqual([]);
  other.snapshots.restore('snapshot_1');
  expect(await addresses(other)).toEqual(await addresses(one));
  expect([...other.snapshots.export('snapshot_1')].join('')).toBe(text);
  expect(file(other)).toBe(text);
});

test('a large snapshot is exported in chunks while the sandbox continues', async () => {
  const sandbox = fresh({ seedSize: 2500 });
  const { id } = sandbox.snapshots.take();
  const whole = [...sandbox.snapshots.export(id)].join('');
  const reader = (await sandbox.fetch(`http://sandbox.test/_sandbox/snapshots/${id}/export`))
    .body!.pipeThrough(new TextDecoderStream())
    .getReader();
  let text = '';
  let pieces = 0;
  for (let read = await reader.read(); !read.done && pieces < 1000; read = await reader.read()) {
    text += read.value;
    pieces += 1;
    await create(sandbox, { email: `later${pieces}@example.com` });
  }
  expect(pieces).toBeGreaterThan(5);
  expect(text === whole).toBe(true);
});

const resealed = (text: string): string => {
  const lines = text.trimEnd().split('\n').slice(0, -1);
  const rows = lines.filter((line) => line.startsWith('[')).length;
  const body = lines.map((line) => `${line}\n`).join('');
  return `${body}${JSON.stringify({ rows, sha256: createHash('sha256').update(body).digest('hex') })}\n`;
};

const damages: readonly (readonly [string, (text: string) => string, string])[] = [
  ['nothing', () => '', 'its end is missing'],
  ['something else', () => '{"a":1}\n', 'not a snapshot'],
  ['no JSON', () => 'hello', 'Line 1 of the snapshot is not JSON'],
  ['another version', (text) => text.replace(/"version":\d+/, '"version":999'), 'another version'],
  ['one cut in the middle', (text) => text.slice(0, text.length / 2), 'snapshot'],
  ['one cut at a line', (text) => text.split('\n').slice(0, -3).join('\n') + '\n', 'its end is missing'],
  ['one with an edited address', (text) => text.replaceAll('ada.lovelace', 'eve'), 'changed or damaged'],
  [
    'one with an unknown table',
    (text) => resealed(text.replace('"table":"tiers"', '"table":"sqlite_schema"')),
    'a table that this sandbox does not have',
  ],
  [
    'one with other columns',
    (text) => resealed(text.replace('"status","created"', '"created","status"')),
    'a table that this sandbox does not have',
  ],
  ['one with a row too short', (text) => resealed(text.replace(/^\[1,/m, '[')), 'neither the header nor a row'],
  ['one with a value of another type', (text) => resealed(text.replace(/^\[1,/m, '["one",')), 'does not fit its table'],
  ['one with a row twice', (text) => resealed(text.replace(/^(\[1,.*\n)/m, '$1$1')), 'does not fit its table'],
];

test.each(damages)('%s is refused with a sentence, and leaves nothing behind', async (_what, damage, says) => {
  const sandbox = fresh({ seed: 'demo' });
  const before = await addresses(sandbox);
  const answer = await sandbox.fetch('http://sandbox.test/_sandbox/snapshots', {
    method: 'POST',
    headers: { 'Content-Type': 'application/x-ndjson' },
    body: damage(file(sandbox)),
  });
  expect(answer.status).toBe(400);
  expect(errorsOf({ status: 400, headers: answer.headers, body: await answer.json() })[0]?.message).toContain(says);
  expect(sandbox.snapshots.list()).toHaveLength(1);
  expect(await addresses(sandbox)).toEqual(before);
  expect(sandbox.snapshots.take().id).toBe('snapshot_3');
});

test('an unknown snapshot is a 404 for every use of it, also one that was deleted', async () => {
  const sandbox = fresh();
  const { id } = sandbox.snapshots.take();
  expect((await control(sandbox, 'DELETE', `/snapshots/${id}`)).body).toEqual({ removed: 1 });
  for (const [method, path] of [
    ['POST', '/restore'],
    ['GET', '/export'],
    ['DELETE', ''],
  ] as const) {
    expect((await control(sandbox, method, `/snapshots/${id}${path}`)).status).toBe(404);
  }
});

test('a sandbox with a database file takes snapshots, and stores what was restored', async () => {
  const db = `${scratchFolder()}/sandbox.db`;
  const first = createSandbox({ db, seed: 'demo' });
  const { id } = first.snapshots.take();
  first.reset('empty');
  first.snapshots.restore(id);
  const all = await addresses(first);
  first.close();
  expect(await addresses(fresh({ db }))).toEqual(all);
});

/** A mix of all calls of a client. */
async function use(sandbox: Sandbox): Promise<string[]> {
  const answers: string[] = [];
  const call = async (method: string, path: string, body?: unknown): Promise<void> => {
    const { status, headers, body: answered } = await send(sandbox, method, path, body);
    answers.push(JSON.stringify([status, [...headers], answered]));
  };
  await call('POST', customFieldsPath, { kind: 'list', display: 'Colours' });
  for (let n = 0; n < 20; n += 1) {
    await call('POST', subscriptionsPath, {
      email: `reader${n}@example.com`,
      referral_code: 'none',
      double_opt_override: n % 2 ? 'on' : 'off',
      custom_fields: [{ name: 'Colours', value: ['red'] }],
    });
  }
  await call('POST', `/publications/${publicationId}/bulk_subscriptions`, {
    subscriptions: [{ email: 'bulk@example.com' }, { email: 'bulk2@example.com' }],
  });
  await call('POST', `/publications/${publicationId}/data_privacy/deletion_requests`, { email: 'reader3@example.com' });
  await control(sandbox, 'POST', '/clock', { advance: 'P15D' });
  await call('GET', `${subscriptionsPath}?limit=7&expand[]=custom_fields&expand[]=stats`);
  const { next_cursor } = (await send(sandbox, 'GET', `${subscriptionsPath}?limit=7`)).body as { next_cursor: string };
  await call('GET', `${subscriptionsPath}?limit=7&cursor=${encodeURIComponent(next_cursor)}`);
  await call('GET', `${subscriptionsPath}?page=0`);
  await call('GET', `/publications/${publicationId}/data_privacy/deletion_requests`);
  return answers;
}

test.each(['empty', 'demo'] as const)(
  'two runs of the seed %s that do the same things give byte-equal answers and snapshots; another id seed does not',
  async (seed) => {
    const [one, two, other] = [fresh({ seed }), fresh({ seed }), fresh({ seed, idSeed: 2 })];
    const first = await use(one);
    expect(first.length).toBeGreaterThan(25);
    expect(await use(two)).toEqual(first);
    expect(file(two)).toBe(file(one));
    expect(await use(other)).not.toEqual(first);
    expect(file(other)).not.toBe(file(one));
  },
);

test('the same requests after a reset give the same export, byte for byte', async () => {
  const sandbox = fresh({ seed: 'demo' });
  const first = await use(sandbox);
  const before = file(sandbox);
  sandbox.reset();
  expect(await use(sandbox)).toEqual(first);
  expect(file(sandbox)).toBe(before);
});

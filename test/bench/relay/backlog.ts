/**
 * A relay with a million signups waiting and five million erased, while an API takes them: latency against that of a
 * relay with nothing else to do, and beside an operator who looks every second, in turns; what a look takes, and what a
 * signup has written to the disk.
 */
import { mkdtempSync, rmSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { openStore } from '@newsletter-kit/relay';
import { median, reportFigures } from '../figure.ts';
import { load, percentile } from './callers.ts';
import { look, startRelay } from './servers.ts';

const callers = 32;
const requests = 3000;
const rounds = 5;
const waiting = 1_000_000;
const erased = 5_000_000;

const folder = mkdtempSync(join(tmpdir(), 'relay-bench-'));
const sentence = 'Yes, send me the weekly newsletter. I can leave at any time with the link in each mail.';
let people = 0;
const body = (): string =>
  JSON.stringify({ email: `visitor.${(people += 1)}@example.com`, utm_source: 'bench', consent: sentence });

/**
 * Takes every signup, alone and in bulk, in the time a service needs; sets no quota, so that delivery goes as fast as
 * it can.
 */
let delivered = 0;
const api = createServer((request, response) => {
  let body = '';
  request.on('data', (chunk) => (body += String(chunk)));
  request.on('end', () => {
    const bulk = request.url?.endsWith('/bulk_subscriptions') ?? false;
    const answer = bulk
      ? { message: 'Accepted.', import_id: 'import_00000000-0000-4000-8000-000000000001' }
      : {
          data: {
            id: 'sub_00000000-0000-4000-8000-000000000001',
            email: 'ada@example.com',
            status: 'active',
            created: 1_700_000_000,
          },
        };
    delivered += bulk ? (JSON.parse(body) as { subscriptions: unknown[] }).subscriptions.length : 1;
    setTimeout(() => response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(answer)), 100);
  });
});
await new Promise<void>((resolve) => api.listen(0, '127.0.0.1', resolve));

const path = join(folder, 'full.db');
await (await openStore({ kind: 'sqlite', path })).close();
const db = new DatabaseSync(path);
db.exec('PRAGMA synchronous = OFF; PRAGMA cache_size = -1000000');
const first = Date.now() - erased - waiting;
/** Adds rows, one for each millisecond. */
const fill = (from: number, count: number, columns: string, values: string): void =>
  db.exec(`WITH RECURSIVE at(ms) AS (SELECT ${from} UNION ALL SELECT ms + 1 FROM at WHERE ms + 1 < ${from + count})
    INSERT INTO signup (id, form, received_at, due_at, ${columns})
    SELECT printf('%08x-%04x-7000-8000-000000000000', ms >> 16, ms & 65535), 'default', ms, ms, ${values} FROM at`);
fill(first, erased, 'state, settled_at', `'delivered', ms`);
fill(
  first + erased,
  waiting,
  'state, next_attempt_at, content, submission',
  `'waiting', 0, hex(randomblob(22)), '{"email":"waiting.' || ms || '@example.com","utm_source":"bench"}'`,
);
db.exec(`INSERT INTO consent (signup, kind, at, form, person, sentence)
  SELECT id, 'given', due_at, form, substr(content, 1, 22), '${sentence}' FROM signup WHERE state = 'waiting'`);
db.close();

// Without an API: what is written is of the signups alone.
const written = { together: [] as number[], alone: [] as number[] };
const quiet = await startRelay(`sqlite:${path}`);
for (let round = 0; round < rounds; round += 1)
  for (const [into, at, count] of [
    [written.together, callers, requests],
    [written.alone, 1, requests / 4],
  ] as const) {
    const before = quiet.written();
    await load(quiet.address, at, count, body);
    into.push((quiet.written() - before) / count);
  }
await quiet.stop();

const idle = await startRelay(`sqlite:${join(folder, 'empty.db')}`);
const busy = await startRelay(`sqlite:${path}`, {
  NEWSLETTER_API_URL: `http://127.0.0.1:${(api.address() as AddressInfo).port}/v2`,
});
for (const { address } of [idle, busy]) await load(address, callers, requests, body);

const p99Of = async ({ address }: typeof busy): Promise<number> =>
  percentile(await load(address, callers, requests, body), 0.99);
const looks = { metrics: [] as number[], status: [] as number[] };
async function lookOnce(): Promise<void> {
  looks.metrics.push(await look(busy, '/metrics'));
  looks.status.push(await look(busy, '/operator/api/status'));
}
const p99 = { idle: [] as number[], busy: [] as number[], polled: [] as number[] };
for (let round = 0; round < rounds; round += 1) {
  p99.idle.push(await p99Of(idle));
  p99.busy.push(await p99Of(busy));
  const polling = setInterval(() => void lookOnce(), 1000);
  p99.polled.push(await p99Of(busy));
  clearInterval(polling);
  await lookOnce();
}
await Promise.all([idle.stop(), busy.stop()]);
api.closeAllConnections();
api.close();
rmSync(folder, { recursive: true });
const milliseconds = (values: readonly number[]) => ({
  value: median(values),
  detail: `median of ${values.length}, most beside ${callers} callers; the longest ${Math.max(...values).toFixed(0)} ms`,
});
const kilobytes = (values: readonly number[]) => ({
  value: median(values) / 1000,
  detail: `write_bytes of the process, checkpoints included; medians of ${rounds} rounds`,
});
reportFigures({
  p99: {
    value: median(p99.busy) / median(p99.idle),
    detail: `medians of ${rounds} rounds: ${median(p99.busy).toFixed(1)} ms with the backlog, ${delivered} delivered meanwhile; ${median(p99.idle).toFixed(1)} ms without`,
  },
  polled: {
    value: median(p99.polled) / median(p99.busy),
    detail: `medians of ${rounds} rounds: ${median(p99.polled).toFixed(1)} ms while /metrics and the status are read every second`,
  },
  metrics: milliseconds(looks.metrics),
  status: milliseconds(looks.status),
  written: kilobytes(written.together),
  writtenAlone: kilobytes(written.alone),
});

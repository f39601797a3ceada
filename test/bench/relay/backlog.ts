/**
 * Latency with 100,000 signups waiting while a real API takes them, against that of a relay with nothing else to do; in
 * turns.
 */
import { mkdtempSync, rmSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { openStore } from '@newsletter-kit/relay';
import { newSignup } from '../../../packages/relay/test/new-signup.ts';
import { median, reportFigures } from '../figure.ts';
import { load, percentile } from './callers.ts';
import { startRelay } from './servers.ts';

const callers = 32;
const requests = 3000;
const rounds = 5;
const waiting = 100_000;

const folder = mkdtempSync(join(tmpdir(), 'relay-bench-'));
let people = 0;
const body = (): string => JSON.stringify({ email: `visitor.${(people += 1)}@example.com`, utm_source: 'bench' });

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
const store = await openStore({ kind: 'sqlite', path });
for (let at = 0; at < waiting; at += 1000) {
  await Promise.all(Array.from({ length: 1000 }, (_, i) => store.accept(newSignup(`waiting.${at + i}@example.com`))));
}
await store.close();

const settings = { RELAY_TRUSTED_PROXIES: '127.0.0.1' };
const idle = await startRelay(`sqlite:${join(folder, 'empty.db')}`, settings);
const busy = await startRelay(`sqlite:${path}`, {
  ...settings,
  NEWSLETTER_API_URL: `http://127.0.0.1:${(api.address() as AddressInfo).port}/v2`,
});
for (const { address } of [idle, busy]) await load(address, callers, requests, body);
const p99 = { idle: [] as number[], busy: [] as number[] };
for (let round = 0; round < rounds; round += 1) {
  p99.idle.push(percentile(await load(idle.address, callers, requests, body), 0.99));
  p99.busy.push(percentile(await load(busy.address, callers, requests, body), 0.99));
}
await Promise.all([idle.stop(), busy.stop()]);
api.closeAllConnections();
api.close();
rmSync(folder, { recursive: true });
reportFigures({
  p99: {
    value: median(p99.busy) / median(p99.idle),
    detail: `medians of ${rounds} rounds: ${median(p99.busy).toFixed(1)} ms with the backlog, ${delivered} delivered meanwhile; ${median(p99.idle).toFixed(1)} ms without`,
  },
});

/**
 * Durable acknowledgements a second, 32 callers at a time, beside a bare `node:http` echo and a bare append with
 * fdatasync on the same disk: in turns, so that whatever else the machine does meets all of them.
 */
import { closeSync, fdatasyncSync, mkdtempSync, openSync, rmSync, writeSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { median, reportFigures } from '../figure.ts';
import { load, percentile, type Load } from './callers.ts';
import { look, startEcho, startRelay, type Memory } from './servers.ts';

const callers = 32;
const requests = 8000;
const rounds = 5;

const folder = mkdtempSync(join(tmpdir(), 'relay-bench-'));
const echo = await startEcho();
const relay = await startRelay(`sqlite:${join(folder, 'relay.db')}`);
await sleep(1000);
const idle = { relay: relay.memory(), echo: echo.memory() };
await look(relay, '/metrics');
const looked = relay.memory();

let people = 0;
const body = (): string =>
  JSON.stringify({
    email: `visitor.${(people += 1)}@example.com`,
    utm_source: 'bench',
    referring_site: 'https://shop.example/page',
    custom_fields: [{ name: 'First Name', value: 'Ada' }],
  });

/** Milliseconds of one append with fdatasync: middle and 99 %. */
function syncs(): { p50: number; p99: number } {
  const file = openSync(join(folder, 'append'), 'a');
  const block = Buffer.alloc(4096, 'x');
  const times = Array.from({ length: 500 }, () => {
    const from = performance.now();
    writeSync(file, block);
    fdatasyncSync(file);
    return performance.now() - from;
  }).toSorted((a, b) => a - b);
  closeSync(file);
  return { p50: median(times), p99: times[495] ?? Number.NaN };
}

const parts = ({ own, files }: Memory): string =>
  `${own.toFixed(0)} its own, ${files.toFixed(0)} pages of files, Node’s program above all`;

await load(echo.address, callers, requests, body);
await load(relay.address, callers, requests, body);
const record = { echo: [] as Load[], relay: [] as Load[], sync: [] as { p50: number; p99: number }[] };
for (let round = 0; round < rounds; round += 1) {
  record.echo.push(await load(echo.address, callers, requests, body));
  record.relay.push(await load(relay.address, callers, requests, body));
  record.sync.push(syncs());
}
await Promise.all([echo.stop(), relay.stop()]);
rmSync(folder, { recursive: true });

const rate = (loads: readonly Load[]): number => median(loads.map((each) => each.rate));
const p99 = (loads: readonly Load[]): number => median(loads.map((each) => percentile(each, 0.99)));
const share = median(record.relay.map((each, round) => each.rate / (record.echo[round]?.rate ?? Number.NaN)));
const sync = median(record.sync.map((each) => each.p50));
const room = 4 * p99(record.echo) + sync;
reportFigures({
  rate: {
    value: rate(record.relay),
    ratios: { 'a bare node:http echo': share },
    detail: `medians of ${rounds} rounds; echo ${Math.round(rate(record.echo))}/s, append + fdatasync ${Math.round(1000 / sync)}/s one after the other`,
  },
  share: { value: share, detail: `medians of ${rounds} rounds` },
  latency: {
    value: p99(record.relay) / room,
    detail: `p99 ${p99(record.relay).toFixed(1)} ms; echo ${p99(record.echo).toFixed(1)} ms, fdatasync ${sync.toFixed(2)} ms`,
  },
  memory: {
    value: idle.relay.resident,
    ratios: { 'the idle echo': idle.relay.resident / idle.echo.resident },
    detail: `resident, one second after its start: ${parts(idle.relay)}; the idle echo ${idle.echo.resident.toFixed(0)}: ${parts(idle.echo)}`,
  },
  looked: { value: looked.resident, detail: `resident, the thread that reads included: ${parts(looked)}` },
});

/**
 * The relay on workerd, Cloudflare's runtime, with its storage on this disk: a signup beside a Worker that only stores
 * a row, in turns; the delivery of a backlog within the API's quota; and the size of the bundle.
 *
 * `WORKER_WAITING=1000` measures a smaller backlog.
 */
import { execFile } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { promisify } from 'node:util';
import { gzipSync } from 'node:zlib';
import { serve } from '@hono/node-server';
import { apiKeys, createSandbox, publicationId } from '@newsletter-kit/sandbox';
import { root } from '../../../scripts/root.ts';
import { bundleWorker, startWorkerd } from '../../../scripts/workerd.ts';
import { median, reportFigures } from '../figure.ts';
import { load, type Load, percentile } from './callers.ts';

const rounds = 60;
const requests = 100;
const waiting = Number(process.env['WORKER_WAITING'] ?? 10_000);
const quota = { limit: 180, windowSeconds: 60 };
const token = 'operator-token-of-the-bench';

const folder = mkdtempSync(join(tmpdir(), 'worker-bench-'));
const script = await bundleWorker();
const rowScript = await bundleWorker('test/bench/relay/row-worker.ts');

const startRelay = (name: string, apiUrl: string) =>
  startWorkerd(script, {
    storage: join(folder, name),
    variables: {
      NEWSLETTER_API_URL: apiUrl,
      NEWSLETTER_API_KEY: apiKeys.workspace,
      NEWSLETTER_PUBLICATION_ID: publicationId,
      RELAY_ALLOWED_ORIGINS: 'https://shop.example',
      RELAY_OPERATOR_TOKEN: token,
      RELAY_LOG_LEVEL: 'silent',
      // Counted, and never reached: each round has the same visitors.
      RELAY_LIMIT_IP: '1000/1h',
    },
  });

let people = 0;
const body = (): string =>
  JSON.stringify({
    email: `visitor.${(people += 1)}@example.com`,
    utm_source: 'bench',
    referring_site: 'https://shop.example/page',
    custom_fields: [{ name: 'First Name', value: 'Ada' }],
  });

/** Signups to the relay and posts to the Worker that stores rows, in turns, so that both meet the same load. */
async function besideRow(callers: number): Promise<{ readonly relay: Load[]; readonly row: Load[] }> {
  // Without an API, each alarm finds its circuit breaker open, and delivers nothing.
  const relay = await startRelay(`signups-${callers}`, 'http://127.0.0.1:9/v2');
  const row = await startWorkerd(rowScript, { storage: join(folder, `rows-${callers}`), className: 'RowObject' });
  const record = { relay: [] as Load[], row: [] as Load[] };
  try {
    for (let round = -1; round < rounds; round += 1) {
      const one = {
        row: await load(row.url, callers, requests, body),
        relay: await load(relay.url, callers, requests, body),
      };
      // The first round warms up.
      if (round < 0) continue;
      record.row.push(one.row);
      record.relay.push(one.relay);
    }
  } finally {
    await Promise.all([relay.workerd.dispose(), row.workerd.dispose()]);
  }
  return record;
}

const time = (loads: readonly Load[]): number => median(loads.map((each) => percentile(each, 0.5)));
const ratioOf = ({ relay, row }: { readonly relay: Load[]; readonly row: Load[] }): number =>
  median(relay.map((each, round) => percentile(each, 0.5) / percentile(row[round] ?? each, 0.5)));

interface Drained {
  readonly seconds: number;
  readonly calls: number;
  readonly refused: number;
}

/** Until all of a backlog is delivered and confirmed. */
async function drained(): Promise<Drained> {
  const sandbox = createSandbox({ seed: 'empty', profile: 'unlimited' });
  sandbox.rateLimit.use({ ...quota, headers: true });
  const counted = { calls: 0, refused: 0 };
  const answering = async (request: Request): Promise<Response> => {
    counted.calls += 1;
    const answer = await sandbox.fetch(request);
    if (answer.status === 429) counted.refused += 1;
    return answer;
  };
  const listening = Promise.withResolvers<number>();
  const server = serve({ port: 0, hostname: '127.0.0.1', fetch: answering }, ({ port }) => listening.resolve(port));
  const port = await listening.promise;
  const { url, workerd } = await startRelay('backlog', `http://127.0.0.1:${port}/v2`);
  const operator = async (path: string, method = 'POST'): Promise<unknown> => {
    const answer = await fetch(`${url}/operator/api/${path}`, {
      method,
      headers: { authorization: `Bearer ${token}` },
    });
    if (!answer.ok) throw new Error(`${path}: ${answer.status}`);
    return answer.status === 204 ? null : answer.json();
  };
  try {
    await operator('pause');
    await load(url, 32, waiting, body);
    const begun = performance.now();
    await operator('resume');
    for (;;) {
      const { counts } = (await operator('status', 'GET')) as { readonly counts: Readonly<Record<string, number>> };
      if (counts['delivered'] === waiting) return { seconds: (performance.now() - begun) / 1000, ...counted };
      await sleep(200);
    }
  } finally {
    await workerd.dispose();
    server.close();
    sandbox.close();
  }
}

/** Bytes of what is uploaded, by the command of the documentation, compressed as Cloudflare counts them. */
async function bundleSize(): Promise<number> {
  const page = await readFile(join(root, 'docs/src/content/docs/relay/worker.md'), 'utf8');
  const [command = ''] = /^npx wrangler\S+ deploy .+$/m.exec(page) ?? [];
  const [program = '', ...args] = command.split(' ');
  await promisify(execFile)(program, ['--yes', ...args, '--dry-run', '--outdir', join(folder, 'bundle')], {
    cwd: root,
    env: { ...process.env, WRANGLER_SEND_METRICS: 'false', CI: 'true' },
  });
  return gzipSync(await readFile(join(folder, 'bundle', 'index.js'))).length;
}

const bytes = await bundleSize();
const one = await besideRow(1);
const many = await besideRow(32);
const { seconds, calls, refused } = await drained();
rmSync(folder, { recursive: true });

reportFigures({
  signup: {
    value: ratioOf(one),
    ratios: { 'that Worker, 32 callers': ratioOf(many) },
    detail: `medians of ${rounds} rounds of ${requests}: one caller ${time(one.relay).toFixed(2)} ms, the row ${time(one.row).toFixed(2)} ms; 32 callers ${time(many.relay).toFixed(1)} ms, the row ${time(many.row).toFixed(1)} ms`,
  },
  minutes: {
    value: seconds / 60,
    detail: `${waiting} waiting confirmed with ${calls} requests, of which ${refused} × 429; ${quota.limit} requests in ${quota.windowSeconds} s`,
  },
  bundle: { value: bytes / 1000, detail: 'minified by wrangler, as it is uploaded' },
});

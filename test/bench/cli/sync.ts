/**
 * `newsletter sync apply` with 1,000,000 contacts in PostgreSQL and as many subscriptions: the memory of the command in
 * a first run, which writes every contact, in a second, and in a third, where the database knows each pair at rest.
 */
import { execFile } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { PostgresServer } from '../../../packages/relay/test/postgres-server.ts';
import { root } from '../../../scripts/root.ts';
import { reportFigures } from '../figure.ts';

const size = 1_000_000;
const pageSize = 100;
const publicationId = 'pub_00000000-0000-4000-8000-000000000001';
const city = 'f0000000-0000-4000-8000-000000000001';
const cityOf = (index: number): string => `City ${index % 500}`;

function subscription(index: number): object {
  return {
    id: `sub_${index.toString(16).padStart(8, '0')}-0000-4000-8000-000000000000`,
    email: `reader.${index}@example.com`,
    status: 'active',
    created: 1_750_000_000 + index,
    subscription_tier: 'free',
    utm_source: 'landing',
    custom_fields: [{ name: 'City', kind: 'string', value: cityOf(index) }],
  };
}

let requests = 0;
const server = createServer((request, response) => {
  requests += 1;
  const { pathname, searchParams } = new URL(request.url ?? '', 'http://localhost');
  const from = Number(searchParams.get('cursor') ?? 0);
  const next = from + pageSize;
  const answer = pathname.endsWith('/custom_fields')
    ? { data: [{ id: city, kind: 'string', display: 'City', created: 1 }], total_results: 1, page: 1, total_pages: 1 }
    : {
        data: Array.from({ length: pageSize }, (_, index) => subscription(from + index)),
        limit: pageSize,
        has_more: next < size,
        next_cursor: next < size ? String(next) : null,
      };
  response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(answer));
}).listen(0, '127.0.0.1');
await once(server, 'listening');

const folder = await mkdtemp(join(tmpdir(), 'sync-bench-'));
const postgres = new PostgresServer();
await postgres.create();
const database = await postgres.database();
await postgres.run(
  `CREATE TABLE contacts (id bigint PRIMARY KEY, email text, city text, newsletter_status text, do_not_mail boolean NOT NULL DEFAULT false);
   INSERT INTO contacts SELECT n, 'Reader.' || n || '@example.com', 'City ' || n % 500, 'active' FROM generate_series(0, ${size - 1}) AS n`,
  database,
);
const config = join(folder, 'newsletter-sync.json');
await writeFile(
  config,
  JSON.stringify({
    contacts: { table: 'contacts' },
    mapping: {
      fields: [
        { newsletter: city, contact: 'city', direction: 'both', conflict: 'crm' },
        { newsletter: 'status', contact: 'newsletter_status', direction: 'to_contact' },
      ],
      optOut: { contact: 'do_not_mail' },
    },
  }),
);

interface Run {
  readonly megabytes: number;
  readonly seconds: number;
  readonly requests: number;
}

/** Prints the peak of the process's memory, in kilobytes, when it ends. */
const peak = "process.on('exit', () => process.stderr.write(`\\npeak ${process.resourceUsage().maxRSS}\\n`))";

async function run(): Promise<Run> {
  const before = requests;
  const begun = performance.now();
  const { stderr } = await promisify(execFile)(
    process.execPath,
    [
      '--disable-warning=ExperimentalWarning',
      `--import=data:text/javascript,${encodeURIComponent(peak)}`,
      join(root, 'packages/cli/dist/main.js'),
      'sync',
      'apply',
      '--config',
      config,
    ],
    {
      env: {
        ...process.env,
        DATABASE_URL: database,
        NEWSLETTER_API_URL: `http://127.0.0.1:${(server.address() as AddressInfo).port}/v2`,
        NEWSLETTER_API_KEY: 'key',
        NEWSLETTER_PUBLICATION_ID: publicationId,
      },
      maxBuffer: 100_000_000,
    },
  );
  return {
    megabytes: Number(/peak (\d+)/.exec(stderr)?.[1]) / 1000,
    seconds: (performance.now() - begun) / 1000,
    requests: requests - before,
  };
}

try {
  const runs = [await run(), await run(), await run()];
  const [written] = await postgres.run('SELECT count(*)::int AS tokens FROM newsletter_sync_tokens', database);
  if (written?.['tokens'] !== size) throw new Error(`The first run wrote ${JSON.stringify(written)} tokens.`);
  const listed = (of: (run: Run) => number): string => runs.map((each) => Math.round(of(each))).join(', ');
  reportFigures({
    memory: {
      value: Math.max(...runs.map(({ megabytes }) => megabytes)),
      detail: `three runs: ${listed(({ megabytes }) => megabytes)} MB, ${listed(({ seconds }) => seconds)} s, ${listed((each) => each.requests)} requests, answered at once`,
    },
  });
} finally {
  server.close();
  await postgres.remove();
  await rm(folder, { recursive: true, force: true });
}

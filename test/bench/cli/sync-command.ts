/**
 * A newsletter that answers at once, contacts in PostgreSQL, and runs of `newsletter sync apply` between them, each in
 * a process of its own.
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
import { subscription } from '../subscription.ts';

const pageSize = 100;
const publicationId = 'pub_00000000-0000-4000-8000-000000000001';
const city = 'f0000000-0000-4000-8000-000000000001';

const inCity = (index: number): object => ({
  ...subscription(index),
  custom_fields: [{ name: 'City', kind: 'string', value: `City ${index % 500}` }],
});

/** One run of the command. */
export interface Run {
  readonly megabytes: number;
  readonly seconds: number;
  readonly requests: number;
}

/** Prints the peak of the process's memory, in kilobytes, when it ends. */
const peak = "process.on('exit', () => process.stderr.write(`\\npeak ${process.resourceUsage().maxRSS}\\n`))";

export class SyncCommand {
  readonly #postgres = new PostgresServer();
  #folder = '';
  #size = 0;
  #requests = 0;
  readonly #newsletter = createServer((request, response) => {
    this.#requests += 1;
    const { pathname, searchParams } = new URL(request.url ?? '', 'http://localhost');
    const from = Number(searchParams.get('cursor') ?? 0);
    const next = Math.min(from + pageSize, this.#size);
    const answer = pathname.endsWith('/custom_fields')
      ? { data: [{ id: city, kind: 'string', display: 'City', created: 1 }], total_results: 1, page: 1, total_pages: 1 }
      : {
          data: Array.from({ length: next - from }, (_, index) => inCity(from + index)),
          limit: pageSize,
          has_more: next < this.#size,
          next_cursor: next < this.#size ? String(next) : null,
        };
    response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(answer));
  });

  /** @param settings - of PostgreSQL */
  async start(settings: readonly string[] = []): Promise<void> {
    this.#newsletter.listen(0, '127.0.0.1');
    await once(this.#newsletter, 'listening');
    this.#folder = await mkdtemp(join(tmpdir(), 'sync-bench-'));
    await this.#postgres.create();
    if (settings.length > 0) {
      await this.#postgres.crash();
      await this.#postgres.start(settings);
    }
  }

  /** The address of a new database. */
  database(): Promise<string> {
    return this.#postgres.database();
  }

  /** Runs a statement. */
  query(text: string, database: string): Promise<Record<string, unknown>[]> {
    return this.#postgres.run(text, database);
  }

  /**
   * Makes the newsletter that large, creates as many contacts with the same addresses in a table of their own, and
   * configures a sync of that name.
   */
  async fill(database: string, name: string, size: number): Promise<void> {
    this.#size = size;
    await this.#postgres.run(
      `CREATE TABLE IF NOT EXISTS ${name} (id bigint PRIMARY KEY, email text, city text, newsletter_status text,
         do_not_mail boolean NOT NULL DEFAULT false);
       INSERT INTO ${name} SELECT n, 'Reader.' || n || '@example.com', 'City ' || n % 500, 'active'
         FROM generate_series(0, ${size - 1}) AS n ON CONFLICT DO NOTHING`,
      database,
    );
    const configuration = {
      name,
      contacts: { table: name },
      mapping: {
        fields: [
          { newsletter: city, contact: 'city', direction: 'both', conflict: 'crm' },
          { newsletter: 'status', contact: 'newsletter_status', direction: 'to_contact' },
        ],
        optOut: { contact: 'do_not_mail' },
      },
    };
    await writeFile(this.#pathOf(name), JSON.stringify(configuration));
  }

  async apply(database: string, name: string): Promise<Run> {
    const before = this.#requests;
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
        this.#pathOf(name),
      ],
      {
        env: {
          ...process.env,
          DATABASE_URL: database,
          NEWSLETTER_API_URL: `http://127.0.0.1:${(this.#newsletter.address() as AddressInfo).port}/v2`,
          NEWSLETTER_API_KEY: 'key',
          NEWSLETTER_PUBLICATION_ID: publicationId,
        },
        maxBuffer: 100_000_000,
      },
    );
    return {
      megabytes: Number(/peak (\d+)/.exec(stderr)?.[1]) / 1000,
      seconds: (performance.now() - begun) / 1000,
      requests: this.#requests - before,
    };
  }

  #pathOf(name: string): string {
    return join(this.#folder, `${name}.json`);
  }

  async stop(): Promise<void> {
    this.#newsletter.close();
    await this.#postgres.remove();
    await rm(this.#folder, { recursive: true, force: true });
  }
}

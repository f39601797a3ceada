/** A PgBouncer in transaction mode in front of a test's server, where that program is installed. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, writeFileSync } from 'node:fs';
import { userInfo } from 'node:os';
import { join } from 'node:path';
import { onTestFinished } from 'vitest';
import { freePort } from '../../../test/support/free-ports.ts';
import { scratchFolder } from '../../../test/support/scratch-folder.ts';
import { waitUntil } from '../../../test/support/waits.ts';
import type { Postgres } from './postgres-server.ts';

/** The address of the same database through a PgBouncer that ends with the test. */
export async function bounced(server: Postgres, address: string): Promise<string> {
  const { username, password } = new URL(address);
  const folder = scratchFolder();
  chmodSync(folder, 0o755);
  const port = await freePort();
  const users = join(folder, 'users.txt');
  const config = join(folder, 'pgbouncer.ini');
  writeFileSync(users, `"${username}" "${password}"\n`);
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
  await waitUntil('PgBouncer takes connections', () => server.run('SELECT 1', behind));
  return behind;
}

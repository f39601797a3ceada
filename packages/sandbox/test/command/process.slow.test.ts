/** What only a process of its own shows: signals, a crash, a full disk, its streams. */
import { once } from 'node:events';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { freePort } from '../../../../test/support/free-ports.ts';
import { scratchFolder } from '../../../../test/support/scratch-folder.ts';
import { addresses, connectingScript, launch, script, startProcess, subscribe } from './process.ts';

test.each(['SIGINT', 'SIGTERM'] as const)(
  '%s stops the server cleanly, also with the interface open',
  async (signal) => {
    const running = await startProcess(['--seed', 'empty']);
    const events = await fetch(`${running.address}/_sandbox/events`);
    expect(await running.stop(signal)).toBe(0);
    await events.body!.cancel().catch(() => undefined);
  },
);

test('what was answered before a crash is there after it', async () => {
  const db = join(scratchFolder(), 'sandbox.db');
  const crashed = await startProcess(['--db', db, '--seed', 'empty']);
  expect((await subscribe(crashed, { email: 'ada@example.com' })).status).toBe(200);
  expect(await crashed.stop('SIGKILL')).toBe('SIGKILL');
  expect(await addresses(await startProcess(['--db', db]))).toEqual(['ada@example.com']);
});

test('a full disk makes writes fail with 503, leaves reads working, and corrupts nothing', async () => {
  const db = join(scratchFolder(), 'sandbox.db');
  // A limit on the size of files stands in for the full disk: the write itself fails, as it would there.
  const running = await startProcess(['--db', db, '--seed', 'empty'], {}, 'ulimit -f 4000');
  const kept: string[] = [];
  let refusal: Response | undefined;
  for (let i = 0; i < 2000 && !refusal; i += 1) {
    const email = `reader${i}@example.com`;
    const answer = await subscribe(running, { email, utm_content: 'x'.repeat(2000), double_opt_override: 'off' });
    if (answer.ok) kept.push(email);
    else refusal = answer;
  }
  expect(kept.length).toBeGreaterThan(10);
  expect(refusal?.status).toBe(503);
  expect(await refusal?.json()).toMatchObject({
    status: 503,
    statusText: 'service_unavailable',
    errors: [{ message: expect.stringContaining('disk space') }],
  });
  expect((await addresses(running, 'direction=desc')).at(0)).toBe(kept.at(-1));
  await running.stop();

  const after = await startProcess(['--db', db]);
  expect(await addresses(after, 'direction=desc')).toEqual(kept.slice(-100).toReversed());
  expect((await subscribe(after, { email: 'room.again@example.com' })).status).toBe(200);
});

test('exec gives its command its own streams', async () => {
  const { ended, stdout, stderr } = launch(['exec', ...script(`console.log('out'); console.error('err');`)]);
  expect([await ended, stdout(), stderr()]).toEqual([0, 'out\n', 'err\n']);
});

test.each(['SIGTERM', 'SIGINT'] as const)('%s is passed on to the command, which can end by itself', async (signal) => {
  const { command, connected } = await connectingScript(
    `process.on('${signal}', () => { socket.end('ended well'); process.exitCode = 5; }); socket.write('ready ');`,
  );
  const { child, ended } = launch(['exec', ...command]);
  const { socket, closed } = await connected;
  let told = '';
  socket.setEncoding('utf8').on('data', (text: string) => (told += text));
  await once(socket, 'data');
  child.kill(signal);
  expect(await ended).toBe(5);
  await closed;
  expect(told).toBe('ready ended well');
});

test('a signal stops the command of certify and the rest, and the table so far is printed', async () => {
  const { command, connected } = await connectingScript();
  const { child, ended, stdout } = launch(['certify', ...command]);
  await connected;
  child.kill('SIGTERM');
  expect(await ended).toBe(143);
  expect(stdout()).toMatch(/✗ default .* was ended by SIGTERM/);
});

test('a reader that closes the output, as head does, ends neither the server nor a run', async () => {
  const port = await freePort();
  const launchUnread = (...args: string[]): ReturnType<typeof launch> => {
    const launched = launch(args);
    launched.child.stdout.destroy();
    return launched;
  };
  const help = launchUnread('--help');
  const server = launchUnread('--port', String(port));
  const command = launchUnread('exec', '--', process.execPath, '-e', 'process.exitCode = 7');
  command.child.stderr.destroy();
  expect([await help.ended, help.stderr(), await command.ended]).toEqual([0, '', 7]);
  await expect
    .poll(() =>
      fetch(`http://127.0.0.1:${port}`).then(
        ({ ok }) => ok,
        () => false,
      ),
    )
    .toBe(true);
  server.child.kill('SIGTERM');
  expect(await server.ended).toBe(0);
});

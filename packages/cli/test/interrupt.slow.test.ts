/** Interruption: the first Ctrl-C cancels the command, the second ends the process. Real processes and signals. */
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { createClient } from '@newsletter-kit/core';
import type { OperationId } from '@newsletter-kit/core/contract';
import { test, type SandboxOnPort } from '@newsletter-kit/sandbox/vitest';
import { expect } from 'vitest';
import { run, start, type Started } from './command.ts';
import { waitUntil } from '../../../test/support/waits.ts';
import { settle, syncFixture } from './sync-fixture.ts';
import { scratchFolder } from '../../../test/support/scratch-folder.ts';

/** Longer than any of these tests may take: a command ends only if it aborts the call. */
const forever = 300_000;

/** Delays the answers of an operation. `waiting` resolves when the first call waits for one. */
function slow(sandbox: SandboxOnPort, match: OperationId) {
  const { id } = sandbox.faults.add({ match, effect: { latency: forever } });
  return {
    waiting: () =>
      waitUntil('a call in flight', () => sandbox.faults.list().some((each) => each.id === id && each.fired > 0)),
    end: () => sandbox.faults.remove(id),
  };
}

async function interrupt(command: Started) {
  command.kill('SIGINT');
  return await command.ended;
}

test.for([
  ['api', 'customFields.list', ['api', 'customFields.list']],
  ['api with a path', 'customFields.list', ['api', '/publications/{publicationId}/custom_fields']],
  ['api --paginate', 'subscriptions.list', ['api', 'subscriptions.list', '--paginate']],
  ['whoami', 'subscriptions.list', ['whoami']],
  ['export', 'subscriptions.list', ['export']],
  ['report sources', 'subscriptions.list', ['report', 'sources']],
  ['watch --once', 'subscriptions.list', ['watch', '--once']],
] as const)('%s aborts its call and exits with 3', async ([, operation, args], { sandboxOnPort: sandbox }) => {
  const { waiting } = slow(sandbox, operation);
  const command = start(args, sandbox.env);
  await waiting();
  expect(await interrupt(command)).toMatchObject({ code: 3, stderr: expect.stringContaining('Interrupted') });
});

test('watch ends with 0 in the middle of a poll', async ({ sandboxOnPort: sandbox }) => {
  const { waiting } = slow(sandbox, 'subscriptions.list');
  const watch = start(['watch'], sandbox.env);
  await waiting();
  expect(await interrupt(watch)).toMatchObject({ code: 0, stdout: '' });
});

test('import aborts calls that are not answered, keeps its journal, and sends their rows again', async ({
  sandboxOnPort: sandbox,
}) => {
  const path = join(scratchFolder(), 'people.csv');
  writeFileSync(path, `email\n${Array.from({ length: 30 }, (_, n) => `p${n}@example.com\n`).join('')}`);
  const args = ['import', path, '--batch-size', '10'];
  const { waiting, end } = slow(sandbox, 'subscriptions.bulkCreate');
  const first = start(args, sandbox.env);
  await waiting();
  const stopped = await interrupt(first);
  expect(stopped).toMatchObject({ code: 3, stderr: expect.stringContaining('The same command continues from there') });
  expect(stopped.stderr).toContain('running requests have two seconds to finish');
  expect(readFileSync(`${path}.journal`, 'utf8')).not.toContain('@');
  end();
  const second = await run(args, sandbox.env);
  expect(second).toMatchObject({ code: 0, stderr: expect.stringContaining('The service accepted 30 rows of 30 rows') });
  expect(existsSync(`${path}.journal`)).toBe(false);
  settle(sandbox);
  const { items } = await createClient(sandbox.clientOptions).subscriptions.list({ limit: 100 });
  expect(items).toHaveLength(30);
});

test('import ends at once with the second Ctrl-C', async ({ sandboxOnPort: sandbox }) => {
  const path = join(scratchFolder(), 'people.csv');
  writeFileSync(path, 'email\nada@example.com\n');
  const { waiting, end } = slow(sandbox, 'subscriptions.bulkCreate');
  const command = start(['import', path], sandbox.env);
  await waiting();
  command.kill('SIGINT');
  await waitUntil('the first Ctrl-C', () => /two seconds to finish/.exec(command.stderr()));
  const ended = await interrupt(command);
  expect(ended).toMatchObject({ code: 3 });
  expect(ended.stderr).not.toContain('Interrupted');
  end();
  expect((await run(['import', path], sandbox.env)).code).toBe(0);
});

test('import ends with its sentence where the answer to a large one is no', async ({ sandboxOnPort: sandbox }) => {
  await createClient(sandbox.clientOptions).subscriptions.create({ email: 'known@example.com' });
  const path = join(scratchFolder(), 'people.csv');
  writeFileSync(path, `email\n${Array.from({ length: 101 }, (_, n) => `p${n}@example.com\n`).join('')}`);
  // `script` gives the command a terminal.
  const onTerminal = 'printf "n\\n" | script -qec "$(printf "\'%s\' " "$@")" /dev/null';
  const { code, stdout } = await start(['import', path], sandbox.env, onTerminal).ended;
  expect({ code, stdout }).toEqual({ code: 3, stdout: expect.stringContaining('Nothing was sent.') });
  expect(stdout).not.toContain('    at ');
});

test('sync apply stops while it writes, and the next run completes it', async ({ sandboxOnPort: sandbox }) => {
  const { sync, sql, subscribe, env, path, find } = await syncFixture(sandbox);
  await subscribe('ada@example.com', 'Bonn');
  await sql(`INSERT INTO contacts (email) VALUES ('ada@example.com')`);
  expect(await sync('apply')).toMatchObject({ code: 0 });
  await sql(`UPDATE contacts SET do_not_mail = true`);
  const { waiting, end } = slow(sandbox, 'subscriptions.bulkUpdate');
  const apply = start(['sync', 'apply', '--config', path], env);
  await waiting();
  expect(await interrupt(apply)).toMatchObject({
    code: 3,
    stderr: expect.stringContaining('the next run completes the rest'),
  });
  end();
  expect((await sync('apply')).code).toBe(0);
  settle(sandbox);
  expect(await find('ada@example.com')).toMatchObject({ status: 'inactive' });
});

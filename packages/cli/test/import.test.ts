import { existsSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { createClient } from '@newsletter-kit/core';
import { test, type SandboxOnPort } from '@newsletter-kit/sandbox/vitest';
import { expect } from 'vitest';
import { eventually, events, run, start } from './command.ts';
import { scratchFolder } from '../../../test/support/scratch-folder.ts';

/** Writes a CSV file of these lines. */
function people(lines: readonly string[]): { readonly path: string; readonly folder: string } {
  const folder = scratchFolder();
  const path = join(folder, 'people.csv');
  writeFileSync(path, `${lines.join('\n')}\n`);
  return { path, folder };
}

const many = (amount: number): string[] => [
  'email',
  ...Array.from({ length: amount }, (_, n) => `person${n}@example.com`),
];

/** Runs the jobs of the sandbox. @returns all subscriptions */
async function subscribed(sandbox: SandboxOnPort): Promise<readonly { email: string; custom_fields?: unknown }[]> {
  sandbox.clock.advance('PT10S');
  sandbox.settle();
  const all = [];
  for await (const each of createClient(sandbox.clientOptions).subscriptions.list({
    limit: 100,
    expand: ['custom_fields'],
  }))
    all.push({ ...each, email: String(each.email) });
  return all;
}

test('imports a file with mapped columns', async ({ sandboxOnPort: sandbox }) => {
  const client = createClient(sandbox.clientOptions);
  await client.customFields.create({ display: 'First Name', kind: 'string' });
  await client.customFields.create({ display: 'Topics', kind: 'list' });
  const { path, folder } = people([
    'E-mail;Vorname;utm_source;custom:Topics;Internal',
    'Ada@Example.com ;Ada;podcast;"boats, food";x',
    'grace@example.com;Grace;;;y',
  ]);
  const { code, stdout, stderr } = await run(
    ['import', path, '--map', 'Vorname=custom:First Name', '--map', 'Internal='],
    sandbox.env,
  );
  expect({ code, stdout }).toEqual({ code: 0, stdout: '' });
  expect(stderr).toMatch(/The service accepted 2 rows of 2 rows\.\n$/);
  expect(readdirSync(folder)).toEqual(['people.csv']);
  const all = await subscribed(sandbox);
  expect(all.map(({ email }) => email).toSorted()).toEqual(['Ada@example.com', 'grace@example.com']);
  expect(all.find(({ email }) => email.startsWith('Ada'))?.custom_fields).toEqual(
    expect.arrayContaining([
      expect.objectContaining({ name: 'First Name', value: 'Ada' }),
      expect.objectContaining({ name: 'Topics', value: ['boats', 'food'] }),
    ]),
  );
});

test('writes rejected rows to a file, with number and reason, and ends with exit code 2', async ({
  sandboxOnPort: sandbox,
}) => {
  const { path, folder } = people([
    'email,utm_source',
    'ada@example.com,=1+1',
    'not an address,"a ""b"""',
    'ADA@example.com,',
    'grace@example.com,',
  ]);
  const { code, stdout } = await run(['import', path, '--json'], sandbox.env);
  const rejects = join(folder, 'people.rejects.csv');
  expect(code).toBe(2);
  expect(events(stdout).at(-1)).toEqual({
    type: 'imported',
    outcome: 'complete',
    read: 4,
    accepted: 2,
    rejected: 1,
    duplicates: 1,
    failed: 0,
    resent: 0,
    reject_file: rejects,
    journal: null,
  });
  expect(readFileSync(rejects, 'utf8').split('\n').slice(0, 2)).toEqual([
    'row,kind,reason,email,utm_source',
    expect.stringMatching(/^3,invalid,.*not an address,"a ""b"""$/),
  ]);
  expect(readFileSync(rejects, 'utf8')).toContain('4,duplicate,row 2 has the same address,ADA@example.com,');
  expect(statSync(rejects).mode & 0o777).toBe(0o600);
  expect(stdout).not.toContain('@');

  // A corrected import deletes the file.
  writeFileSync(path, 'email\nada@example.com\n');
  expect((await run(['import', path], sandbox.env)).code).toBe(0);
  expect(existsSync(rejects)).toBe(false);
});

test('continues after Ctrl-C and after a kill, and sends no accepted row again', async ({ sandboxOnPort: sandbox }) => {
  const { path, folder } = people(many(1200));
  const args = ['import', path, '--batch-size', '40'];
  const slow = sandbox.faults.add({ match: 'subscriptions.bulkCreate', effect: { latency: 150 } });
  const accepted = () =>
    sandbox.requests().filter(({ operation, status }) => operation === 'subscriptions.bulkCreate' && status < 300)
      .length;

  const first = start(args, sandbox.env);
  await eventually('a few batches', () => accepted() >= 4 || null);
  first.kill('SIGINT');
  expect(await first.ended).toMatchObject({
    code: 3,
    stderr: expect.stringContaining(`${path}.journal records what was sent`),
  });

  const second = start(args, sandbox.env);
  const before = accepted();
  expect(before).toBeLessThan(30);
  await eventually('a few more', () => accepted() >= before + 4 || null);
  second.kill('SIGKILL');
  await second.ended;

  sandbox.faults.remove(slow.id);
  const lost = accepted();
  const third = await run(args, sandbox.env);
  expect(third).toMatchObject({ code: 0, stderr: expect.stringContaining('Continuing the import') });
  expect(third.stderr).toContain('The service accepted 1,200 rows of 1,200 rows');
  // At most the four requests that were in flight at the kill are sent again.
  expect(accepted()).toBeGreaterThanOrEqual(30);
  expect(accepted()).toBeLessThanOrEqual(34);
  expect(lost).toBeLessThan(30);
  expect(readdirSync(folder)).toEqual(['people.csv']);
  expect(await subscribed(sandbox)).toHaveLength(1200);
});

test('reports why the import stopped, and continues once the service works again', async ({
  sandboxOnPort: sandbox,
}) => {
  const { path } = people(many(10));
  sandbox.faults.add({ match: 'subscriptions.bulkCreate', effect: { status: 403 }, times: 1 });
  const refused = await run(['import', path], sandbox.env);
  expect(refused).toMatchObject({ code: 1, stderr: expect.stringContaining('The same command continues from there') });
  expect(existsSync(`${path}.journal`)).toBe(true);
  expect((await run(['import', path], sandbox.env)).code).toBe(0);
  expect(await subscribed(sandbox)).toHaveLength(10);
});

test('reports usage errors before anything is sent', async ({ sandboxOnPort: sandbox }) => {
  const { path } = people(['Mail,Age', 'ada@example.com,36']);
  const cases: [string[], string][] = [
    [['import'], "missing required argument 'file'"],
    [['import', `${path}.not`], 'there is no such file'],
    [['import', path], '--map "Mail=custom:Mail" or --map "Mail=" or --others ignore or --others custom.'],
    [['import', path, '--others', 'ignore'], 'or say which it is: --map "Mail=email".'],
    [['import', path, '--map', 'Mail=email'], 'No field is known for column "Age"'],
    [['import', path, '--batch-size', '0'], 'It must be a whole number from 1 to 1000.'],
    [['import', path, '--map', 'Mail', '--map', 'Mail=adress'], '--map "Mail" must be COLUMN=FIELD'],
    [
      ['import', path, '--map', 'Mail', '--map', 'Mail=adress'],
      '"adress" is not a field of a subscription. A custom field is written "custom:adress"',
    ],
    [['import', path, '--others', 'all'], 'Allowed choices are refuse, ignore, custom.'],
  ];
  for (const [args, text] of cases) {
    const { code, stderr } = await run(args, sandbox.env);
    expect([code, stderr]).toEqual([1, expect.stringContaining(text)]);
  }
  expect(sandbox.requests().filter(({ operation }) => operation === 'subscriptions.bulkCreate')).toEqual([]);
});

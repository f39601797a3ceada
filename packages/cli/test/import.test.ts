import { existsSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { createClient } from '@newsletter-kit/core';
import { test, type SandboxOnPort } from '@newsletter-kit/sandbox/vitest';
import { expect } from 'vitest';
import { events, run, start } from './command.ts';
import { waitUntil } from '../../../test/support/waits.ts';
import { exportFixtures } from '../../../test/support/exports.ts';
import { listsOpenFiles, openFiles } from '../../../test/support/open-files.ts';
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
    left: 0,
    unconfirmed: 0,
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
  const { path, folder } = people(many(600));
  const args = ['import', path, '--batch-size', '20'];
  const slow = sandbox.faults.add({ match: 'subscriptions.bulkCreate', effect: { latency: 150 } });
  const accepted = () =>
    sandbox.requests().filter(({ operation, status }) => operation === 'subscriptions.bulkCreate' && status < 300)
      .length;

  const first = start(args, sandbox.env);
  await waitUntil('a few batches', () => accepted() >= 4);
  first.kill('SIGINT');
  expect(await first.ended).toMatchObject({
    code: 3,
    stderr: expect.stringContaining(`${path}.journal records what was sent`),
  });

  const second = start(args, sandbox.env);
  const before = accepted();
  expect(before).toBeLessThan(30);
  await waitUntil('a few more', () => accepted() >= before + 4);
  second.kill('SIGKILL');
  await second.ended;

  sandbox.faults.remove(slow.id);
  const lost = accepted();
  const third = await run(args, sandbox.env);
  expect(third).toMatchObject({ code: 0, stderr: expect.stringContaining('Continuing the import') });
  expect(third.stderr).toContain('The service accepted 600 rows of 600 rows');
  // At most the four requests that were in flight at the kill are sent again.
  expect(accepted()).toBeGreaterThanOrEqual(30);
  expect(accepted()).toBeLessThanOrEqual(34);
  expect(lost).toBeLessThan(30);
  expect(readdirSync(folder)).toEqual(['people.csv']);
  expect(await subscribed(sandbox)).toHaveLength(600);
});

test('reports why the import stopped, and continues once the service works again', async ({
  sandboxOnPort: sandbox,
}) => {
  const { path } = people(many(10));
  sandbox.faults.add({ match: 'subscriptions.bulkCreate', effect: { status: 403 }, times: 1 });
  const refused = await run(['import', path], sandbox.env);
  expect(refused).toMatchObject({ code: 77, stderr: expect.stringContaining('The same command continues from there') });
  expect(existsSync(`${path}.journal`)).toBe(true);
  expect((await run(['import', path], sandbox.env)).code).toBe(0);
  expect(await subscribed(sandbox)).toHaveLength(10);
});

test('reports usage errors before anything is sent', async ({ sandboxOnPort: sandbox }) => {
  const { path } = people(['Mail,Age', 'ada@example.com,36']);
  const cases: [number, string[], string][] = [
    [66, ['import', `${path}.not`], 'there is no such file'],
    [64, ['import', path], '--map "Age=custom:Age" or --map "Age=" or --others ignore or --others custom.'],
    [65, ['import', path, '--others', 'ignore', '--map', 'Mail='], 'No column holds e-mail addresses.'],
    [64, ['import', path, '--map', 'Mail=email'], 'No field is known for column "Age"'],
  ];
  for (const [exitCode, args, text] of cases) {
    const { code, stderr } = await run(args, sandbox.env);
    expect([code, stderr]).toEqual([exitCode, expect.stringContaining(text)]);
  }
  expect(sandbox.requests().filter(({ operation }) => operation === 'subscriptions.bulkCreate')).toEqual([]);
});

test('brings in nobody who left by the file or by a list, and writes whom the service finds invalid', async ({
  sandboxOnPort: sandbox,
}) => {
  const { path, folder } = people([
    'email,status',
    ...['ada,active', 'bo,unsubscribed', 'cy,pending', 'di,active', 'nobody@invalid,active'].map((row) =>
      row.includes('@') ? row.replace('@invalid', '@bounce.invalid') : row.replace(',', '@example.com,'),
    ),
  ]);
  const list = join(folder, 'left.txt');
  writeFileSync(list, 'DI@example.com\n');
  const args = ['import', path, '--suppress', list];
  const asked = await run(args, sandbox.env);
  const [flag = ''] = /(?<=--left-by ")[^"]+/.exec(asked.stderr) ?? [];
  expect([asked.code, flag]).toEqual([64, 'status: active = subscribed, unsubscribed = left, pending = unconfirmed']);
  const { code, stderr } = await run([...args, '--left-by', flag], sandbox.env);
  expect(code).toBe(0);
  expect(stderr).toContain('Who may get mails is read from "status".');
  expect(stderr).toContain(
    'accepted 2 rows of 5 rows; 2 rows of people who left kept out, 1 row of people who never confirmed kept out',
  );
  expect((await subscribed(sandbox)).map(({ email }) => email).toSorted()).toEqual([
    'ada@example.com',
    'nobody@bounce.invalid',
  ]);
  expect(readFileSync(join(folder, 'people.rejects.csv'), 'utf8')).toContain(
    '5,left,left.txt says that this person stays out,di@example.com,active',
  );

  writeFileSync(list, 'ada@example.com\nnobody\n');
  const refused = await run(args, sandbox.env);
  expect(refused).toMatchObject({ code: 65, stderr: expect.stringContaining('left.txt, row 2: it is no address') });
});

test('needs no option for the exports of services, and makes nobody active who left', async ({
  sandboxOnPort: sandbox,
}) => {
  const folder = scratchFolder();
  for (const { file, text, stays, out } of exportFixtures.filter(({ leftBy }) => !leftBy)) {
    sandbox.reset();
    const client = createClient(sandbox.clientOptions);
    for (const display of ['First Name', 'Last Name']) await client.customFields.create({ display, kind: 'string' });
    const path = join(folder, file);
    writeFileSync(path, text);
    const { code, stderr } = await run(['import', path], sandbox.env);
    const isClear = out.every(([, kind]) => kind !== 'unclear');
    expect(code, `${file}: ${stderr}`).toBe(isClear ? 0 : 2);
    const all = await subscribed(sandbox);
    expect(all.map(({ email }) => email).toSorted(), file).toEqual([...new Set(stays)].toSorted());
  }
});

test('asks in one question by which columns people leave, and keeps the answers for the next file', async ({
  sandboxOnPort: sandbox,
}) => {
  const week = (words: readonly string[]) =>
    ['email,Lage,Land,Opt-out', ...words.map((word, at) => `r${at}${word}@example.com,${word},DE,no`)].join('\n');
  const { path, folder } = people([week(['da', 'da', 'da', 'fort'])]);
  const args = ['import', path, '--others', 'ignore'];
  const asked = await run(args, sandbox.env);
  expect(asked.code).toBe(64);
  expect(asked.stderr).toContain(
    [
      'Does anybody leave by column "Opt-out" (no 4); "Lage" (da 3, fort 1); "Land" (DE 4)? Say so for each, with left, subscribed or unconfirmed for each "?":',
      '  --left-by "Opt-out: no = subscribed"',
      '    or, if nobody leaves by it, --nobody-left-by "Opt-out"',
      '  --left-by "Lage: da = ?, fort = ?"',
      '  --left-by "Land: DE = ?"',
      '  if nobody leaves by them, --nobody-left-by "Lage, Land"',
    ].join('\n'),
  );
  expect(sandbox.requests().filter(({ operation }) => operation === 'subscriptions.bulkCreate')).toEqual([]);

  const answers = ['--left-by', 'Lage: da = subscribed, fort = left', '--nobody-left-by', 'Opt-out, Land'];
  expect((await run([...args, ...answers], sandbox.env)).stderr).toContain('accepted 3 rows of 4 rows');
  expect(JSON.parse(readFileSync(`${path}.answers.json`, 'utf8'))).toEqual({
    leftBy: ['Lage: da = subscribed, fort = left'],
    nobodyLeftBy: ['Opt-out, Land'],
    yesNo: [],
  });

  writeFileSync(path, week(['da', 'gesperrt', 'fort']));
  const next = await run(args, sandbox.env);
  expect([next.code, next.stderr]).toEqual([
    2,
    expect.stringContaining('accepted 1 row of 3 rows; 1 row rejected, 1 row of people who left kept out'),
  ]);
  expect(readFileSync(join(folder, 'people.rejects.csv'), 'utf8')).toContain(
    '""Lage"" holds a word that is not understood',
  );

  const changed = await run([...args, '--left-by', 'Lage: da = subscribed, fort = left, gesperrt = left'], sandbox.env);
  expect(changed.stderr).toContain('accepted 1 row of 3 rows; 2 rows of people who left kept out');

  writeFileSync(path, week(['da', 'da']).replace(',Lage,', ',Stand,'));
  const renamed = await run(args, sandbox.env);
  expect([renamed.code, renamed.stderr]).toEqual([65, expect.stringContaining('has no column "Lage"')]);
  writeFileSync(`${path}.answers.json`, '{');
  expect((await run(args, sandbox.env)).stderr).toContain('people.csv.answers.json holds no answers');
});

test('asks how a column writes dates, numbers, yes and no, and keeps which values say yes for the next file', async ({
  sandboxOnPort: sandbox,
}) => {
  const client = createClient(sandbox.clientOptions);
  for (const [display, kind] of [
    ['Guide', 'boolean'] as const,
    ['Price', 'double'] as const,
    ['Born', 'date'] as const,
  ])
    await client.customFields.create({ display, kind });
  const { path } = people(['email;Guide;Price;Born', 'a@example.com;Ja;1.234;01/02/1990', 'b@example.com;Nein;;']);
  const args = ['import', path, '--nobody-left-by', 'Guide, Price, Born'];
  const asked = await run(args, sandbox.env);
  expect([asked.code, asked.stderr]).toEqual([
    64,
    expect.stringContaining(
      [
        'Column "Guide" (Ja 1, Nein 1) does not show which value is yes. Column "Price" has numbers that can be two, such as 1.234. Name the decimal mark. Column "Born" has dates that can be two days, such as 01/02/2026. Name the order of day and month. Write yes or no for each "?":',
        '  --yes-no "Ja = ?, Nein = ?"',
        '  --decimal-mark .',
        '    or --decimal-mark ,',
        '  --date-order dmy',
        '    or --date-order mdy',
      ].join('\n'),
    ),
  ]);
  const answers = ['--yes-no', 'Ja = yes, Nein = no', '--decimal-mark', ',', '--date-order', 'dmy'];
  expect((await run([...args, ...answers], sandbox.env)).stderr).toContain('accepted 2 rows of 2 rows');
  const [ada] = (await subscribed(sandbox)).filter(({ email }) => email === 'a@example.com');
  expect(ada?.custom_fields).toEqual([
    expect.objectContaining({ name: 'Guide', value: true }),
    expect.objectContaining({ name: 'Price', value: 1234 }),
    expect.objectContaining({ name: 'Born', value: '1990-02-01' }),
  ]);
  writeFileSync(path, 'email;Guide\nc@example.com;ja\nd@example.com;nein\n');
  expect((await run(['import', path], sandbox.env)).stderr).toContain('accepted 2 rows of 2 rows');
});

test('says with --plan what it would do, and sends nothing', async ({ sandboxOnPort: sandbox }) => {
  const client = createClient(sandbox.clientOptions);
  await client.subscriptions.create({ email: 'known@example.com' });
  const { path, folder } = people([
    'email,status,send_welcome_email',
    ...['known,active,yes', 'new,active,yes', 'KNOWN,active,', 'left,unsubscribed,'].map((row) =>
      row.replace(',', '@example.com,'),
    ),
    'wrong,active,',
  ]);
  const before = sandbox.requests().length;
  const answer = ['--left-by', 'status: active = subscribed'];
  const planned = await run(['import', path, '--plan', ...answer], sandbox.env);
  expect(planned.code).toBe(0);
  expect(planned.stderr).toContain('To see who is known already, 1 request ');
  expect(planned.stdout).toContain(
    'Of 5 rows, 2 would be sent; 1 row rejected, 1 duplicate left out, 1 row of people who left kept out.\nNew: 1. Known: 1 updated, 0 who left and stay away.\n',
  );
  expect(planned.stdout).toContain('Welcome mails: 1.');
  expect(planned.stdout).toContain('  row 5: left: column "status" says "unsubscribed"');
  const offline = await run(['import', path, '--plan=offline', '--json', ...answer], sandbox.env);
  expect(events(offline.stdout).at(-1)).toMatchObject({ type: 'plan', read: 5, sent: 2, known: null, requests: 1 });
  const requests = sandbox.requests().slice(before);
  expect(requests.filter(({ method }) => method !== 'GET')).toEqual([]);
  expect(readdirSync(folder)).toEqual(['people.csv']);
});

test('that changes much of a publication needs --yes where nobody can be asked', async ({ sandboxOnPort: sandbox }) => {
  const client = createClient(sandbox.clientOptions);
  await client.subscriptions.create({ email: 'known@example.com' });
  const { path, folder } = people(many(101));
  const stopped = await run(['import', path], sandbox.env);
  expect(stopped).toMatchObject({
    code: 64,
    stderr: expect.stringContaining('This import changes up to 101 people; the publication has 1.'),
  });
  expect(stopped.stderr).toContain('--yes');
  expect(sandbox.requests().filter(({ operation }) => operation === 'subscriptions.bulkCreate')).toEqual([]);
  expect((await run(['import', path, '--yes'], sandbox.env)).code).toBe(0);
  expect(readdirSync(folder)).toEqual(['people.csv']);
});

test.runIf(listsOpenFiles)('leaves no file open, however it ends', async ({ sandboxOnPort: sandbox }) => {
  const { path, folder } = people([
    'email,utm_source',
    ...many(101)
      .slice(1)
      .map((email) => `${email},fair`),
  ]);
  const text = readFileSync(path, 'utf8');
  const journal = join(folder, 'some.journal');
  const damaged = join(folder, 'damaged.journal');
  writeFileSync(damaged, 'no journal\n{}\n');
  const list = join(folder, 'left.txt');
  const broken = join(folder, 'broken.csv');
  writeFileSync(broken, `email\n${'ada@example.com\n'.repeat(5_000)}"bo\n`);
  writeFileSync(list, 'ada@example.com\nnobody\n');
  await createClient(sandbox.clientOptions).subscriptions.create({ email: 'known@example.com' });
  const refuses = { match: 'subscriptions.bulkCreate', effect: { status: 403 }, times: 1 } as const;
  const ends: readonly (readonly [code: number, args: readonly string[], input?: readonly string[]])[] = [
    [0, [path, '--plan']],
    [0, ['-', '--plan=offline'], [text]],
    [65, [path, '--plan', '--suppress', list]],
    [64, [path]], // 101 people need approval
    [64, ['-'], [text]],
    [1, [path, '--yes', '--journal', damaged]],
    [1, [path, '--yes', '--journal', folder]],
    [1, [path, '--yes', '--rejects', folder]],
    [64, [path, '--map', 'utm_source=custom:']],
    [64, [path, '--delimiter', '||']],
    [65, [broken, '--yes', '--batch-size', '10']],
    [65, ['-', '--yes'], [readFileSync(broken, 'utf8')]],
    [77, [path, '--yes', '--journal', journal]], // refused by the service
    [65, [broken, '--yes', '--journal', journal]], // of another file
    [0, [path, '--yes', '--journal', journal]],
    [0, ['-', '--yes'], [text]],
  ];
  for (const [code, args, input] of ends) {
    if (args.includes(journal) && !existsSync(journal)) sandbox.faults.add(refuses);
    const ended = await run(['import', ...args], sandbox.env, input);
    expect([args, ended.code, ended.stderr]).toEqual([args, code, expect.anything()]);
    expect(openFiles(folder, 'newsletter-import-'), args.join(' ')).toEqual([]);
  }
});

import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { appendFile, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { JournalError, type JournalRecord } from '../../../src/import/index.ts';
import { openFileJournal } from '../../../src/hosts/node/import-journal.ts';
import { scratchFolder } from '../../../../../test/support/scratch-folder.ts';

const scratch = (): string => join(scratchFolder(), 'import.journal');

const record = (first: number): JournalRecord => ({ type: 'released', first, last: first });
const all = async (journal: { read(): AsyncIterable<unknown> | Iterable<unknown> }): Promise<unknown[]> => {
  const records: unknown[] = [];
  for await (const each of journal.read()) records.push(each);
  return records;
};

it('keeps records in the order they came, over many calls at once and over restarts', async () => {
  const path = scratch();
  for (let run = 0; run < 3; run += 1) {
    const journal = await openFileJournal(path);
    expect(journal.resumes).toBe(run > 0);
    expect(await all(journal)).toEqual(Array.from({ length: run * 50 }, (_, index) => record(index + 1)));
    await Promise.all(Array.from({ length: 50 }, (_, index) => journal.append(record(run * 50 + index + 1))));
    await journal.close();
  }
});

it('continues after a write that was torn at any byte', async () => {
  const path = scratch();
  const whole = [1, 2, 3].map((n) => `${JSON.stringify(record(n))}\n`).join('');
  for (let bytes = 0; bytes <= whole.length; bytes += 1) {
    await writeFile(path, whole.slice(0, bytes));
    const journal = await openFileJournal(path);
    const kept = whole.slice(0, bytes).split('\n').length - 1;
    expect(await all(journal)).toEqual([1, 2, 3].slice(0, kept).map(record));
    await journal.append(record(9));
    await journal.close();
    expect(
      (await readFile(path, 'utf8'))
        .split('\n')
        .slice(0, -1)
        .map((line) => JSON.parse(line) as unknown),
    ).toEqual([...[1, 2, 3].slice(0, kept), 9].map(record));
  }
});

it('treats zeros that a power failure left at the end as a torn write', async () => {
  const path = scratch();
  await writeFile(path, `${JSON.stringify(record(1))}\n${'\0'.repeat(40)}\n`);
  const journal = await openFileJournal(path);
  expect(await all(journal)).toEqual([record(1)]);
  await journal.close();
});

it.each(['email,name\nada@example.com,Ada\n', 'email', '{\n  "current": null\n}\n', '\n'])(
  'refuses a file that is no journal, and leaves it as it is: %j',
  async (text) => {
    const path = scratch();
    await writeFile(path, text);
    await expect(openFileJournal(path)).rejects.toThrow('is no journal');
    expect(await readFile(path, 'utf8')).toBe(text);
  },
);

it('refuses a file that is damaged in its middle, or one line without an end', async () => {
  const path = scratch();
  await writeFile(path, `${JSON.stringify(record(1))}\n{"type\n${JSON.stringify(record(2))}\n`);
  await expect(openFileJournal(path)).rejects.toThrow('Line 2 of');
  await writeFile(path, 'x'.repeat(2_000_000));
  await expect(openFileJournal(path)).rejects.toThrow('is no journal');
});

it('requires a name, and leaves no file behind without one', async () => {
  await expect(openFileJournal('')).rejects.toThrow(
    new JournalError('The path of the journal is empty. Pass the path of a file, for example people.journal.'),
  );
  expect(existsSync('-lock')).toBe(false);
});

it('lets only one process use it, and the next one as soon as that has ended', async () => {
  const path = scratch();
  const journal = await openFileJournal(path);
  const file = new URL('../../../src/hosts/node/import-journal.ts', import.meta.url).href;
  const open = (): Promise<string> =>
    promisify(execFile)(process.execPath, [
      '--input-type=module',
      '--eval',
      `const { openFileJournal } = await import(${JSON.stringify(file)}); await openFileJournal(${JSON.stringify(path)}).then(() => console.log('opened'), (error) => console.log(error.message)); process.kill(process.pid, 'SIGKILL')`,
    ]).then(
      ({ stdout }) => stdout,
      (killed: { stdout: string }) => killed.stdout,
    );
  expect(await open()).toContain('another process is using it');
  await journal.close();
  expect(await open()).toContain('opened');
  await (await openFileJournal(path)).close();
});

it('reads any records back as they were', async () => {
  const path = scratch();
  await fc.assert(
    fc.asyncProperty(fc.array(fc.string({ unit: 'grapheme' }), { maxLength: 20 }), async (reasons) => {
      await rm(path, { force: true });
      const records = reasons.map((reason, index) => ({
        type: 'refused' as const,
        first: index + 1,
        last: index + 1,
        reason,
      }));
      const journal = await openFileJournal(path);
      await Promise.all(records.map((each) => journal.append(each)));
      await appendFile(path, '{"type":"torn');
      await journal.close();
      const again = await openFileJournal(path);
      expect(await all(again)).toEqual(records);
      await again.close();
    }),
    { numRuns: 30 },
  );
});

import { expect, it } from 'vitest';
import {
  importOneByOne,
  JournalError,
  importSubscriptions,
  memoryJournal,
  type ImportedRow,
} from '../../src/import/index.ts';
import { people, refusal, service } from './service.ts';

it('reports each answer with its warnings, and repeats no row that was answered', async () => {
  const journal = memoryJournal();
  const { sent, ...api } = service((_, call) =>
    call === 3 ? { status: 500 } : call === 4 ? refusal('No.') : undefined,
  );
  const answers: ImportedRow[] = [];
  const failed: number[] = [];
  const options = {
    ...api,
    journal,
    concurrency: 1,
    source: people(6),
    onAnswer: (answer: ImportedRow) => void answers.push(answer),
    onFailed: ({ row }: { row: number }) => void failed.push(row),
  };
  expect(await importOneByOne(options)).toMatchObject({
    outcome: 'incomplete',
    accepted: 4,
    rejected: 1,
    failed: 1,
    importIds: [],
  });
  expect(answers.map(({ row }) => row)).toEqual([1, 2, 5, 6]);
  expect(answers[0]).toMatchObject({
    row: 1,
    subscription: { email: 'reader1@example.com' },
    warnings: [{ message: 'No such field.' }],
    resent: false,
  });
  expect(failed).toEqual([3]);
  expect(await importOneByOne(options)).toMatchObject({ outcome: 'complete', accepted: 5, rejected: 1, resent: 1 });
  expect(answers.at(-1)).toMatchObject({ row: 3, resent: true });
  expect(sent).toHaveLength(7);
  await expect(importSubscriptions({ ...api, journal, source: people(6) })).rejects.toThrow(JournalError);
});

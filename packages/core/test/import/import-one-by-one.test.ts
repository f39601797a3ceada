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

it('reports an answer without warnings, and goes on without callbacks', async () => {
  const data = { id: 'sub_1', email: 'reader1@example.com', status: 'active', created: 1 };
  const { sent, ...api } = service((_, call) => (call === 2 ? { status: 500 } : { body: JSON.stringify({ data }) }));
  const answers: ImportedRow[] = [];
  await importOneByOne({ ...api, source: people(1), onAnswer: (answer) => void answers.push(answer) });
  expect(answers).toMatchObject([{ row: 1, warnings: [] }]);
  const result = await importOneByOne({ ...api, concurrency: 1, source: people(2) });
  expect(result).toMatchObject({ outcome: 'incomplete', accepted: 1, failed: 1, error: { status: 500 } });
  expect(sent).toHaveLength(3);
});

it('reports its progress after each accepted, refused and failed row', async () => {
  const { sent: _, ...api } = service((_rows, call) =>
    call === 2 ? refusal('No.') : call === 3 ? { status: 500 } : undefined,
  );
  const seen: number[][] = [];
  await importOneByOne({
    ...api,
    concurrency: 1,
    source: people(3),
    onProgress: ({ accepted, rejected, failed }) => void seen.push([accepted, rejected, failed]),
  });
  expect(seen).toEqual([
    [1, 0, 0],
    [1, 0, 1],
    [1, 1, 1],
    [1, 1, 1],
  ]);
});

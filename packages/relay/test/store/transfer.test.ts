/** Export and import of a store. */
import { describe, expect, it } from 'vitest';
import { exportLines, importLines, errorsIn } from '../../src/store/transfer.ts';
import { all, describeTransfer, each, filled, linesOf, open, signup } from './transfer-conformance.ts';

describe('an export, imported into an SQLite file', () => {
  describeTransfer(() => Promise.resolve(open()));
});

it('an export with a filter omits the consent ledger', async () => {
  const store = await filled();
  const lines = await all(exportLines(store, { email: 'P7@example.com' }));
  expect(lines.map((line) => JSON.parse(line) as unknown)).toMatchObject([{ state: 'review' }]);
});

describe('an invalid line', () => {
  it.each([
    ['no JSON at all', '{"id":', 'is not JSON'],
    ['another object', '{"email":"ada@example.com"}', 'id'],
    ['a list', '[]', 'is neither a signup nor an entry'],
    ['an unknown state', (line: object) => ({ ...line, state: 'lost' }), 'state'],
    ['no address', (line: object) => ({ ...line, submission: {} }), 'submission.email'],
    [
      'a privileged field',
      (line: object) => ({ ...line, submission: { email: 'a@b.c', tier: 'premium' } }),
      'submission',
    ],
    ['nothing to send', (line: object) => ({ ...line, submission: null }), 'only a delivered signup'],
    ['a broken consent', '{"consent":{"signup":"x"}}', 'consent'],
  ])('is named by its number and part, not by its content: %s', async (_case, change, part) => {
    const store = open();
    await store.accept(signup(1));
    const [good = ''] = await linesOf(store);
    const bad = typeof change === 'string' ? change : JSON.stringify(change(JSON.parse(good) as object));
    const [error, ...more] = await errorsIn(each([good, '', bad]), 10);
    expect(more).toEqual([]);
    expect(error?.message).toMatch(/^Line 3 /);
    expect(error?.message).toContain(part);
    expect(error?.message).not.toContain('@');
    const to = open();
    await expect(importLines(to, each([good, bad]))).rejects.toThrow('Line 2 ');
  });
});

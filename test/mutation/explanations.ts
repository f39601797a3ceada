/** Why a mutant may survive: mutations that no test can notice, or that no test should. */

export interface Explanation {
  /** Path of the mutated file from the root of the repository. */
  readonly file: string;
  /** The code that is replaced; white space is collapsed. */
  readonly original: string;
  /** The mutation; white space is collapsed. */
  readonly replacement: string;
  /** One sentence: why the behaviour stays the same, or why the difference does not matter. */
  readonly reason: string;
}

const duration = 'packages/sandbox/src/world/clock.ts';
const paging = 'packages/sandbox/src/api/paging.ts';
const watermark = 'packages/core/src/watch/watermark.ts';

export const explanations: readonly Explanation[] = [
  {
    file: duration,
    original: 'duration.slice(0, 40)',
    replacement: 'duration',
    reason: 'only shortens the quotation of a long input in an error message',
  },
  { file: duration, original: "'0'", replacement: '""', reason: 'a missing part is 0 either way: Number("") is 0' },
  {
    file: duration,
    original: 'months === 0',
    replacement: 'false',
    reason: 'a shortcut: adding no months leads to the same time',
  },
  ...['/1:[a-z_]+:(asc|desc):(\\d{1,12}):(\\d{1,15})$/', '/^1:[a-z_]+:(asc|desc):(\\d{1,12}):(\\d{1,15})/'].map(
    (replacement) => ({
      file: paging,
      original: '/^1:[a-z_]+:(asc|desc):(\\d{1,12}):(\\d{1,15})$/',
      replacement,
      reason: 'a cursor is written again from what was read and must come out the same, which refuses any other text',
    }),
  ),
  {
    file: paging,
    original: '[]',
    replacement: '["Stryker was here"]',
    reason: 'the first element, the whole match, is not read',
  },
  {
    file: paging,
    original: 'written === undefined',
    replacement: 'false',
    reason: 'without a match the cursor written again is another one, and so it is refused',
  },
  {
    file: paging,
    original: "'asc'",
    replacement: '""',
    reason: 'SQLite sorts in ascending order where none is named',
  },
  {
    file: 'packages/core/src/engine/lost-response.ts',
    original: "'unclear'",
    replacement: '""',
    reason: 'a label for debugging: every text but "absent" counts as unclear',
  },
  {
    file: 'packages/core/src/engine/retry.ts',
    original: 'layer === undefined',
    replacement: 'false',
    reason: 'a shortcut: a policy without a layer is copied instead, with the same values',
  },
  {
    file: watermark,
    original: 'newest.created < watermark.created',
    replacement: 'false',
    reason: 'items that are all older add no id and do not raise the watermark, so the same watermark is made again',
  },
  {
    file: watermark,
    original: '[]',
    replacement: '["Stryker was here"]',
    reason: 'one more id that no record has',
  },
];

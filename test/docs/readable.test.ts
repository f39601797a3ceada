/** What the documentation does to its Markdown for narrow columns. */
import { expect, it } from 'vitest';
import { raiseComments } from '../../docs/readable.ts';

const long = 'await client.subscriptions.create({ email, utm_source: "fair" });';

it('moves the comments of a block with a long line above the code, and results below it', () => {
  const block = ['start();           // short', `  ${long}     // a comment that would break`, 'end(state);   // → 1'];
  expect(raiseComments(block.join('\n')).split('\n')).toEqual([
    '// short',
    'start();',
    '  // a comment that would break',
    `  ${long}`,
    'end(state);',
    '// → 1',
  ]);
});

it.each(['start();      // short', `const it = '${'long'.repeat(30)}';`, '# a title\n\nfetch("http://127.0.0.1:1/")'])(
  'leaves %j as it is',
  (block) => {
    expect(raiseComments(block)).toBe(block);
  },
);

/**
 * Five questions, each answered by one function for every door: who left, yes or no, when, who answered, whose mailbox.
 * A door that has a question of them imports the answer, and nothing else in the product answers it.
 */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { listFiles } from '../../scripts/git.ts';
import { withoutScriptComments } from '../../scripts/lines-and-words.ts';
import { root } from '../../scripts/root.ts';

const product = listFiles(root).filter(
  (path) => /^(packages\/(core|relay|cli)\/src|widget\/src|nodes|credentials)\//.test(path) && path.endsWith('.ts'),
);
const sources = new Map(
  product.map((path) => [path, withoutScriptComments(readFileSync(join(root, path), 'utf8'), path)] as const),
);

const facts = 'packages/core/src/facts/';

/** The names that a file imports from the room of the answers. */
function answersIn(text: string): readonly string[] {
  return [...text.matchAll(/import \{([^}]*)\} from '[^']*(?:\/facts\/[\w-]+\.ts|core\/facts)'/g)].flatMap(
    ([, names = '']) => names.split(',').map((name) => name.replace(/\btype\b/, '').trim()),
  );
}

const floors = (...names: readonly string[]): string[] => names.map((name) => `packages/core/src/${name}`);

/** The functions that answer a question, the doors that ask it, and what another answer would look like. */
const questions = {
  'who left': {
    answers: ['getsMail', 'hasLeft', 'consentOf'],
    doors: [
      ...floors('import', 'sync', 'watch', 'report', 'endpoint'),
      'packages/relay',
      'nodes/Newsletter/operations',
    ],
    // Comparisons with a word of them are refused by the lint rule `house/subscriber-status`.
    others: /new Set\(\['inactive'/,
  },
  'yes or no': {
    answers: ['yesOrNo'],
    doors: floors('import', 'sync'),
    others: /'(?:yes|y|on|true)', '(?:yes|y|on|true|x|1)'/,
  },
  when: {
    answers: ['momentOf', 'secondsOf', 'waitOf'],
    doors: [...floors('engine', 'oauth', 'report'), 'packages/relay', 'nodes'],
    others: /retry-after[^\n]*\* ?1000/i,
  },
  'who answered': {
    answers: ['isErrorBody'],
    doors: [...floors('engine'), 'packages/cli/src/commands/probe'],
    others: /<title\[/,
  },
  'whose mailbox': {
    answers: ['mailboxKey'],
    doors: ['packages/relay', 'nodes/Newsletter/signup'],
    others: /split\('\+'|'gmail\.com'/,
  },
} as const;

describe.each(Object.entries(questions))('%s', (_question, { answers, doors, others }) => {
  it.each(doors)('is asked of one function by %s', (door) => {
    const asked = product
      .filter((path) => path.startsWith(`${door}/`))
      .flatMap((path) => answersIn(sources.get(path) ?? ''));
    expect(asked.filter((name) => (answers as readonly string[]).includes(name))).not.toEqual([]);
  });

  it('is answered nowhere else', () => {
    const elsewhere = [...sources].flatMap(([path, text]) =>
      path.startsWith(facts)
        ? []
        : text.split('\n').flatMap((line) => (others.test(line) ? [`${path}: ${line.trim()}`] : [])),
    );
    expect(elsewhere).toEqual([]);
  });
});

/**
 * The weight of the repository: lines of product and tests and words of documentation, by room.
 * `weight-ledger.ts` compares them with their budgets.
 */
import { readFileSync } from 'node:fs';
import { extname, join, matchesGlob } from 'node:path';
import { git, isFileIn, listChanges, listFiles } from './git.ts';
import { linesOf, linesOfCode, wordsOf } from './lines-and-words.ts';
import { root } from './root.ts';

/** Whose files are where; the path of a file matches one. */
export const rooms = {
  core: /^packages\/core\//,
  sandbox: /^packages\/sandbox\//,
  relay: /^packages\/relay\//,
  cli: /^packages\/cli\//,
  'command-line': /^packages\/command-line\//,
  pages: /^packages\/pages\//,
  widget: /^widget\//,
  nodes: /^(?:nodes|credentials)\//,
  examples: /^examples\//,
  docs: /^(?:docs|\.changeset|\.github)\/|^[^/]+\.md$/,
  scripts: /^(?:scripts|\.ci)\/|^[^/]+(?<!\.md)$/,
  test: /^test\//,
} as const;

/** What a command writes. */
export const generated: readonly string[] = [
  '**/pnpm-lock.yaml',
  'packages/core/{api.md,src/resources.ts,src/contract/{answer-records,shapes,table,words}.ts,src/engine/answer-checks.ts,src/schema/types.ts}',
  'packages/core/src/endpoint/page-{style,themes}.ts',
  'nodes/Newsletter/__schema__/**',
  'widget/{custom-elements.json,src/attributes.ts}',
  'docs/src/content/docs/benchmarks.md',
  'docs/src/data/benchmarks.json',
  'test/widget/trees/*',
];

/** Product and tests in lines that are neither blank nor a comment, generated files in lines that are not blank. */
export const kinds = ['product', 'tests', 'words', 'generated'] as const;
export type Kind = (typeof kinds)[number];

/** The kind and the figure of a file; undefined for pictures, settings and data. */
export function weightOf(path: string, text: string): readonly [Kind, number] | undefined {
  const unix = text.replaceAll('\r\n', '\n');
  if (generated.some((pattern) => matchesGlob(path, pattern))) return ['generated', linesOf(unix)];
  if (/\.mdx?$/.test(path)) return ['words', wordsOf(unix)];
  const lines = linesOfCode(path, unix);
  return lines === undefined ? undefined : [/(?:^|\/)test\//.test(path) ? 'tests' : 'product', lines];
}

/** Whether a file can have a weight; one without an extension is read for that. */
const isWeighed = (path: string): boolean => !extname(path) || weightOf(path, '') !== undefined;

/** Figures by room, in the order of the rooms. */
export type Weights = Map<string, Partial<Record<Kind, number>>>;

const noWeights = (): Weights => new Map(Object.keys(rooms).map((room) => [room, {}]));

/** The room of a file; no room's is a room of its own, which has no budget. */
export const roomOf = (path: string): string =>
  Object.entries(rooms).find(([, paths]) => paths.test(path))?.[0] ?? 'no room';

/** Adds a file, or takes it away. */
function add(weights: Weights, path: string, text: string, sign: 1 | -1 = 1): void {
  const [kind, figure = 0] = weightOf(path, text) ?? [];
  if (kind === undefined) return;
  const weight = weights.get(roomOf(path)) ?? {};
  weights.set(roomOf(path), { ...weight, [kind]: (weight[kind] ?? 0) + sign * figure });
}

/** A number as texts have it: 12,300. */
export const written = (figure: number): string => figure.toLocaleString('en-US');

const signed = (figure: number): string => `${figure < 0 ? '−' : '+'}${written(Math.abs(figure))}`;

/** The files that a commit has of these, each with its text. */
function textsAt(commit: string, files: readonly string[], folder: string): readonly (readonly [string, string])[] {
  // Git answers "… missing" to a name that it does not know: after each file, this one marks its end.
  const end = 'end-of-file';
  const output = git(['cat-file', '--batch'], folder, files.map((path) => `${commit}:${path}\n${end}\n`).join(''));
  return output.split(`\n${end} missing\n`).flatMap((answer, index) => {
    const [, text] = /^\w+ blob \d+\n(.*)$/s.exec(answer) ?? [];
    return text === undefined ? [] : [[files[index] ?? '', text] as const];
  });
}

/** The weight of every room. */
export function weigh(folder: string = root): Weights {
  const weights = noWeights();
  for (const path of listFiles(folder).filter(isWeighed)) add(weights, path, readFileSync(join(folder, path), 'utf8'));
  return weights;
}

/**
 * What the changes since a commit do to the weight, those that are not committed included, in one line:
 * `core −12 product, +4 tests · docs +35 words`.
 *
 * @param since - a commit that git knows
 */
export function describeWeightChange(since: string, folder: string = root): string {
  const changed = listChanges(since, folder).filter(isWeighed);
  const weights = noWeights();
  for (const [path, text] of textsAt(since, changed, folder)) add(weights, path, text, -1);
  for (const path of changed.filter(isFileIn(folder))) add(weights, path, readFileSync(join(folder, path), 'utf8'));
  const changes = [...weights].flatMap(([room, weight]) => {
    const figures = kinds.flatMap((kind) => (weight[kind] ? `${signed(weight[kind])} ${kind}` : []));
    return figures.length > 0 ? `${room} ${figures.join(', ')}` : [];
  });
  return changes.join(' · ') || 'no change';
}

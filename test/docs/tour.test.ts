/** The tour of the code: its files and functions exist, and each function is reached from one before it. */
import { existsSync, readFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { nearMiss } from '@newsletter-kit/core/engine';
import { expect, it } from 'vitest';
import { listFiles } from '../../scripts/git.ts';
import { root } from '../../scripts/root.ts';
import { findFunction, lastName, reachedFrom, readSource, type SourceFile } from './functions.ts';

const page = readFileSync(join(root, 'docs/src/content/docs/contributing/tour.md'), 'utf8');

/** A line of a walk: `1. [FILE](…/FILE) FUNCTION – what happens`, file and function as code. */
interface Step {
  readonly text: string;
  readonly file: string;
  readonly name: string;
  /** What else the line shows as code: by one of them a function is reached that no line before names. */
  readonly links: readonly string[];
}

const line = /^\d+\. \[`(?<file>[^`]+)`\]\((?:\.\.\/)+(?<target>[^)]+)\) `(?<name>[^`]+)` – (?<about>.+)$/;

function stepOf(text: string): Step {
  const { file = '', target, name = '', about = '' } = line.exec(text)?.groups ?? {};
  if (file === '' || file !== target) throw new Error(`Not a line of a walk: ${text}`);
  return { text, file, name, links: [...about.matchAll(/`([^`]+)`/g)].map(([, code = '']) => lastName(code)) };
}

const walks = page
  .split(/^## /m)
  .slice(1)
  .map((section) => {
    const lines = section.replaceAll(/\n {3,}/g, ' ').split('\n');
    return { title: lines[0] ?? '', steps: lines.filter((each) => /^\d+\. /.test(each)).map(stepOf) };
  })
  .filter(({ steps }) => steps.length > 0);

const sources = new Map<string, SourceFile>();

function sourceOf(file: string): SourceFile {
  const source = sources.get(file) ?? readSource(file, readFileSync(join(root, file), 'utf8'));
  sources.set(file, source);
  return source;
}

const codeFiles = (): readonly string[] =>
  listFiles().filter((file) => /^(packages|widget|nodes)\/(.*\/)?(src|Newsletter)\/.*(?<!\.d)\.ts$/.test(file));

/** What is wrong with a line, and the nearest that exists; undefined where its file has its function. */
function problemOf({ file, name }: Step): string | undefined {
  const exists = existsSync(join(root, file));
  if (exists && findFunction(sourceOf(file), name)) return undefined;
  const all = codeFiles().flatMap((path) => sourceOf(path).functions.map((each) => ({ path, name: each.name })));
  const here = all.filter(({ path }) => path === file);
  const meant = nearMiss(
    name,
    here.map((each) => each.name),
  );
  const near = [
    all.filter((each) => each.name === name || each.name === meant),
    here.filter((each) => lastName(each.name) === lastName(name)),
    all.filter((each) => lastName(each.name) === lastName(name)),
    here,
    all.filter(({ path }) => basename(path) === basename(file)),
  ].find((found) => found.length > 0);
  const problem = exists ? `${file} has no ${name}` : `There is no ${file}`;
  const nearest = near?.slice(0, 5).map((each) => `${each.name} in ${each.path}`) ?? ['nothing has its name'];
  return `${problem}. The nearest: ${nearest.join(', ')}.`;
}

/**
 * Whether the code of a line leads to a later one: it names the function, or it has something that the later line shows
 * as code and that stands in the later line's file too, such as the type of an event.
 */
function leadsTo(from: Step, to: Step): boolean {
  const source = sourceOf(from.file);
  const start = findFunction(source, from.name);
  if (!start) return false;
  const parts = [reachedFrom(source, start), sourceOf(to.file)];
  const isIn = (link: string) => parts.every(({ names, words }) => names.has(link) || words.has(link.toLowerCase()));
  return parts[0]?.names.has(lastName(to.name)) === true || to.links.some(isIn);
}

it('has four walks of about ten lines, and a short one', () => {
  expect(walks.map(({ title }) => title)).toEqual([
    'A signup',
    'A call',
    'A poll of the n8n trigger',
    'A run of the contact sync',
    'A request to the sandbox',
  ]);
  for (const { title, steps } of walks) expect(steps.length, title).toBeLessThanOrEqual(13);
});

it.each(walks)('$title: its files and functions exist, and lead from one to the next', ({ steps }) => {
  expect(steps.flatMap((step) => problemOf(step) ?? [])).toEqual([]);
  const lost = steps.filter((step, at) => at > 0 && !steps.slice(0, at).some((before) => leadsTo(before, step)));
  expect(lost.map(({ file, name }) => `No line before it leads to ${name} in ${file}.`)).toEqual([]);
});

it.each([
  'admitted',
  'durable',
  'delivered',
  'confirmed',
  'waits for its turn',
  'renewed',
  'retried',
  'remembers its place',
  'compared',
  'Consent is noted first',
])('shows where something is %s', (place) => {
  expect(page.split(`**${place}**`)).toHaveLength(2);
});

it('answers twelve questions in at most three files each, which have what it names', () => {
  const answers = page.match(/^\| Why .+ \|$/gm) ?? [];
  expect(answers).toHaveLength(12);
  for (const answer of answers) {
    const files = [...answer.matchAll(/\[`([^`]+)`\]\([^)]+\): ([^<|]+)/g)];
    expect(files.length, answer).toBeGreaterThan(0);
    expect(files.length, answer).toBeLessThanOrEqual(3);
    for (const [, file = '', about = ''] of files) {
      const { names } = sourceOf(file);
      const named = [...about.matchAll(/`([^`]+)`/g)].map(([, name = '']) => name);
      expect(
        named.filter((name) => !names.has(name) && !names.has(name.replace('#', ''))),
        file,
      ).toEqual([]);
    }
  }
});

/** Which tests `npm run check` runs for the changed files, and which changes none of them reaches. */
import { isDocument, isTest, relatedTests, type ImportGraph } from './import-graph.ts';
import { isFast, runnerOf, type Runner } from './test-runners.ts';

/** The tests of a change. */
export interface ChosenTests {
  /** Files, the nearest to the change first, by the runner that they belong to. */
  readonly files: Readonly<Record<Runner, readonly string[]>>;
  /** How many fast files reach the change. */
  readonly related: number;
  /** Changed code that ships or builds, and that no chosen test reaches: each with the reason. */
  readonly unchecked: readonly string[];
  /** Changed tests, and code of tests alone, which only slow tests run. */
  readonly slow: readonly string[];
}

/** How many files of tests run for a change of few files. */
const mostFiles = 60;
/** The share of them for the room of the change. */
const ownShare = 2 / 3;

/** Each related test with the smallest distance to a changed file. */
type Distances = Map<string, number>;

/**
 * Every changed file gets its nearest test; then those of the changed rooms follow, and then each other room's in turn,
 * the nearest first.
 *
 * @param files - that changed
 */
export function chooseTests(graph: ImportGraph, files: readonly string[]): ChosenTests {
  const chosen = new Set<string>();
  const distances: Distances = new Map();
  const unchecked: string[] = [];
  const slow: string[] = [];
  for (const file of files) {
    const related = relatedTests(graph, file);
    const fast = related.filter((test) => isFast(test.file));
    for (const test of fast) distances.set(test.file, Math.min(test.distance, distances.get(test.file) ?? Infinity));
    const [nearest] = inOrder(new Map(fast.map((test) => [test.file, test.distance])), [file]);
    if (nearest) chosen.add(nearest);
    else if (isTestCode(file)) slow.push(file);
    else if (isCode(file) && !graph.typesOnly.has(file))
      unchecked.push(
        `${file} (${related[0] ? `only slow tests reach it: npm test -- ${related[0].file}` : 'no test reaches it'})`,
      );
  }
  const rooms = new Set(files.map(roomOf));
  const ordered = inOrder(distances, files);
  const own = ordered.filter((test) => rooms.has(roomOf(test)));
  for (const test of own) if (chosen.size < mostFiles * ownShare) chosen.add(test);
  const others = Map.groupBy(
    ordered.filter((test) => !rooms.has(roomOf(test))),
    roomOf,
  );
  const longest = Math.max(0, ...[...others.values()].map((tests) => tests.length));
  for (let turn = 0; turn < longest; turn += 1)
    for (const tests of others.values()) {
      const test = tests[turn];
      if (test && chosen.size < mostFiles) chosen.add(test);
    }
  const by = (runner: Runner): readonly string[] => [...chosen].filter((test) => runnerOf(test) === runner);
  return { files: { vitest: by('vitest'), widget: by('widget'), n8n: [] }, related: distances.size, unchecked, slow };
}

/** The nearest first; of equally near ones those whose paths have the most words of the changed files. */
function inOrder(distances: Distances, files: readonly string[]): string[] {
  const words = new Set(files.flatMap(wordsOf));
  const shared = (test: string): number => wordsOf(test).filter((word) => words.has(word)).length;
  return [...distances]
    .map(([test, distance]) => ({ test, distance, shared: shared(test) }))
    .toSorted((a, b) => a.distance - b.distance || b.shared - a.shared || a.test.localeCompare(b.test))
    .map(({ test }) => test);
}

function wordsOf(path: string): string[] {
  return path.replace(/\.\w+$/, '').split(/[/.]|(?<=[a-z])(?=[A-Z])|-/);
}

/** The folder of a package, or of a part of the tests that span packages. */
function roomOf(path: string): string {
  const parts = path.split('/');
  return /^(packages|test|examples)$/.test(parts[0] ?? '') ? parts.slice(0, 2).join('/') : (parts[0] ?? '');
}

/** What runs in a product, or builds one. */
function isCode(path: string): boolean {
  return !isDocument(path) && !isTestCode(path) && /\.([cm]?[jt]sx?|css|html|astro|vue|svelte|php|sh)$/.test(path);
}

function isTestCode(path: string): boolean {
  return isTest(path) || /(^|\/)test\//.test(path);
}

/** Which tests `npm run check` runs for the changed files, and which changes none of them reaches. */
import { isDocument, isTest, relatedTests, type ImportGraph, type RelatedTest } from './import-graph.ts';
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

/** How many files run for a change of few files. One in a browser takes as long as several others. */
const mostFiles: Readonly<Record<Runner, number>> = { vitest: 28, widget: 10, n8n: 0 };
/** The share of them for the room of the change. */
const ownShare = 2 / 3;
/**
 * How much farther than the nearest test others may be, in the room of the change and in other rooms: what reaches a
 * change over many files says little about it.
 */
const farther = { own: 4, other: 2 } as const;

/** Tests that start a browser take long, so one runs only where it is the nearest to a change. */
const startsBrowser = /^test\/(e2e|examples|widget)\//;

/**
 * Every changed file gets its nearest test; then those of the changed rooms follow, and then each other room's in turn,
 * the nearest first.
 *
 * @param files - that changed
 */
export function chooseTests(graph: ImportGraph, files: readonly string[]): ChosenTests {
  const chosen = new Set<string>();
  /** Each related test with the smallest distance to a changed file. */
  const distances = new Map<string, number>();
  const unchecked: string[] = [];
  const slow: string[] = [];
  for (const file of files) {
    const related = relatedTests(graph, file);
    const fast = inOrder(
      related.filter((test) => isFast(test.file)),
      [file],
    );
    const [nearest] = fast;
    if (nearest) {
      chosen.add(nearest.file);
      const isOwn = ({ file: test }: RelatedTest): boolean => roomOf(test) === roomOf(file);
      const own = (fast.find(isOwn) ?? nearest).distance + farther.own;
      for (const test of fast)
        if (test.distance <= (isOwn(test) ? own : nearest.distance + farther.other))
          distances.set(test.file, Math.min(test.distance, distances.get(test.file) ?? Infinity));
    } else if (isTestCode(file)) slow.push(file);
    else if (isCode(file) && !graph.typesOnly.has(file)) {
      const reason = related[0] ? `only slow tests reach it: npm test -- ${related[0].file}` : 'no test reaches it';
      unchecked.push(`${file} (${reason})`);
    }
  }
  const rooms = new Set(files.map(roomOf));
  const ordered = inOrder(
    [...distances].map(([file, distance]) => ({ file, distance })),
    files,
  );
  const byRunner = Map.groupBy(
    ordered.map(({ file }) => file),
    runnerOf,
  );
  const chosenFor = (runner: Runner): readonly string[] => {
    const tests = (byRunner.get(runner) ?? []).filter((test) => chosen.has(test) || !startsBrowser.test(test));
    const own = tests.filter((test) => rooms.has(roomOf(test)));
    const others = inTurn(
      Map.groupBy(
        tests.filter((test) => !rooms.has(roomOf(test))),
        roomOf,
      ),
    );
    const most = mostFiles[runner];
    const share = others.length > 0 ? Math.max(most * ownShare, most - others.length) : most;
    const added = [...own.slice(0, share), ...others].slice(0, most);
    return [...new Set([...tests.filter((test) => chosen.has(test)), ...added])];
  };
  return {
    files: { vitest: chosenFor('vitest'), widget: chosenFor('widget'), n8n: [] },
    related: distances.size,
    unchecked,
    slow,
  };
}

/** The first of each list, then the second of each, and so on. */
function inTurn(lists: ReadonlyMap<string, readonly string[]>): string[] {
  const longest = Math.max(0, ...[...lists.values()].map((list) => list.length));
  const turns = Array.from({ length: longest }, (_, turn) => [...lists.values()].flatMap((list) => list[turn] ?? []));
  return turns.flat();
}

/** The nearest first; of equally near ones those whose paths have the most words of the changed files. */
function inOrder(tests: readonly RelatedTest[], files: readonly string[]): readonly RelatedTest[] {
  const words = new Set(files.flatMap(wordsOf));
  const shared = (path: string): number => wordsOf(path).filter((word) => words.has(word)).length;
  return tests.toSorted(
    (a, b) => a.distance - b.distance || shared(b.file) - shared(a.file) || a.file.localeCompare(b.file),
  );
}

function wordsOf(path: string): string[] {
  return path.replace(/\.\w+$/, '').split(/[/.]|(?<=[a-z])(?=[A-Z])|-/);
}

/** The room of a file, or of what the file tests. */
function roomOf(path: string): string {
  const [, room = ''] = /^(?:packages\/|test\/)?([^/]+)/.exec(path) ?? [];
  return room === 'credentials' ? 'nodes' : room;
}

/** What runs in a product, or builds one. */
function isCode(path: string): boolean {
  return !isDocument(path) && !isTestCode(path) && /\.([cm]?[jt]sx?|css|html|astro|vue|svelte|php|sh)$/.test(path);
}

function isTestCode(path: string): boolean {
  return isTest(path) || /(^|\/)test\//.test(path);
}

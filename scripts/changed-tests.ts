/** Which tests `npm run check` runs for the changed files, and which changes none of them reaches. */
import { isTest, relatedTests, type ImportGraph, type RelatedTest } from './import-graph.ts';
import { isFast, runnerOf } from './test-runners.ts';
import { roomOf } from './weight.ts';

/** The tests of a change. */
export interface ChosenTests {
  /** Files, the nearest to the change first, by the runner that they belong to. */
  readonly files: Readonly<Record<keyof typeof mostFiles, readonly string[]>>;
  /** How many fast files reach the change. */
  readonly related: number;
  /** Changed code that ships or builds, and that no chosen test reaches: each with the reason. */
  readonly unchecked: readonly string[];
  /** Changed tests, and code of tests alone, which only slow tests run. */
  readonly slow: readonly string[];
}

/** How many files run for a change of few files. One in a browser takes as long as several others. */
const mostFiles = { vitest: 28, widget: 10 } as const;
/** The share of them for the room of the change. */
const ownShare = 2 / 3;
/**
 * How much farther than the nearest test others may be, in the room of the change and in other rooms: what reaches a
 * change over many files says little about it.
 */
const farther = { own: 4, other: 2 } as const;

/** Tests that start a browser take long, so one runs only where it is the nearest to a change. */
const startsBrowser = /^test\/(e2e|examples|widget)\//;

/** Documents, pictures, data and settings have checks of their own: links and words, formats, what reads them. */
const hasOwnCheck = /(\.(mdx?|txt|png|webp|jpe?g|gif|ico|svg|json|ya?ml|d\.ts)|(^|\/)(LICENSE|\.[\w-]+))$/;

/**
 * Every changed file gets its nearest test; then those of the changed rooms follow, and then each other room's in turn,
 * the nearest first.
 *
 * @param files - that changed
 */
export function chooseTests(graph: ImportGraph, files: readonly string[]): ChosenTests {
  const reached = files.map((file) => {
    const related = relatedTests(graph, file);
    return { file, near: nearTests(file, related), slow: related[0]?.file };
  });
  const near = inOrder(
    reached.flatMap((each) => each.near),
    files,
  );
  const tests = [...new Set(near.map(({ file }) => file))];
  const nearest = new Set(reached.flatMap((each) => each.near[0]?.file ?? []));
  const rooms = new Set(files.map(testedRoom));
  const chosenFor = (runner: keyof typeof mostFiles): readonly string[] => {
    const own = tests.filter((test) => runnerOf(test) === runner);
    const quick = own.filter((test) => nearest.has(test) || !startsBrowser.test(test));
    return [...new Set([...own.filter((test) => nearest.has(test)), ...fewOf(quick, rooms, mostFiles[runner])])];
  };
  const untested = reached.filter((each) => each.near.length === 0 && !graph.typesOnly.has(each.file));
  return {
    files: { vitest: chosenFor('vitest'), widget: chosenFor('widget') },
    related: tests.length,
    unchecked: untested.flatMap(({ file, slow }) => {
      const reason = slow ? `only slow tests reach it: npm test -- ${slow}` : 'no test reaches it';
      return isTestCode(file) || hasOwnCheck.test(file) ? [] : `${file} (${reason})`;
    }),
    slow: untested.map(({ file }) => file).filter(isTestCode),
  };
}

/** The fast tests that are hardly farther from a file than the nearest, in order. */
function nearTests(file: string, related: readonly RelatedTest[]): readonly RelatedTest[] {
  const fast = inOrder(
    related.filter((test) => isFast(test.file)),
    [file],
  );
  const isOwn = (test: RelatedTest): boolean => testedRoom(test.file) === testedRoom(file);
  const nearest = fast[0]?.distance ?? 0;
  const nearestOwn = fast.find(isOwn)?.distance ?? nearest;
  return fast.filter((test) => test.distance <= (isOwn(test) ? nearestOwn + farther.own : nearest + farther.other));
}

/** The first of the tests of these rooms, and the first of each other room. */
function fewOf(tests: readonly string[], rooms: ReadonlySet<string>, most: number): readonly string[] {
  const byRoom = Map.groupBy(tests, testedRoom);
  const own = tests.filter((test) => rooms.has(testedRoom(test)));
  const others = [...byRoom].flatMap(([room, each]) => (rooms.has(room) ? [] : [each]));
  // The first of each, then the second of each, and so on.
  const inTurn = tests.flatMap((_, turn) => others.flatMap((each) => each[turn] ?? []));
  const share = Math.max(inTurn.length > 0 ? most * ownShare : most, most - inTurn.length);
  return [...own.slice(0, share), ...inTurn].slice(0, most);
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
const testedRoom = (path: string): string => roomOf(path.replace(/^test\//, ''));

const isTestCode = (path: string): boolean => isTest(path) || /(^|\/)test\//.test(path);

/**
 * The steps of the rings: of `npm test`, of `.ci/run`, and of `npm run test:all`. `test/rings.ts` says which file of
 * tests stands in which ring.
 */
import { decidingSizes, filesOf } from '../test/rings.ts';
import { ensureChromium } from '../test/support/browsers/install-chromium.ts';
import { enginesToTest } from '../test/support/browsers/engines.ts';
import { installN8n, type N8nAge } from './n8n/install.ts';
import { buildAll } from './build.ts';
import { checkTypes, lintArguments, unusedArguments } from './checks.ts';
import { run, runScript } from './command.ts';
import { check, type Plan, type Step } from './run-steps.ts';
import { fastOnly, runVitest, testWidget } from './test-runs.ts';
import { readSelection, runnerOf } from './test-runners.ts';
import { UserError } from './user-error.mjs';

const format = check('Format', () => run('oxfmt', ['--check']));
const types = check('Types', checkTypes);
const rules = check('Lint', () => run('oxlint', lintArguments));
const unused = check('Unused code', () => run('knip', unusedArguments));
/** What `npm run lint` runs. */
export const lintSteps: Plan = [format, types, rules, unused];

const build = check('Build', buildAll);
const chromium = check('Chromium', async () => {
  console.log(await ensureChromium());
  return true;
});

const firstSteps: Plan = [
  // An error that breaks everything shows within a minute.
  [{ title: 'Tests of core', run: () => runVitest('core', ['--project', 'core', ...fastOnly]) }, chromium],
  [format, unused, types, build],
];

/** Projects that open pages. These, `packaging` and `chaos` run one file after the other, and mostly wait. */
const pageProjects = ['e2e', 'widget', 'examples'];
const only = (...names: readonly string[]): string[] => names.flatMap((name) => ['--project', name]);
const besides = (...names: readonly string[]): string[] => only(...names.map((name) => `!${name}`));

const lintAndSize = [rules, check('Size of the tag', () => runScript('widget', 'size'))];
const fastTests: Step = {
  title: 'Tests',
  run: () => runVitest('tests', [...besides('core', ...pageProjects), ...fastOnly]),
};
const fastPages: Step = {
  title: 'Tests of pages',
  run: () => runVitest('tests-of-pages', [...only(...pageProjects), ...fastOnly]),
};
const fastTag: Step = {
  title: 'Widget in Chromium',
  silent: true,
  run: () =>
    testWidget(
      enginesToTest(['chromium']),
      filesOf('fast').filter((file) => runnerOf(file) === 'widget'),
    ),
};

/** The fast ring: checks that run no product code, the build, and the fast tests, in Chromium alone. */
export const fastSteps: Plan = [...firstSteps, [lintAndSize, fastTests, fastPages, fastTag]];

const n8nInstallation = check('Installation of n8n', () => installN8n().then(() => true));

/**
 * @param selected - arguments of vitest; all tests where there are none
 * @param age - the newest n8n, or the oldest that the nodes support; `harness/setup.ts` reads the variable
 * @param sizes - variables that make tests shorter
 */
function n8nTests(
  selected: readonly string[] = [],
  age: N8nAge = 'newest',
  sizes: Readonly<Record<string, string>> = {},
): Step {
  return {
    title: age === 'newest' ? 'Tests in a real n8n' : 'Tests in the oldest supported n8n',
    run: () => runVitest('n8n', ['--config', 'test/n8n/vitest.config.ts', ...selected], { ...sizes, TEST_N8N: age }),
  };
}

function slowStep(title: string, args: readonly string[], sizes: Readonly<Record<string, string>>): Step {
  return { title, run: () => runVitest(title.toLowerCase().replaceAll(' ', '-'), args, sizes) };
}

/** The slow tests in parts. @param files - parts of paths @param sizes - variables that make tests shorter */
function slowTests(files: readonly string[] = ['.slow.test.ts'], sizes: Readonly<Record<string, string>> = {}) {
  const part = (title: string, projects: readonly string[]): Step => slowStep(title, [...files, ...projects], sizes);
  return {
    slow: part('Slow tests', besides(...pageProjects, 'packaging', 'chaos')),
    pages: part('Slow tests of pages', only(...pageProjects)),
    packages: part('Slow tests of packages', only('packaging')),
    chaos: part('Chaos tests', only('chaos')),
  };
}

const newcomerFile = 'test/docs/newcomer.slow.test.ts';
/**
 * Builds the site of the documentation, and writes pages of it that fast tests read: so it stands before them, and the
 * fast tests, which use every core, are the last to end.
 */
const siteFile = 'test/docs/layout.slow.test.ts';

/**
 * The deciding ring: the fast one, and the slow tests of promises that no faster test guards. Most of them take turns
 * with servers, browsers and disks: n8n computes for a quarter of its time, a newcomer too. So six sequences share two
 * cores, and none waits for another.
 */
export function decidingSteps(): Plan {
  const files = Map.groupBy(filesOf('deciding'), (path) =>
    path.startsWith('test/n8n/') ? 'n8n' : [newcomerFile, siteFile].includes(path) ? 'alone' : 'other',
  );
  const { slow, pages, packages, chaos } = slowTests(files.get('other'), decidingSizes);
  const site = slowStep('Layout of the documentation', [siteFile], decidingSizes);
  const newcomer = slowStep('Tests of a newcomer', [newcomerFile], decidingSizes);
  return [
    ...firstSteps,
    [
      [site, fastTests],
      [slow],
      [n8nInstallation, n8nTests(files.get('n8n'), 'newest', decidingSizes)],
      [fastPages, pages],
      [newcomer, ...lintAndSize, packages],
      [fastTag, chaos],
    ],
  ];
}

const { slow, pages, packages, chaos } = slowTests();
const engines: Step = { title: 'Widget in every engine', silent: true, run: () => testWidget(enginesToTest()) };
const n8n = n8nTests();

/** What `npm test` leaves out, in parts that GitHub runs as separate jobs: sequences of a similar length. */
const slowParts: ReadonlyMap<string, readonly (readonly Step[])[]> = new Map([
  [
    'slow',
    [
      [slow, chaos],
      [packages, pages],
    ],
  ],
  ['engines', [[engines]]],
  ['n8n', [[n8nInstallation, n8n]]],
]);

export const slowPartNames: readonly string[] = [...slowParts.keys()];

/**
 * Most of these tests wait for other processes, so all sequences run side by side.
 *
 * @param names - names of slow parts; all of them by default
 */
export function slowSteps(names: readonly string[] = slowPartNames): Plan {
  return [build, chromium, names.flatMap((name) => slowParts.get(name) ?? [])];
}

/** The tests in a real n8n. @param selected - arguments of vitest; all of the tests where there are none */
export function n8nSteps(selected: readonly string[], age: N8nAge): readonly Step[] {
  return [build, chromium, n8nTests(selected, age)];
}

/** Tests that use what is built; all others run from the sources. */
const needsBuild = /\btest\/(e2e|widget|examples|packaging|n8n)\/|^(e2e|widget|examples|packaging)$/;

/**
 * These tests alone, slow or not, each by the runner that it belongs to.
 *
 * @param args - paths of tests, or parts of them, and options of vitest
 * @throws UserError for a path that no runner has
 */
export async function selectedSteps(args: readonly string[]): Promise<readonly Step[]> {
  const { files, options } = await readSelection(args);
  const { vitest, widget, n8n } = files;
  if (widget.length > 0 && options.length > 0)
    throw new UserError(
      `The tests of the tag have a runner of their own, which does not know ${options.join(' ')}.`,
      'Leave the options of vitest out, or the paths below widget.',
    );
  const onlyOptions = vitest.length + widget.length + n8n.length === 0;
  const steps: Step[] = [];
  if (vitest.length > 0 || onlyOptions)
    steps.push({ title: 'Tests', run: () => runVitest('tests', [...vitest, ...options]) });
  if (widget.length > 0)
    steps.push({
      title: 'Tests of the tag',
      silent: true,
      run: () =>
        testWidget(enginesToTest(process.env['WIDGET_ENGINES']?.split(',').filter(Boolean) ?? ['chromium']), widget),
    });
  if (n8n.length > 0) steps.push(n8nInstallation, n8nTests([...n8n, ...options]));
  const built = [...vitest, ...n8n, ...(onlyOptions ? options : [])].some((each) => needsBuild.test(each));
  return [...(built ? [build] : []), chromium, ...steps];
}

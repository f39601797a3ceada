/**
 * The steps of `npm test`, and those that `npm run test:all` adds: the files named `*.slow.test.ts`, every browser
 * engine and the real n8n.
 */
import { ensureChromium } from '../test/support/browsers/install-chromium.ts';
import { enginesToTest } from '../test/support/browsers/engines.ts';
import { installN8n, type N8nAge } from './n8n/install.ts';
import { buildAll } from './build.ts';
import { checkFormat, checkSize, checkTypes, findUnused, lint } from './checks.ts';
import { check, type Plan, type Step, type StepOutcome } from './run-steps.ts';
import { fastOnly, retryFailedFiles, runVitest, slowOnly, testWidget, testWidgetFast } from './test-runs.ts';

const build = check('Build', buildAll);
const chromium = check('Chromium', async () => {
  console.log(await ensureChromium());
  return true;
});

/**
 * Checks that run no product code, the build, and the tests that are not slow, in Chromium alone. The tests of core
 * come first: an error that breaks everything shows within a minute.
 */
export const fastSteps: Plan = [
  [{ title: 'Tests of core', run: () => runVitest('core', ['--project', 'core', ...fastOnly]) }, chromium],
  [check('Format', checkFormat), check('Unused code', findUnused), check('Types', checkTypes), build],
  [check('Lint', lint), check('Size of the tag', checkSize)],
  [
    { title: 'Tests', run: () => runVitest('tests', ['--project', '!core', ...fastOnly]) },
    // Mostly idle: it waits for the browser and for timers.
    { title: 'Widget in Chromium', silent: true, run: () => testWidgetFast(enginesToTest(['chromium'])) },
  ],
];

/** @param age - the newest n8n, or the oldest that the nodes support; `harness/setup.ts` reads the variable */
function n8nTests(selected: readonly string[], age: N8nAge = 'newest'): Step {
  const title = age === 'newest' ? 'Tests in a real n8n' : 'Tests in the oldest supported n8n';
  const run = (files: readonly string[]): Promise<StepOutcome> =>
    runVitest('n8n', ['--config', 'test/n8n/vitest.config.ts', ...files], { TEST_N8N: age });
  return { title, run: () => retryFailedFiles(run, selected) };
}

/** Projects that drive browsers, one file after the other. */
const pageProjects = ['e2e', 'widget', 'examples'];

/** Every other project has its slow tests in the step "Slow tests". */
const separateProjects = [...pageProjects, 'packaging', 'chaos'];

/** @param name - of the report */
function slowTests(name: string, projects: readonly string[], files = slowOnly): Promise<StepOutcome> {
  return runVitest(name, [...files, ...projects.flatMap((project) => ['--project', project])]);
}

const slow: Step = {
  title: 'Slow tests',
  run: () =>
    slowTests(
      'slow-tests',
      separateProjects.map((name) => `!${name}`),
    ),
};
const pages: Step = {
  title: 'Slow tests of pages',
  run: () => retryFailedFiles((files) => slowTests('slow-page-tests', pageProjects, files), slowOnly),
};
const packages: Step = { title: 'Slow tests of packages', run: () => slowTests('slow-package-tests', ['packaging']) };
const chaos: Step = { title: 'Chaos tests', run: () => slowTests('chaos-tests', ['chaos']) };
const engines: Step = { title: 'Widget in every engine', silent: true, run: () => testWidget(enginesToTest()) };
const n8n = n8nTests([]);

const n8nInstallation = check('Installation of n8n', () =>
  installN8n().then(
    () => true,
    (error: unknown) => {
      console.error(error);
      return false;
    },
  ),
);

/** What `npm test` leaves out, in parts that CI can run as separate jobs. */
const slowParts: ReadonlyMap<string, readonly Step[]> = new Map([
  ['slow', [slow, pages, packages, chaos]],
  ['engines', [engines]],
  ['n8n', [n8nInstallation, n8n]],
]);

export const slowPartNames: readonly string[] = [...slowParts.keys()];

/**
 * Most of these tests wait for other processes, so three sequences of a similar length run side by side.
 *
 * @param names - names of slow parts; all of them by default
 */
export function slowSteps(names: readonly string[] = slowPartNames): Plan {
  const chosen = new Set(names.flatMap((name) => slowParts.get(name) ?? []));
  const sequences = [
    [slow, chaos],
    [n8nInstallation, n8n],
    [packages, pages, engines],
  ];
  return [build, chromium, sequences.map((steps) => steps.filter((step) => chosen.has(step)))];
}

/** The tests in a real n8n. @param selected - arguments of vitest; all of the tests where there are none */
export function n8nSteps(selected: readonly string[], age: N8nAge): readonly Step[] {
  return [build, chromium, n8nTests(selected, age)];
}

/** Projects whose tests use what is built; all others run from the sources. */
const builtProjects = /\b(e2e|widget|examples|packaging)\b/;

/** These tests alone, slow or not. @param selected - arguments of vitest, such as the beginning of a path */
export function selectedSteps(selected: readonly string[]): readonly Step[] {
  const tests: Step = { title: 'Tests', run: () => runVitest('tests', selected) };
  return builtProjects.test(selected.join(' ')) ? [build, chromium, tests] : [chromium, tests];
}

/** Runs the widget's browser tests and reads their report. */
import { join } from 'node:path';
import type { Engine } from '../../test/support/browsers/engines.ts';
import { root } from '../chain/root.ts';
import { run, type RunOptions } from './command.ts';
import type { Outcome } from './outcome.ts';
import { reported } from './report.ts';

const widget = join(root, 'widget');

/**
 * The sources and the built files, in these engines, without the files named `*.slow.test.ts`. The output is printed
 * only if something fails.
 */
export function testWidgetFast(engines: readonly Engine[]): Promise<Outcome> {
  return runTests(engines, { env: { WIDGET_TESTS: 'fast' }, quiet: true });
}

/** All tests of the sources and the built files. The output is printed only if something fails. */
export function testWidget(engines: readonly Engine[]): Promise<Outcome> {
  return runTests(engines, { quiet: true });
}

async function runTests(
  engines: readonly Engine[],
  { env, quiet = false }: Pick<RunOptions, 'env' | 'quiet'> = {},
): Promise<Outcome> {
  const runner = join(widget, 'node_modules', '.bin', process.platform === 'win32' ? 'wtr.cmd' : 'wtr');
  const config = join(root, 'scripts', 'steps', 'reported-widget-tests.mjs');
  const outcome = await reported('widget', (file) => {
    const names = engines.map(({ name }) => name).join(',');
    const settings = { TEST_REPORT: file, WIDGET_ENGINES: names, ...env };
    return run(runner, ['--config', config], { cwd: widget, env: settings, quiet, limit: 20 });
  });
  return { ...outcome, ok: outcome.ok && outcome.passed > 0 };
}

/** Runs the widget's browser tests, and reads how many passed and failed and what the failures were. */
import { join } from 'node:path';
import type { Engine } from '../browsers/engines.ts';
import { root } from '../chain/root.ts';
import { run, type RunOptions } from './command.ts';
import type { Outcome } from './outcome.ts';
import { reported } from './report.ts';

const widget = join(root, 'widget');

/**
 * The sources on Lit and the built files, in these engines, without the files named `*.slow.test.ts`. The output is
 * printed only if something fails.
 */
export function testWidgetFast(engines: readonly Engine[]): Promise<Outcome> {
  return runOnce('web-test-runner.config.mjs', engines, { env: { WIDGET_TESTS: 'fast' }, quiet: true });
}

/** All of it; then the sources on the base that the one-file script has in Lit's place, in Chromium. */
export async function testWidget(engines: readonly Engine[]): Promise<Outcome> {
  const onLit = await runOnce('web-test-runner.config.mjs', engines);
  const onBase = await runOnce('web-test-runner.small.config.mjs', engines.slice(0, 1));
  return {
    ok: onLit.ok && onBase.ok,
    passed: onLit.passed + onBase.passed,
    failed: onLit.failed + onBase.failed,
    failures: [...onLit.failures, ...onBase.failures],
  };
}

async function runOnce(
  configuration: string,
  engines: readonly Engine[],
  { env, quiet = false }: Pick<RunOptions, 'env' | 'quiet'> = {},
): Promise<Required<Outcome>> {
  const runner = join(widget, 'node_modules', '.bin', process.platform === 'win32' ? 'wtr.cmd' : 'wtr');
  const config = join(root, 'scripts', 'steps', 'reported-widget-tests.mjs');
  const outcome = await reported('widget', (file) => {
    const names = engines.map(({ name }) => name).join(',');
    const settings = { TEST_REPORT: file, WIDGET_CONFIG: configuration, WIDGET_ENGINES: names, ...env };
    return run(runner, ['--config', config], { cwd: widget, env: settings, quiet, limit: 20 });
  });
  return { ...outcome, ok: outcome.ok && outcome.passed > 0 };
}

/** Runs the widget's browser tests, and reads how many passed and failed and what the failures were. */
import { join } from 'node:path';
import type { Engine, EngineName } from '../browsers/engines.ts';
import { root } from '../chain/root.ts';
import { run } from './command.ts';
import type { Outcome } from './outcome.ts';
import { reported } from './report.ts';

const widget = join(root, 'widget');

interface Run {
  readonly configuration: string;
  readonly engines: readonly EngineName[];
}

/** The sources on Lit and the built files, in every engine; then the sources on the base that the one-file script has in Lit's place. */
export async function testWidget(engines: readonly Engine[]): Promise<Outcome> {
  const runs: readonly Run[] = [
    { configuration: 'web-test-runner.config.mjs', engines: engines.map(({ name }) => name) },
    { configuration: 'web-test-runner.small.config.mjs', engines: ['chromium'] },
  ];
  let all: Required<Outcome> = { ok: true, passed: 0, failed: 0, failures: [] };
  for (const each of runs) {
    const { ok, passed, failed, failures } = await runOnce(each);
    all = {
      ok: all.ok && ok && passed > 0,
      passed: all.passed + passed,
      failed: all.failed + failed,
      failures: [...all.failures, ...failures],
    };
  }
  return all;
}

function runOnce({ configuration, engines }: Run): Promise<Required<Outcome>> {
  const runner = join(widget, 'node_modules', '.bin', process.platform === 'win32' ? 'wtr.cmd' : 'wtr');
  const config = join(root, 'scripts', 'steps', 'reported-widget-tests.mjs');
  return reported('widget', (file) => {
    const env = { TEST_REPORT: file, WIDGET_CONFIG: configuration, WIDGET_ENGINES: engines.join(',') };
    return run(runner, ['--config', config], { cwd: widget, env, limit: 20 });
  });
}

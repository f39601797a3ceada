/** Runs the widget's browser tests and reads from its report how many passed and failed. */
import { mkdir, readFile, rm } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import type { Engine, EngineName } from '../browsers/engines.ts';
import { root } from '../chain/root.ts';
import { run } from './command.ts';
import type { Outcome } from './outcome.ts';

const widget = join(root, 'widget');
const report = join(root, '.cache', 'reports', 'widget.json');

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
  let all: Required<Outcome> = { ok: true, passed: 0, failed: 0 };
  for (const each of runs) {
    const { ok, passed, failed } = await runOnce(each);
    all = { ok: all.ok && ok && passed > 0, passed: all.passed + passed, failed: all.failed + failed };
  }
  return all;
}

async function runOnce({ configuration, engines }: Run): Promise<Required<Outcome>> {
  await mkdir(dirname(report), { recursive: true });
  await rm(report, { force: true });
  const runner = join(widget, 'node_modules', '.bin', process.platform === 'win32' ? 'wtr.cmd' : 'wtr');
  const config = join(root, 'scripts', 'steps', 'counted-widget-tests.mjs');
  const env = { WIDGET_REPORT: report, WIDGET_CONFIG: configuration, WIDGET_ENGINES: engines.join(',') };
  const ok = await run(runner, ['--config', config], { cwd: widget, env, limit: 8 });
  const counts: unknown = JSON.parse(await readFile(report, 'utf8').catch(() => '{}'));
  const { passed = 0, failed = 0 } = counts as { passed?: number; failed?: number };
  return { ok, passed, failed };
}

/** Runs the widget's browser tests and reads from its report how many passed and failed. */
import { mkdir, readFile, rm } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { root } from '../chain/root.ts';
import { run } from './command.ts';
import type { Outcome } from './outcome.ts';

const widget = join(root, 'widget');
const report = join(root, '.cache', 'reports', 'widget.json');

/** The sources on Lit, then once more on the base that the one-file script has in its place. */
const configurations = ['web-test-runner.config.mjs', 'web-test-runner.small.config.mjs'] as const;

export async function testWidget(): Promise<Outcome> {
  let all: Required<Outcome> = { ok: true, passed: 0, failed: 0 };
  for (const configuration of configurations) {
    const { ok, passed, failed } = await runOnce(configuration);
    all = { ok: all.ok && ok && passed > 0, passed: all.passed + passed, failed: all.failed + failed };
  }
  return all;
}

async function runOnce(configuration: (typeof configurations)[number]): Promise<Required<Outcome>> {
  await mkdir(dirname(report), { recursive: true });
  await rm(report, { force: true });
  const runner = join(widget, 'node_modules', '.bin', process.platform === 'win32' ? 'wtr.cmd' : 'wtr');
  const config = join(root, 'scripts', 'steps', 'counted-widget-tests.mjs');
  const ok = await run(runner, ['--config', config], { cwd: widget, env: { WIDGET_REPORT: report, WIDGET_CONFIG: configuration }, limit: 5 });
  const counts: unknown = JSON.parse(await readFile(report, 'utf8').catch(() => '{}'));
  const { passed = 0, failed = 0 } = counts as { passed?: number; failed?: number };
  return { ok, passed, failed };
}

/**
 * Runs the measurements one after the other, each in a process of its own against the built packages, and prints a
 * table.
 */
import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { availableParallelism, cpus, loadavg } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { measurements, type Goal, type Measurement } from './measurements.ts';
import type { Figure } from './figure.ts';
import { root } from '../../scripts/root.ts';

/** Exists once the tests in a real n8n have installed it. */
const n8n = join(root, 'test', 'n8n', 'host', 'node_modules', '.installed');

/** Time limit of one measurement, in minutes. */
const limit = 10;

export async function printFigures(): Promise<void> {
  console.log(
    `\nNode ${process.versions.node}, ${availableParallelism()} × ${cpus()[0]?.model.trim() ?? 'unknown processor'}, load ${loadavg()[0]?.toFixed(1)}\n`,
  );
  for (const measurement of measurements) {
    if (measurement.needs === 'n8n' && !existsSync(n8n)) {
      for (const { title } of Object.values(measurement.goals))
        console.log(`– left out ${title} (n8n is not installed: npm run test:n8n)`);
      continue;
    }
    const figures = await measure(measurement);
    for (const [name, goal] of Object.entries(measurement.goals)) console.log(line(goal, figures[name]));
  }
}

/** The figures; none where the measurement failed, with the reason printed. */
async function measure({ script }: Measurement): Promise<Readonly<Record<string, Figure>>> {
  try {
    const file = join(root, 'test', 'bench', script);
    const { stdout } = await promisify(execFile)(process.execPath, ['--disable-warning=ExperimentalWarning', file], {
      cwd: join(root, 'test'),
      timeout: limit * 60_000,
    });
    return JSON.parse(stdout) as Record<string, Figure>;
  } catch (error) {
    console.error(`✗ ${script} failed: ${error instanceof Error ? error.message : String(error)}`);
    return {};
  }
}

function line({ title, unit, must }: Goal, figure: Figure | undefined): string {
  const measured = figure ? `${round(figure.value)} ${unit}` : 'not measured';
  const { reached, sign, bound } = judge(must, figure?.value ?? Number.NaN);
  const verdict = !figure ? '✗ failed' : reached ? '✓ reached' : '✗ short';
  return `${verdict.padEnd(10)} ${title.padEnd(76)} ${measured.padStart(10)}  (goal ${sign} ${bound} ${unit})${figure ? `\n${' '.repeat(11)}${figure.detail}` : ''}`;
}

function judge(must: Goal['must'], value: number): { reached: boolean; sign: string; bound: number } {
  if ('below' in must) return { reached: value < must.below, sign: '<', bound: must.below };
  if ('atMost' in must) return { reached: value <= must.atMost, sign: '≤', bound: must.atMost };
  return { reached: value >= must.atLeast, sign: '≥', bound: must.atLeast };
}

const round = (value: number): string => (value < 10 ? value.toFixed(2) : String(Math.round(value)));

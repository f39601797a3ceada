/** A real Prometheus on a free port of loopback, with its data in a temporary folder. */
import { execFile, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { onTestFinished } from 'vitest';
import { freePort } from '../../../../test/support/free-ports.ts';
import { scratchFolder } from '../../../../test/support/scratch-folder.ts';
import { waitUntil } from '../../../../test/support/waits.ts';
import { operatorToken } from '../running-relay.ts';

const missing = ['prometheus', 'promtool'].filter((program) => spawnSync(program, ['--version']).status !== 0);

/** In CI it must be there; elsewhere tests that need it are skipped. */
export const hasPrometheus = missing.length === 0 || Boolean(process.env['CI']);

/** @throws where it ends with another code than 0, with what it printed */
export async function promtool(...args: readonly string[]): Promise<string> {
  checkInstalled();
  const { stdout } = await promisify(execFile)('promtool', args).catch((cause: unknown) => {
    const { stdout = '', stderr = '' } = cause as { stdout?: string; stderr?: string };
    throw new Error(`promtool ${args.join(' ')} failed:\n${stdout}${stderr}`, { cause });
  });
  return stdout;
}

/** A series and its value. */
export interface Sample {
  readonly metric: Readonly<Record<string, string>>;
  readonly value: readonly [at: number, value: string];
}

/** An alert that is pending or firing. */
export interface ActiveAlert {
  readonly labels: Readonly<Record<string, string>>;
  readonly annotations: Readonly<Record<string, string>>;
  readonly state: 'pending' | 'firing';
}

export interface Prometheus {
  query(expression: string): Promise<readonly Sample[]>;
  alerts(): Promise<readonly ActiveAlert[]>;
}

/**
 * Starts one that scrapes twice a second and evaluates its rules as often.
 *
 * @param rules - content of a rules file
 * @param targets - `host:port` of each relay, which has the operator token of the tests
 */
export async function startPrometheus(rules: string, targets: readonly string[]): Promise<Prometheus> {
  checkInstalled();
  const folder = scratchFolder();
  const port = await freePort();
  writeFileSync(join(folder, 'rules.yml'), rules);
  writeFileSync(join(folder, 'newsletter-relay-token'), `${operatorToken}\n`);
  writeFileSync(
    join(folder, 'prometheus.yml'),
    JSON.stringify({
      global: { scrape_interval: '500ms', scrape_timeout: '500ms', evaluation_interval: '500ms' },
      rule_files: ['rules.yml'],
      scrape_configs: [
        {
          job_name: 'newsletter-relay',
          // As the page on monitoring has it.
          authorization: { credentials_file: 'newsletter-relay-token' },
          static_configs: [{ targets }],
        },
      ],
    }),
  );
  const child = spawn(
    'prometheus',
    [
      `--config.file=${join(folder, 'prometheus.yml')}`,
      `--storage.tsdb.path=${join(folder, 'data')}`,
      `--web.listen-address=127.0.0.1:${port}`,
      '--log.level=warn',
    ],
    { cwd: folder, stdio: ['ignore', 'ignore', 'pipe'] },
  );
  let log = '';
  child.stderr.setEncoding('utf8').on('data', (text: string) => (log += text));
  const ended = once(child, 'close');
  onTestFinished(async () => {
    child.kill('SIGKILL');
    await ended;
  });
  const address = `http://127.0.0.1:${port}`;
  await waitUntil(
    'Prometheus is ready, or ends',
    async () => child.exitCode !== null || (await fetch(`${address}/-/ready`)).ok,
  );
  if (child.exitCode !== null) throw new Error(`Prometheus ended:\n${log}`);

  async function get(path: string): Promise<unknown> {
    const answer = (await (await fetch(`${address}/api/v1/${path}`)).json()) as {
      status: string;
      data: unknown;
      error?: string;
    };
    if (answer.status !== 'success') throw new Error(`Prometheus refused ${path}: ${answer.error ?? ''}`);
    return answer.data;
  }
  return {
    async query(expression) {
      const { result } = (await get(`query?query=${encodeURIComponent(expression)}`)) as { result: Sample[] };
      return result;
    },
    async alerts() {
      return ((await get('alerts')) as { alerts: ActiveAlert[] }).alerts;
    },
  };
}

function checkInstalled(): void {
  if (missing.length > 0)
    throw new Error(
      `This test needs ${missing.join(' and ')}, which is not on the path. Install it (Debian: "sudo apt-get install prometheus").`,
    );
}

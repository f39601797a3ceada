/**
 * The first runs of installers and builds print progress on stderr alone, so that a program that calls them can print
 * its result on stdout.
 */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { rm, writeFile } from 'node:fs/promises';
import { delimiter, join } from 'node:path';
import { text } from 'node:stream/consumers';
import { pathToFileURL } from 'node:url';
import { expect, it, onTestFinished } from 'vitest';
import { root } from '../../scripts/root.ts';
import { npmVersion } from '../support/browsers/find.ts';
import { isNpmChromiumPossible } from '../support/browsers/npm-chromium.ts';
import { copyRepository, copyWithoutDependencies } from '../support/repository-copy.ts';
import { scratchFolder } from '../support/scratch-folder.ts';

const result = '{"figure":1}\n';

/** Runs a program in a terminal that has no tools of this repository. */
async function run(args: readonly string[]) {
  const path = (process.env['PATH'] ?? '').split(delimiter).filter((entry) => !entry.startsWith(root));
  const { NODE_OPTIONS: _options, VITEST: _vitest, NODE_ENV: _mode, ...env } = process.env;
  const program = spawn(process.execPath, args, {
    stdio: ['ignore', 'pipe', 'pipe'],
    env: { ...env, PATH: [join(root, 'node_modules/.bin'), ...path].join(delimiter) },
  });
  const [stdout, stderr, [code]] = await Promise.all([
    text(program.stdout),
    text(program.stderr),
    once(program, 'close') as Promise<[number | null]>,
  ]);
  return { code, stdout, stderr };
}

/** Calls a function of a file and prints a result. */
function call(file: string, name: string, ...args: readonly unknown[]) {
  const code = `import { ${name} } from ${JSON.stringify(pathToFileURL(file))};
await ${name}(${args.map((arg) => JSON.stringify(arg)).join(', ')});
process.stdout.write(${JSON.stringify(result)});`;
  return run(['--conditions=@newsletter-kit/source', '--input-type=module', '--eval', code]);
}

async function removedAfterwards(folder: Promise<string>): Promise<string> {
  const copy = await folder;
  onTestFinished(() => rm(copy, { recursive: true, force: true, maxRetries: 5 }));
  return copy;
}

it('of a program with a lockfile of its own', async () => {
  const folder = scratchFolder();
  await writeFile(join(folder, 'package.json'), '{ "private": true }\n');
  await writeFile(join(folder, 'pnpm-workspace.yaml'), "packages: ['.']\n");
  await writeFile(join(folder, 'pnpm-lock.yaml'), "lockfileVersion: '9.0'\nimporters:\n  .: {}\n");
  const file = join(root, 'scripts/n8n/locked.ts');
  const ended = await call(file, 'installLocked', { folder, title: 'nothing', needs: 'the npm registry' });
  expect(ended).toEqual({ code: 0, stdout: result, stderr: expect.stringMatching(/▸ Installing nothing\n.*✓ Inst/s) });
});

it.skipIf(!isNpmChromiumPossible)('of the Chromium from npm', async () => {
  const file = join(root, 'test/support/browsers/npm-chromium.ts');
  const ended = await call(file, 'installNpmChromium', npmVersion, join(scratchFolder(), 'chromium'));
  expect(ended).toEqual({ code: 0, stdout: result, stderr: expect.stringContaining('▸ Fetching Chromium') });
});

it('of the builds', async () => {
  const copy = await removedAfterwards(copyRepository('first-run'));
  const ended = await call(join(copy, 'scripts/build.ts'), 'buildIfStale', 'n8n');
  expect(ended).toEqual({ code: 0, stdout: result, stderr: expect.stringMatching(/▸ Building the tag\n.*n8n nodes/s) });
});

it('of a command in a fresh clone', async () => {
  const copy = await removedAfterwards(copyWithoutDependencies());
  const ended = await run([join(copy, 'scripts/run.mjs'), 'newsletter', '--version']);
  expect(ended).toEqual({
    code: 0,
    stdout: expect.stringMatching(/^\d+\.\d+\.\d+\n$/),
    stderr: expect.stringContaining('▸ Installing'),
  });
});

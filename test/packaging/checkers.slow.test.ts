/**
 * The published packages pass publint (manifest) and are-the-types-wrong (types).
 */
import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { checkPackage, createPackageFromTarballData } from '@arethetypeswrong/core';
import { publint } from 'publint';
import { formatMessage } from 'publint/utils';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { publishedPackages } from '../../scripts/pack.ts';
import { packPackages } from './installed.ts';

let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'newsletter-checked-'));
  await packPackages(folder);
});
afterAll(() => rm(folder, { recursive: true, force: true }));

async function tarball(name: string): Promise<Uint8Array<ArrayBuffer>> {
  const file = (await readdir(folder)).find((path) => path.startsWith(`newsletter-kit-${name}-`));
  if (!file) throw new Error(`${name} was not packed.`);
  return new Uint8Array(await readFile(join(folder, file)));
}

describe.each(publishedPackages.map(({ name }) => name))('%s', (name) => {
  it('passes publint', async () => {
    const { messages, pkg } = await publint({
      pack: { tarball: (await tarball(name)).buffer },
      level: 'suggestion',
      strict: true,
    });
    expect(messages.map((message) => formatMessage(message, pkg))).toEqual([]);
  });

  it('has types that resolve like its code in every module resolution', async () => {
    // A style sheet has no types.
    const checked = await checkPackage(createPackageFromTarballData(await tarball(name)), {
      excludeEntrypoints: [/\.css$/],
    });
    if (!checked.types) throw new Error('The package has no types.');
    // Only core has CommonJS beside its ES modules; what the resolution before `exports` sees is out of scope.
    const outOfScope = name === 'core' ? ['node10'] : ['node10', 'node16-cjs'];
    const problems = checked.problems.filter(
      (problem) => !('resolutionKind' in problem && outOfScope.includes(problem.resolutionKind)),
    );
    expect(problems).toEqual([]);
  });
});

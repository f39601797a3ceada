/**
 * `npm run generate`: writes every file of the repository that follows from others, and says which of them changed. A
 * test in each room compares them. Not here is what needs a build or a browser: the reference, which the build of the
 * documentation writes, `custom-elements.json`, and snapshots.
 */
import { mkdir, readFile, rm, writeFile } from 'node:fs/promises';
import { registerHooks } from 'node:module';
import { dirname, join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { NoResult, resultOf, sendResult } from './result-channel.ts';
import { root } from './root.ts';
import { UserError } from './user-error.mjs';

/** The text of each file by its path from the root; null for a file that must not exist. */
export type GeneratedFiles = Readonly<Record<string, string | null>>;

/** Modules that export `generate()`, in an order in which each finds its own sources up to date. */
const generators = [
  'packages/core/scripts/generate.ts',
  'packages/core/test/signup/histories/page.ts',
  'packages/sandbox/test/option-table.ts',
  'packages/cli/test/command-tables.ts',
  'widget/scripts/attribute-types.ts',
  'widget/scripts/readme.ts',
  'widget/scripts/relay-pages.ts',
  'test/nodes/generated.ts',
  'test/docs/generated.ts',
  'scripts/weight-ledger.ts',
] as const;

const warnings = ['ExperimentalWarning', 'MODULE_TYPELESS_PACKAGE_JSON'];
const execArgv = ['--conditions=@newsletter-kit/source', ...warnings.map((code) => `--disable-warning=${code}`)];

/** @throws UserError where a generator fails */
export async function generate(): Promise<boolean> {
  const changed: string[] = [];
  for (const generator of generators) changed.push(...(await writeChanged(await filesOf(generator))));
  console.log(changed.length > 0 ? changed.join('\n') : 'nothing changed');
  return true;
}

/** A process for each: a module that an earlier generator wrote must not be in memory already. */
async function filesOf(generator: string): Promise<GeneratedFiles> {
  try {
    return await resultOf<GeneratedFiles>(import.meta.filename, [generator], { execArgv });
  } catch (error) {
    if (!(error instanceof NoResult)) throw error;
    throw new UserError(
      `${generator} could not generate its files.`,
      'The reason is above; mend it and run this again.',
    );
  }
}

/**
 * Writes the files that differ.
 *
 * @returns a line for each of them
 */
export async function writeChanged(files: GeneratedFiles, folder = root): Promise<readonly string[]> {
  const lines: string[] = [];
  for (const [path, text] of Object.entries(files)) {
    const file = join(folder, path);
    const before = await readFile(file, 'utf8').catch(() => null);
    if (before === text) continue;
    if (text === null) await rm(file);
    else {
      await mkdir(dirname(file), { recursive: true });
      await writeFile(file, text);
    }
    lines.push(`${text === null ? 'deleted' : 'wrote'} ${path}`);
  }
  return lines;
}

if (import.meta.main) {
  // The ES modules of n8n-workflow do not load in Node; its CommonJS modules do.
  registerHooks({
    resolve: (name, context, next) =>
      next(name, name === 'n8n-workflow' ? { ...context, conditions: ['node', 'require'] } : context),
  });
  const module = (await import(pathToFileURL(join(root, process.argv[2] ?? '')).href)) as {
    generate(): GeneratedFiles | Promise<GeneratedFiles>;
  };
  sendResult(await module.generate());
}

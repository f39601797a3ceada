/**
 * Checks the size of the built files against size.json, to the byte: growth and shrinking both belong into a diff.
 * `npm run size` checks, `npm run size -- --write` writes the file anew. Never lets a file over its goal.
 */
import { readdir, readFile, writeFile } from 'node:fs/promises';
import { brotliCompressSync, constants } from 'node:zlib';

interface Size {
  readonly bytes: number;
  readonly brotli: number;
  /** The most it may take with brotli; null where only growth is to be seen. */
  readonly goal: number | null;
}

const dist = new URL('../dist/', import.meta.url);
const record = new URL('../size.json', import.meta.url);

const read = (file: string): Promise<string> => readFile(new URL(file, dist), 'utf8');
const scripts = async (folder: string): Promise<readonly string[]> =>
  (await readdir(new URL(folder, dist))).filter((file) => file.endsWith('.js')).sort();

const atOnce = /(?:from|import)\s*"\.\/([^"]+)"/g;
const atOnceOrLater = /(?:from|import)\s*\(?"\.\/([^"]+)"/g;

/** A module of ours and all that it loads, beside Lit. */
async function closure(
  file: string,
  imports: RegExp,
  known: ReadonlySet<string> = new Set(),
): Promise<ReadonlySet<string>> {
  if (known.has(file)) return known;
  let files: ReadonlySet<string> = new Set([...known, file]);
  for (const [, name = ''] of (await read(file)).matchAll(imports)) files = await closure(name, imports, files);
  return files;
}

async function measure(files: readonly string[], goal: number | null): Promise<Size> {
  const contents = await Promise.all(files.map(async (file) => Buffer.from(await read(file))));
  const brotli = contents.map((content) =>
    brotliCompressSync(content, { params: { [constants.BROTLI_PARAM_QUALITY]: 11 } }),
  );
  const sum = (buffers: readonly Buffer[]): number => buffers.reduce((total, { length }) => total + length, 0);
  return { bytes: sum(contents), brotli: sum(brotli), goal };
}

/** Of files that few visitors need. */
const goals: Readonly<Record<string, number>> = {
  'ask.js': 1500,
  'dialog.js': 1500,
  'proof.js': 1500,
  'doctor.js': 2500,
};

const modules = (await scripts('.')).filter((file) => file !== 'newsletter-signup.js');
const sizes: Readonly<Record<string, Size>> = {
  // Everything in one file, for a script tag.
  script: await measure(['newsletter-signup.js'], 14_000),
  // What a page with a bundler loads before it shows a form, beside Lit; and that with all that may follow.
  npm: await measure([...(await closure('index.js', atOnce))], 4000),
  'npm, all of it': await measure([...(await closure('index.js', atOnceOrLater))], null),
  ...Object.fromEntries(
    await Promise.all(modules.map(async (file) => [file, await measure([file], goals[file] ?? null)] as const)),
  ),
  ...Object.fromEntries(
    await Promise.all(
      (await scripts('languages/')).map(
        async (file) => [`languages/${file}`, await measure([`languages/${file}`], 500)] as const,
      ),
    ),
  ),
};

for (const [name, { bytes, brotli, goal }] of Object.entries(sizes)) {
  console.log(`${name.padEnd(16)}${bytes} bytes, ${brotli} with brotli${goal === null ? '' : ` (at most ${goal})`}`);
  if (goal !== null && brotli > goal) {
    console.error(`"${name}" is ${brotli - goal} bytes over its goal.`);
    process.exitCode = 1;
  }
}

const measured = `${JSON.stringify(sizes, null, 2)}\n`;
if (process.argv.includes('--write')) {
  await writeFile(record, measured);
  // The README has them too.
  await import('./readme.ts');
} else if ((await readFile(record, 'utf8')) !== measured) {
  console.error(
    'The sizes differ from size.json. If that is meant, run "npm run size -- --write" and commit the file.',
  );
  process.exitCode = 1;
}

/**
 * Checks the size of the built files against size.json, to the byte: growth and shrinking both belong into a diff.
 * `npm run size` checks, `npm run size -- --write` writes the file anew. Never lets a file over its budget.
 */
import { readdir, readFile, writeFile } from 'node:fs/promises';
import { brotliCompressSync, constants } from 'node:zlib';

interface Size {
  readonly bytes: number;
  readonly brotli: number;
}

const languages = (await readdir(new URL('../dist/languages/', import.meta.url))).filter((file) => file.endsWith('.js')).sort();

/** Files that are loaded together, and the most bytes they may take with brotli. */
const bundles: Readonly<Record<string, { readonly files: readonly string[]; readonly budget: number }>> = {
  script: { files: ['newsletter-signup.js'], budget: 9500 },
  npm: { files: ['index.js', 'define.js'], budget: 7000 },
  ...Object.fromEntries(['ask', 'proof'].map((part) => [`${part}.js`, { files: [`${part}.js`], budget: 1500 }])),
  'doctor.js': { files: ['doctor.js'], budget: 2500 },
  ...Object.fromEntries(languages.map((file) => [`languages/${file}`, { files: [`languages/${file}`], budget: 499 }])),
};

const record = new URL('../size.json', import.meta.url);

async function measure(files: readonly string[]): Promise<Size> {
  const contents = await Promise.all(files.map((file) => readFile(new URL(`../dist/${file}`, import.meta.url))));
  const sizes = contents.map((content) => ({
    bytes: content.length,
    brotli: brotliCompressSync(content, { params: { [constants.BROTLI_PARAM_QUALITY]: 11 } }).length,
  }));
  return sizes.reduce((sum, size) => ({ bytes: sum.bytes + size.bytes, brotli: sum.brotli + size.brotli }), { bytes: 0, brotli: 0 });
}

const sizes: Record<string, Size> = {};
for (const [name, { files, budget }] of Object.entries(bundles)) {
  const size = await measure(files);
  sizes[name] = size;
  console.log(`${name.padEnd(16)}${size.bytes} bytes, ${size.brotli} with brotli (budget ${budget})`);
  if (size.brotli > budget) {
    console.error(`"${name}" is ${size.brotli - budget} bytes over its budget.`);
    process.exitCode = 1;
  }
}

const measured = `${JSON.stringify(sizes, null, 2)}\n`;
if (process.argv.includes('--write')) await writeFile(record, measured);
else if ((await readFile(record, 'utf8')) !== measured) {
  console.error('The sizes differ from size.json. If that is meant, run "npm run size -- --write" and commit the file.');
  process.exitCode = 1;
}

/**
 * Measures the built files with brotli. `npm run size` prints every size, warns where less than 5 % of a limit is free,
 * and fails above it; the documentation lists the limits.
 */
import { readdir, readFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { brotliCompressSync, constants } from 'node:zlib';

const folder = new URL('../', import.meta.url);

/** The limits in bytes with brotli, and what each file is for; several files with `+` between them count together. */
export const limits: readonly { readonly file: string; readonly limit: number; readonly purpose: string }[] = [
  {
    file: 'dist/signup-form.js',
    limit: 13_300,
    purpose: '`signup-form.js`, the script with Lit: fits into a server’s first flight',
  },
  {
    file: 'dist/signup-form-complete.js',
    limit: 27_600,
    purpose: '`signup-form-complete.js`, the script and all its parts in one file',
  },
  {
    file: 'dist/signup-form.js+dist/signup.js',
    limit: 20_246,
    purpose: 'a whole signup: `signup-form.js`, and `signup.js` once the focus enters the form',
  },
  {
    file: 'dist/signup-form.css',
    limit: 1200,
    purpose: '`signup-form.css`, so that nothing moves before the script has come',
  },
  { file: 'dist/index.js', limit: 9000, purpose: 'the npm modules that render a form, without Lit' },
  { file: 'dist/signup.js', limit: 7100, purpose: '`signup.js`, loaded when the focus enters a form: sends it' },
  {
    file: 'dist/answer.js',
    limit: 1100,
    purpose: '`answer.js`, when an endpoint answers anything but the relay’s yes',
  },
  {
    file: 'dist/typed-numbers.js',
    limit: 800,
    purpose: '`typed-numbers.js`, for fields of the kind `integer` or `double`',
  },
  { file: 'dist/signup-landing.js', limit: 1500, purpose: '`signup-landing.js`, for pages without a form' },
  {
    file: 'dist/remember.js',
    limit: 2900,
    purpose: '`remember.js`, once the visitor has consented to storing the attribution',
  },
  { file: 'dist/dialog.js', limit: 1700, purpose: '`dialog.js`, for the layout `dialog`' },
  {
    file: 'dist/protection.js',
    limit: 1500,
    purpose: '`protection.js`, when an endpoint asks for a token, a proof of work or Turnstile',
  },
  { file: 'dist/proof.js', limit: 2000, purpose: '`proof.js`, when that is a proof of work' },
  {
    file: 'dist/rules.js',
    limit: 1200,
    purpose: '`rules.js`, with `click-ids`, `referrer-medium`, `ref-is` or `same-site`',
  },
  {
    file: 'dist/doctor.js',
    limit: 3300,
    purpose: '`doctor.js`, with `debug`, and where something is wrong with the page',
  },
  { file: 'dist/languages/', limit: 700, purpose: 'a language' },
  { file: 'themes/', limit: 1500, purpose: 'a theme' },
];

/** @returns the size of a file in bytes with brotli; of a folder, that of its largest file */
export async function measure(file: string): Promise<number> {
  if (file.includes('+')) {
    const sizes = await Promise.all(file.split('+').map(measure));
    return sizes.reduce((sum, size) => sum + size, 0);
  }
  if (file.endsWith('/')) {
    const names = (await readdir(new URL(file, folder))).filter((name) => /\.(js|css)$/.test(name));
    return Math.max(...(await Promise.all(names.map((name) => measure(file + name)))));
  }
  const content = await readFile(new URL(file, folder));
  return brotliCompressSync(content, { params: { [constants.BROTLI_PARAM_QUALITY]: 11 } }).length;
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  for (const { file, limit } of limits) {
    const size = await measure(file);
    console.log(`${file.padEnd(31)} ${String(size).padStart(6)} B with brotli, limit ${limit} B`);
    if (size > limit) {
      console.error(`${file} is ${size - limit} B above its limit.`);
      process.exitCode = 1;
    } else if (size > limit * 0.95) console.warn(`${file} has less than 5 % of its limit left: make room first.`);
  }
}

/**
 * Copies the built form to `dist/tag`, as the relay serves it: the parts that the script loads in a folder named by a
 * hash of them, each file compressed too, and the headers in a file for the static assets of a Worker.
 */
import { createHash } from 'node:crypto';
import { globSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { brotliCompressSync, gzipSync } from 'node:zlib';
import { cacheControl, tagHeaders } from '../src/tag-files.ts';

/** A name of a file of the script, in quotes: as `loadChunk` takes it, and as `import` does, from `./`. */
const quotedName = /(["'`])(\.\/)?([\w-]+\.js)\1/g;

/**
 * @param widget - folder of the package, built. Default: that of this repository
 * @param target - is deleted first. Default: the relay's `dist/tag`
 */
export function copyTag(
  widget = join(import.meta.dirname, '../../../widget'),
  target = join(import.meta.dirname, '../dist/tag'),
): void {
  const read = (file: string): string => readFileSync(join(widget, file), 'utf8');
  const entries = globSync('signup-{form,landing}.{js,css}', { cwd: join(widget, 'dist') });
  if (!entries.includes('signup-form.js'))
    throw new Error(`${join(widget, 'dist')} has no signup-form.js: build the widget first, with "npm run build".`);

  const parts = new Map<string, string>();
  const addPartsOf = (text: string): void => {
    for (const [, , relative, name = ''] of text.matchAll(quotedName)) {
      if (relative === undefined || parts.has(name)) continue;
      parts.set(name, read(`dist/${name}`));
      addPartsOf(parts.get(name) ?? '');
    }
  };
  for (const entry of entries) addPartsOf(read(`dist/${entry}`));
  const version = createHash('sha256')
    .update(JSON.stringify([...parts].toSorted(([a], [b]) => (a < b ? -1 : 1))))
    .digest('hex')
    .slice(0, 16);
  // A part finds another beside it; the script resolves a name without `./` against its own address.
  const withPaths = (text: string, isPart: boolean): string =>
    text.replace(quotedName, (quoted: string, quote: string, relative: string | undefined, name: string) =>
      !parts.has(name) || (isPart && relative) ? quoted : `${quote}${relative ?? ''}parts/${version}/${name}${quote}`,
    );

  const add = (name: string, text: string): void => {
    const path = join(target, name);
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(`${path}.br`, brotliCompressSync(text));
    writeFileSync(`${path}.gz`, gzipSync(text));
    writeFileSync(path, text);
  };
  rmSync(target, { recursive: true, force: true });
  for (const name of entries) add(name, withPaths(read(`dist/${name}`), false));
  for (const [name, text] of parts) add(`parts/${version}/${name}`, withPaths(text, true));
  for (const name of globSync('languages/*.js', { cwd: join(widget, 'dist') })) add(name, read(`dist/${name}`));
  for (const name of globSync('themes/*.css', { cwd: widget })) add(name, read(name));

  // As Cloudflare reads them.
  const lines = (headers: object): string[] => Object.entries(headers).map(([name, value]) => `  ${name}: ${value}`);
  const all = ['/*', ...lines({ ...tagHeaders, 'cache-control': cacheControl.file })];
  const ofParts = ['/parts/*', '  ! cache-control', ...lines({ 'cache-control': cacheControl.part })];
  writeFileSync(join(target, '_headers'), [...all, ...ofParts, ''].join('\n'));
}

if (process.argv[1] === fileURLToPath(import.meta.url)) copyTag();

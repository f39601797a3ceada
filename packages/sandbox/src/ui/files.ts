/** Reads the files of the pages as the build wrote them. */
import { readdirSync, readFileSync } from 'node:fs';
import { extname } from 'node:path';

const folder = new URL('../../dist/page/', import.meta.url);

const types: Readonly<Record<string, string>> = {
  '.html': 'text/html; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.svg': 'image/svg+xml',
};

export interface PageFile {
  readonly text: string;
  readonly type: string;
}

let known: ReadonlySet<string> | undefined;
const read = new Map<string, PageFile>();

/**
 * The file of this name, read once; undefined where there is none. Only names that the folder lists are ever opened.
 */
export function readPageFile(name: string): PageFile | undefined {
  const type = types[extname(name)];
  known ??= new Set(readdirSync(folder));
  if (type === undefined || !known.has(name)) return undefined;
  const file = read.get(name) ?? { text: readFileSync(new URL(name, folder), 'utf8'), type };
  read.set(name, file);
  return file;
}

/**
 * Writes what follows from the contract and the schemas: the types, the interfaces of the client, and the index of its
 * methods. A test fails where a file is not up to date.
 */
import { writeFile } from 'node:fs/promises';
import { writeApi } from './api.ts';
import { format } from './format.ts';
import { writePageStyle, writePageThemes } from './page-style.ts';
import { writeRecords } from './records.ts';
import { writeResources } from './resources.ts';
import { writeTypes } from './types.ts';

/** Each generated file, relative to the package, with its text. */
export function generate(): ReadonlyMap<string, string> {
  return new Map([
    ['src/contract/records.ts', format('records.ts', writeRecords())],
    ['src/schema/types.ts', format('types.ts', writeTypes())],
    ['src/resources.ts', format('resources.ts', writeResources())],
    ['src/endpoint/page-style.ts', format('page-style.ts', writePageStyle())],
    ['src/endpoint/page-themes.ts', format('page-themes.ts', writePageThemes())],
    ['api.md', writeApi()],
  ]);
}

if (import.meta.main) {
  for (const [path, text] of generate()) await writeFile(new URL(`../${path}`, import.meta.url), text);
}

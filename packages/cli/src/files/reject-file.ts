/**
 * The rows that were left out, as they stood in the source, each with its number and the reason. Made with the first of
 * them.
 */
import { open, rm, type FileHandle } from 'node:fs/promises';
import type { Rejection } from '@newsletter-kit/core/import';
import { stringify } from 'csv-stringify/sync';

export interface RejectFile {
  add(rejection: Rejection): Promise<void>;
  /** How many rows are in it. */
  readonly rows: number;
  close(): Promise<void>;
}

/** @param columns - of the source */
export async function rejectFile(path: string, columns: readonly string[]): Promise<RejectFile> {
  let file: FileHandle | null = null;
  let rows = 0;
  // Every run reports all of them again.
  await rm(path, { force: true });
  // Left as they are, also what looks like a formula: this is the person's own file, to be corrected and imported.
  const write = (cells: readonly string[]) => file?.appendFile(stringify([cells]));
  return {
    get rows() {
      return rows;
    },
    async add({ row, kind, reason, original }) {
      if (file === null) {
        file = await open(path, 'w', 0o600);
        await write(['row', 'kind', 'reason', ...columns]);
      }
      rows += 1;
      await write([String(row), kind, reason, ...columns.map((column) => textOf(original, column))]);
    },
    async close() {
      await file?.sync();
      await file?.close();
    },
  };
}

function textOf(original: unknown, column: string): string {
  if (typeof original !== 'object' || original === null) return '';
  const value: unknown = Object.entries(original).find(([name]) => name === column)?.[1];
  return typeof value === 'string' ? value : '';
}

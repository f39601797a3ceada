/** The file of the rows that an import left out. */
import { open, rm, type FileHandle } from 'node:fs/promises';
import type { Rejection } from '@newsletter-kit/core/import';
import { stringify } from 'csv-stringify/sync';

/**
 * Writes rejected rows to a CSV file, unchanged, each with its number and the reason. It is created with the first row.
 *
 * @param columns - the columns of the source
 */
export async function openRejectFile(path: string, columns: readonly string[]) {
  let file: FileHandle | null = null;
  let rows = 0;
  // Every run reports all rejected rows again.
  await rm(path, { force: true });
  // Cells stay unchanged, formulas too: the user corrects this file and imports it.
  const write = (cells: readonly string[]) => file?.appendFile(stringify([cells]));
  return {
    /** Rows in the file. */
    get rows(): number {
      return rows;
    },
    async add({ row, kind, reason, original }: Rejection): Promise<void> {
      if (file === null) {
        file = await open(path, 'w', 0o600);
        await write(['row', 'kind', 'reason', ...columns]);
      }
      rows += 1;
      await write([String(row), kind, reason, ...columns.map((column) => cellOf(original, column))]);
    },
    async close(): Promise<void> {
      try {
        await file?.sync();
      } finally {
        await file?.close();
      }
    },
  };
}

function cellOf(original: unknown, column: string): string {
  if (typeof original !== 'object' || original === null) return '';
  const value: unknown = Object.entries(original).find(([name]) => name === column)?.[1];
  return typeof value === 'string' ? value : '';
}

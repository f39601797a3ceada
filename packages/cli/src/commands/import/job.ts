/** The options of an import, and what its plan and its sending share. */
import type { Client } from '@newsletter-kit/core';
import type { CsvOptions, CsvSource } from '@newsletter-kit/core/node';
import type { ConnectionOptions } from '../../connection.ts';
import type { Answers } from './answers.ts';

export interface ImportOptions {
  readonly connection: ConnectionOptions;
  /** `-` for stdin. */
  readonly path: string;
  readonly csv: Omit<CsvOptions, 'customFields' | 'name' | keyof Answers>;
  /** As given now. */
  readonly answers: Answers;
  /** Files beside the one that is imported. */
  readonly files: {
    readonly journal: string | undefined;
    readonly rejects: string | undefined;
    readonly suppress: readonly string[];
  };
  /** Undefined where the rows are sent. */
  readonly plan: 'full' | 'offline' | undefined;
  /** Of an import that changes much of a publication: `asked` for on a terminal, or `required` before. */
  readonly approval: 'given' | 'asked' | 'required';
  readonly batchSize: number;
}

/** What a plan and an import need. */
export interface Job {
  readonly client: Client;
  readonly source: CsvSource;
  /** With those of earlier imports. */
  readonly answers: Answers;
  readonly keepOut: (address: string) => string | undefined;
  readonly options: ImportOptions;
}

/** Where the files of an import are. */
export function pathsOf({ path, files }: ImportOptions) {
  const isStdin = path === '-';
  const rejects = files.rejects ?? `${isStdin ? 'stdin' : path.replace(/\.csv$/i, '')}.rejects.csv`;
  return {
    journal: files.journal ?? (isStdin ? undefined : `${path}.journal`),
    answers: isStdin ? files.journal && `${files.journal}.answers.json` : `${path}.answers.json`,
    rejects,
    invalid: rejects.replace(/(?:\.rejects)?\.csv$/, '.invalid.csv'),
  };
}

/**
 * What core offers on Node alone, because it needs the file system.
 *
 * @packageDocumentation
 */
export { replaceFile, FileInUseError, lockExclusively } from './durable-file.ts';
export { createFileTokenStore, TokenFileError } from './token-file.ts';
export { openFileJournal, type FileJournal } from './import-journal.ts';
export { CsvError, readCsv, type ColumnTarget, type CsvOptions, type CsvSource } from './csv.ts';

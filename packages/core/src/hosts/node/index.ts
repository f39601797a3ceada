/**
 * Exports the parts of core that need the file system, and so run on Node alone.
 *
 * @packageDocumentation
 */
export { createFileTokenStore, TokenFileError } from './token-file.ts';
export { openFileJournal, type FileJournal } from './import-journal.ts';
export { CsvError, readCsv, type CsvErrorDetails, type CsvOptions, type CsvSource } from './csv.ts';
export { readKeepOut, type KeepOutList } from './keep-out.ts';

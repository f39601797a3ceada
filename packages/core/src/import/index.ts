/** Bulk import: from any source of rows to the service, resumable after a kill at any point. Host-free. */
export {
  awaitUpdate,
  readErrorLog,
  UpdatePendingError,
  type AwaitUpdateOptions,
  type FinishedUpdate,
  type UpdateItem,
  type UpdateProblem,
} from './await-update.ts';
export { importSubscriptions, type ImportedBatch, type ImportOptions } from './bulk.ts';
export { fieldValueReader, type FieldValue, type FieldValueReader } from './field-value.ts';
export { headingReader, knownHeadings, type HeadingMeaning, type HeadingTarget } from './headings.ts';
export {
  JournalError,
  memoryJournal,
  SourceChangedError,
  type ImportMode,
  type Journal,
  type JournalRecord,
} from './journal.ts';
export { importOneByOne, type ImportedRow, type OneByOneOptions } from './one-by-one.ts';
export type { ImportProgress } from './progress.ts';
export type { Range } from './ranges.ts';
export { checkRequest, requestFields, type CheckedRequest, type FieldKind, type RequestField } from './request.ts';
export type { CommonOptions, ImportResult } from './run.ts';
export type { ImportRow, ImportSource, Rejection, Rows, SourceRow } from './source.ts';

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
export {
  importOneByOne,
  importSubscriptions,
  type ImportedBatch,
  type ImportedRow,
  type ImportOptions,
  type OneByOneOptions,
} from './import-subscriptions.ts';
export { listCustomFields, type KnownCustomField } from './custom-fields.ts';
export { fieldValueReader, type FieldValue, type FieldValueReader } from './field-value.ts';
export { headingReader, knownHeadings, type HeadingMeaning, type HeadingTarget } from './headings.ts';
export {
  JournalError,
  memoryJournal,
  SourceChangedError,
  type ImportMode,
  type Journal,
  type JournalRecord,
  type Range,
} from './journal.ts';
export type { ImportProgress, CommonOptions, ImportResult } from './options.ts';
export { checkRequest, requestFields, type CheckedRequest, type FieldKind, type RequestField } from './request.ts';
export type { ImportRow, ImportSource, Rejection, Rows, SourceRow } from './source.ts';

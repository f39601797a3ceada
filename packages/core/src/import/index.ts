/** Bulk import: from any source of rows to the service, resumable after a kill at any point. Host-free. */
export { changesNotApplied, customFieldsNotApplied, includesAll, listOf } from './applied-changes.ts';
export * from './await-update.ts';
export { importSubscriptions, type ImportedBatch, type ImportOptions } from './import-subscriptions.ts';
export * from './forecast.ts';
export * from './custom-fields.ts';
export * from './columns.ts';
export { refusalIn } from './column-values.ts';
export * from './consent.ts';
export * from './left-by.ts';
export type { DateOrder } from '../facts/dates.ts';
export type { DecimalMark } from '../signup/numbers.ts';
export * from './field-value.ts';
export {
  headingReader,
  knownHeadings,
  TableError,
  type ColumnTarget,
  type HeadingMeaning,
  type HeadingTarget,
  type ProposedMeanings,
  type TableRemedy,
  type ValueMeaning,
  type ValueMeanings,
  type YesNoMeanings,
} from './headings.ts';
export * from './notation.ts';
export {
  JournalError,
  memoryJournal,
  SourceChangedError,
  type Journal,
  type JournalRecord,
  type Range,
} from './journal.ts';
export type { CommonOptions, ImportCounts, ImportProgress, ImportResult } from './options.ts';
export { checkRequest, requestFields, type CheckedRequest, type RequestField } from './request.ts';
export { serviceExports, type ColumnReading, type ServiceExport, type Standing } from './services.ts';
export type { ImportRow, ImportSource, Rejection, Rows, SourceRow } from './source.ts';

/** Bulk import: from any source of rows to the service, resumable after a kill at any point. Host-free. */
export { changesNotApplied, customFieldsNotApplied, includesAll, listOf } from './applied-changes.ts';
export {
  awaitUpdate,
  readErrorLog,
  UpdatePendingError,
  type AwaitUpdateOptions,
  type FinishedUpdate,
  type UpdateItem,
  type UpdateProblem,
} from './await-update.ts';
export { importSubscriptions, type ImportedBatch, type ImportOptions } from './import-subscriptions.ts';
export {
  countPeople,
  forecastImport,
  largeImport,
  usualQuota,
  type Forecast,
  type ForecastOptions,
  type ReadingCost,
} from './forecast.ts';
export { listCustomFields, type KnownCustomField } from './custom-fields.ts';
export { kindOf, Table, type ColumnOptions, type ListedCustomField, type ReadCells } from './columns.ts';
export { refusalIn } from './column-values.ts';
export { ConsentSurvey, type ConsentOptions, type Refusal } from './consent.ts';
export { anyOther, blankCell, leftByIn, leftByText, namesIn, namesText, yesNoIn, yesNoText } from './left-by.ts';
export type { DateOrder } from '../facts/dates.ts';
export type { DecimalMark } from '../signup/numbers.ts';
export { fieldValueReader, type FieldValue, type FieldValueOptions, type FieldValueReader } from './field-value.ts';
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
export { ask, notationOf, type Notation, type NotationAnswers } from './notation.ts';
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

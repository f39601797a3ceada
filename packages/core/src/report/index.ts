/** The report on sources: which of them bring readers who stay. Pure. */
export {
  createSourceReport,
  historyStaleAfter,
  sourceOf,
  type SourceReportInProgress,
  type SourceReportOptions,
} from './sources.ts';
export { createHistory, historyEvents, type History, type HistoryFile, type HistoryOptions } from './history.ts';
export { reportDimensions, type Cohort, type ReportDimension, type Share, type SourceReport } from './types.ts';

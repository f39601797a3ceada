/** The contract: every operation of the Newsletter Publishing API, v2, as plain data. No run-time import. */
export {
  operation,
  operations,
  resourceOf,
  type OperationById,
  type OperationId,
  type ResourceOf,
} from './operations.ts';
export { answerRecords, type AnswerRecord } from './records.ts';
export type { Body, Method, Operation, Pagination, RetryClass, Scope } from './types.ts';
export * from './values.ts';
export * from './words/index.ts';

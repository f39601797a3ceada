/** The contract: every operation of the Newsletter Publishing API, v2, as plain data. No run-time import. */
export { operation, resourceOf, type OperationById, type OperationId, type ResourceOf } from './operations.ts';
export { answerRecords, type AnswerRecord } from './answer-records.ts';
export type * from './shape.ts';
export { shapes } from './shapes.ts';
export * from './statuses.ts';
export { operations } from './table.ts';
export type * from './types.ts';
export * from './values.ts';
export * from './words.ts';

/** The part of a signup that runs on a page: the submission, attribution, and the checks that endpoints repeat. */
export { addressKey, isAddress, normalizeAddress, typedAddress } from './address.ts';
export * from './label.ts';
export { numberIn, type DecimalMark } from './numbers.ts';
export * from './attribution.ts';
export { cleanValue } from './attribution-values.ts';
export * from './audit.ts';
export * from './source-tables.ts';
export {
  attributionFields,
  formToObject,
  honeypotField,
  submissionLimit,
  type Ask,
  type Attribution,
  type AuditedTouch,
  type ProofOfWork,
  type SignupAudit,
  type Submission,
  type SubmittedField,
  type SubmittedValue,
  cleanText,
  parseUrl,
  textLimit,
  toJson,
} from './submission.ts';

/** What a website sends: the submission, how it is read, and the checks both sides share. */
export { addressKey, isAddress, normalizeAddress } from './address.ts';
export {
  attributionLimit,
  fitAttribution,
  jsonBytes,
  readAttribution,
  type AttributionField,
  type AttributionOptions,
  type Visit,
} from './attribution.ts';
export {
  attributionFields,
  formToObject,
  honeypotField,
  readSubmission,
  submissionLimit,
  type Attribution,
  type ReadSubmission,
  type Refusal,
  type Submission,
  type SubmittedField,
  type SubmittedValue,
} from './submission.ts';
export { cleanText, textLimit } from './text.ts';

/** The part of a signup that runs on a page: the submission, attribution, and the checks that endpoints repeat. */
export { addressKey, isAddress, normalizeAddress } from './address.ts';
export {
  attributionLimit,
  fitAttribution,
  jsonBytes,
  readAttribution,
  applyOverrides,
  type AttributionField,
  type AttributionOptions,
  type Visit,
  chooseTouch,
  knownTouches,
  storedTouches,
  touchLifetime,
  type Touch,
  type TouchRule,
  type TimedVisit,
} from './attribution.ts';
export {
  attributionFields,
  formToObject,
  honeypotField,
  submissionLimit,
  type Ask,
  type Attribution,
  type ProofOfWork,
  type Submission,
  type SubmittedField,
  type SubmittedValue,
  cleanText,
  parseUrl,
  textLimit,
} from './submission.ts';

/** What a website sends: the submission, how it is read, and the checks both sides share. */
export { addressKey, isAddress, normalizeAddress } from './address.ts';
export type { Ask, ProofOfWork } from './ask.ts';
export {
  attributionLimit,
  fitAttribution,
  jsonBytes,
  readAttribution,
  withGiven,
  type AttributionField,
  type AttributionOptions,
  type Visit,
} from './attribution.ts';
export {
  chooseTouch,
  knownTouches,
  storedTouches,
  touchLifetime,
  type Touch,
  type TouchRule,
  type TimedVisit,
} from './attribution-touches.ts';
export { contentKind, parseContent, wantsPage, type ContentHeaders, type ContentKind } from './content.ts';
export { honeypotField } from './honeypot.ts';
export {
  askHtml,
  askPageHeaders,
  buttonHtml,
  escapeHtml,
  messageHtml,
  pageHeaders,
  refusalHtml,
  thanksHtml,
  type ButtonPage,
  type Entered,
} from './pages.ts';
export { parseUrl } from './parse-url.ts';
export {
  contentRefused,
  originRefused,
  refusalBody,
  refusalNames,
  refused,
  tooLarge,
  unavailable,
  unreadable,
  type RefusalBody,
  type Refused,
  type RefusalStatus,
} from './refused.ts';
export {
  attributionFields,
  formToObject,
  keepSubmission,
  readSubmission,
  submissionLimit,
  type Attribution,
  type KeptSubmission,
  type ReadSubmission,
  type Refusal,
  type Submission,
  type SubmittedField,
  type SubmittedValue,
} from './submission.ts';
export { isRecord } from '../is-record.ts';
export { cleanText, textLimit } from './text.ts';

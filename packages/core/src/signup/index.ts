/** The part of a signup that runs on a page: the submission, attribution, and the checks that endpoints repeat. */
export { addressKey, isAddress, normalizeAddress, typedAddress } from './address.ts';
export { partsOfLabel, type LabelPart } from './label.ts';
export { numberIn, type DecimalMark } from './numbers.ts';
export {
  attributionLimit,
  attributionRules,
  detailFields,
  fitAttribution,
  jsonBytes,
  readAttribution,
  readTouches,
  referringSite,
  applyOverrides,
  type AttributionField,
  type AttributionOptions,
  type AttributionRule,
  type VisitOptions,
  type Visit,
  chooseTouch,
  knownTouches,
  storedTouches,
  touchLifetime,
  type Touch,
  type TouchRule,
  type TimedVisit,
} from './attribution.ts';
export { cleanValue } from './attribution-values.ts';
export { auditTouches, pageAddress } from './audit.ts';
export { clickSource, referrerSource, type NamedSource } from './source-tables.ts';
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

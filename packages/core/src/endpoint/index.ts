/** Receives signups: the checks, the submission in the body, and the answers of every endpoint. Host-free. */
export {
  admitPost,
  allowedOrigin,
  collectBody,
  originCheck,
  type AdmissionRules,
  type AdmittedPost,
  enteredIn,
  type ConsentRules,
  type Post,
  type PostCheck,
  wantsPage,
  type Entered,
  type ReadHeader,
} from './admission.ts';
export {
  acceptedAnswer,
  acceptedBody,
  preflightAnswer,
  refusalAnswer,
  type Answer,
  type Page,
  escapeHtml,
  framedPageHeaders,
  pageHeaders,
} from './answers.ts';
export { withAudit } from './audit.ts';
export { pageStyle } from './page-style.ts';
export {
  originRefused,
  refusalBody,
  refusalNames,
  refused,
  unavailable,
  type RefusalBody,
  type Refused,
  type RefusalStatus,
} from './refusal.ts';
export { readSubmission, type KeptSubmission, type ReadSubmission, type RefusalReason } from './submission.ts';
export { isLoopbackHost, isSecureAddress } from '../service-address.ts';

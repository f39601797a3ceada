/** Receives signups: the checks, the submission in the body, and the answers of every endpoint. Host-free. */
export * from './admission.ts';
export * from './answers.ts';
export { withAudit } from './audit.ts';
export * from './page-style.ts';
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

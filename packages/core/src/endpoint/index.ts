/** Receives signups: the checks, the submission in the body, and the answers of every endpoint. Host-free. */
export { contentKind, parseContent, wantsPage, type ContentHeaders, type ContentKind } from './content.ts';
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
} from './refusal.ts';
export {
  keepSubmission,
  readSubmission,
  type KeptSubmission,
  type ReadSubmission,
  type Refusal,
} from './submission.ts';
export { isRecord } from '../is-record.ts';

/** Questions of every door, each answered in one place: who left, yes or no, when, who answered, whose mailbox. */
export { isErrorBody, type ForeignAnswer } from './api-answer.ts';
export { consentOf, withoutAddresses, type ReadConsent } from './consent.ts';
export { dateIn, dateOrderIn, isAmbiguousDate, utcOf, type DateOrder } from './dates.ts';
export { domainOf, mailboxKey } from './mailbox.ts';
export { momentOf, secondsOf, waitOf } from './moment.ts';
export { decimalMarkIn, isAmbiguousNumber, numberIn, type DecimalMark } from '../signup/numbers.ts';
export { getsMail, hasLeft, isInvalid, isUnconfirmed, isUnknownStatus, isUnsubscribed } from './subscriber-status.ts';
export { yesOrNo } from './yes-no.ts';

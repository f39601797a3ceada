/** Questions that every door asks, each answered in one place: who gets mails, yes or no, when, whose mailbox. */
export { dateIn, dateOrderIn, isAmbiguousDate, utcOf, type DateOrder } from './dates.ts';
export { domainOf, mailboxKey } from './mailbox.ts';
export { momentOf, secondsOf, waitOf } from './moment.ts';
export { decimalMarkIn, isAmbiguousNumber, numberIn, type DecimalMark } from './numbers.ts';
export { getsMail, hasLeft, isKnownStatus } from './subscriber-status.ts';
export { yesOrNo } from './yes-no.ts';

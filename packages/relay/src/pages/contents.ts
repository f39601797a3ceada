/** Every page of the relay but the form's: what it says, by the names of its words. */
import type { Word } from './words.ts';

/** Heading, sentences and button of a page. */
export interface Content {
  readonly heading: Word;
  readonly text?: readonly Word[];
  /** Label of a button that posts to the address of the page. */
  readonly button?: Word;
}

export const contents = {
  thanks: { heading: 'thanks', text: ['received'] },
  checkInbox: { heading: 'thanks', text: ['mailComes'] },
  oneMoreStep: { heading: 'oneMoreStep', text: ['pressToFinish'] },
  refused: { heading: 'refusedHeading' },
  notForThisSite: { heading: 'refusedHeading', text: ['notForThisSite'] },
  notFound: { heading: 'notFound', text: ['notFoundText'] },
  failed: { heading: 'failed', text: ['failedText'] },
  confirm: { heading: 'confirmHeading' },
  onItsWay: { heading: 'noted', text: ['onItsWay'] },
  notTaken: { heading: 'noted', text: ['notTaken'] },
  subscribed: { heading: 'subscribed', text: ['subscribedText', 'toLeave'] },
  left: { heading: 'left', text: ['leftText', 'comeBack'] },
  noMail: { heading: 'noMail', text: ['noMailText'] },
  unfinished: { heading: 'noted', text: ['unfinished'] },
  unknownStatus: { heading: 'noted', text: ['unknownStatus'] },
  otherStatus: { heading: 'noted', text: ['otherStatus'] },
  notMe: { heading: 'notMeHeading', button: 'notMe' },
  stopped: { heading: 'stopped', text: ['stoppedText'] },
  nothingToStop: { heading: 'nothingToStop', text: ['nothingToStopText', 'toLeave'] },
  brokenLink: { heading: 'brokenLink', text: ['brokenLinkText'] },
  gone: { heading: 'gone', text: ['goneText'] },
} as const;

/** What a form sends as consent: a yes, a no, or a text, which is a yes only where it was named for the form. */
import { partsOfLabel } from '../signup/label.ts';
import { cleanText } from '../signup/submission.ts';
import { yesOrNo } from './yes-no.ts';

/** What a consent says. */
export type ReadConsent =
  /** A yes. `sentence`: the named one; null for a mere yes. */
  | { readonly given: true; readonly sentence: string | null }
  /** A no, or nothing was sent. */
  | { readonly given: false; readonly sentence: null }
  /** Neither. `sentence`: the words as sent. */
  | { readonly given: null; readonly sentence: string };

/**
 * Reads the consent that a form has sent: yes or no as {@link yesOrNo} reads it, or one of the sentences.
 *
 * @param sentences - those that the form may ask to agree to, as pages show them or as their HTML
 */
export function consentOf(sent: boolean | string | undefined, sentences: readonly string[]): ReadConsent {
  const words = typeof sent === 'string' ? visibleText(sent) : '';
  const given = words === '' ? sent === true : yesOrNo(words);
  if (given !== undefined) return { given, sentence: null };
  const named = sentences.map(visibleText).find((sentence) => keyOf(sentence) === keyOf(words));
  return named === undefined ? { given: null, sentence: String(sent) } : { given: true, sentence: named };
}

/** What two sentences that read alike have in common: browsers leave out the blank of a `<br>` in a label's text. */
const keyOf = (text: string): string => text.replace(/[\s\p{Default_Ignorable_Code_Point}]+/gu, '');

const entities: ReadonlyMap<string, string> = new Map(
  Object.entries({ amp: '&', lt: '<', gt: '>', quot: '"', apos: "'", nbsp: ' ' }),
);

/** The character of an entity; one with another name stays as it is, on both sides of a comparison. */
function characterOf(entity: string, name: string): string {
  const code = Number(name.replace('#', '').replace(/^x/i, '0x'));
  return name.startsWith('#') && code <= 0x10_ff_ff ? String.fromCodePoint(code) : (entities.get(name) ?? entity);
}

/**
 * A sentence as pages show it: without tags, the brackets and addresses of the tag's links and the mark of a required
 * field, its entities read and its blanks folded.
 *
 * @example `visibleText('I agree to&nbsp;<a href="/rules">the rules</a>. *')` → `'I agree to the rules.'`
 */
function visibleText(html: string): string {
  const text = partsOfLabel(html)
    .map((part) => part.text)
    .join('')
    .replace(/<\/?[a-z][^<>]*>/gi, '')
    .replace(/&(#\d{1,7}|#x[\da-f]{1,6}|[a-z]{2,4});/gi, characterOf)
    .replace(/\s+/g, ' ');
  return cleanText(text, Infinity).replace(/(?<![\s*:])[\s*:]+$/, '');
}

/** The words of a consent without those that may be an email address: for ledgers and operators. */
export function withoutAddresses(words: string): string {
  return words
    .split(' ')
    .map((word) => (/[@＠]/.test(word) ? '…' : word))
    .join(' ');
}

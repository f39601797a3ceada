/**
 * The opt-out of contacts. What a CRM keeps in place of yes and no has any words, in any language: a value counts as an
 * opt-out unless it is what most contacts of active subscribers show. Pure.
 */
import { yesOrNo } from '../../facts/yes-no.ts';
import { plainText, readValue } from './canonical-value.ts';

/** Reasons that are opt-outs, however many contacts show them. */
const reason =
  /^(?:opt(?:ed)?[ _-]?out|unsubscribed?|(?:hard[ _-]?)?bounced?|complain(?:t|ed)|spam(?:[ _-]complaint)?|blocked|revoked|withdrawn|do[ _-]not[ _-](?:mail|email|contact))$/i;

const yes = 'true';

/**
 * The value of an opt-out in one text: empty for an empty field and for no, `true` for yes, a time, a number, and a
 * known {@link reason}; any other value as itself, in small letters. Of a list its members.
 */
export function optOutText(value: unknown): string {
  // Most values: at a fraction of the time.
  if (value === null || value === false || value === '' || value === 'false') return '';
  const members: unknown = typeof value === 'string' && value.includes(';') ? value.split(';') : value;
  if (Array.isArray(members)) {
    const texts = new Set(members.map(optOutText).filter((text) => text !== ''));
    return texts.has(yes) ? yes : [...texts].sort().join(';');
  }
  const said = yesOrNo(value);
  if (said !== undefined) return said ? yes : '';
  const text = (plainText(value) ?? JSON.stringify(value))
    .replaceAll(/\p{Cf}/gu, '')
    .replaceAll(/\s+/g, ' ')
    .trim();
  const isYes = reason.test(text) || /^[1-9]\d*$/.test(text) || (text !== '' && readValue('datetime', value) !== null);
  return isYes ? yes : text.toLowerCase();
}

/** What contacts of active subscribers usually show in the opt-out. */
export interface UsualOptOut {
  /** Texts of {@link optOutText} beside the empty one; null where it is not known yet. */
  readonly ordinary: readonly string[] | null;
}

/** Whether a contact is opted out; undefined where the opt-out was not delivered. */
export function isOptedOut(value: unknown, usual: UsualOptOut | undefined): boolean | undefined {
  if (value === undefined) return undefined;
  const text = optOutText(value);
  return text === yes || (text !== '' && usual?.ordinary?.includes(text) !== true);
}

/** The text of a value that counts as an opt-out because it is not usual, and for no other reason. */
export function unusualOptOut(value: unknown, usual: UsualOptOut | undefined): string | undefined {
  const text = value === undefined ? '' : optOutText(value);
  return text === '' || text === yes || usual?.ordinary?.includes(text) ? undefined : text;
}

/** Contacts of active subscribers from which on what most of them show is usual. */
const enough = 20;
/** The longest text that is learned. */
const longest = 100;

/** Counts what the contacts of active subscribers show. */
export class OptOutSurvey {
  readonly #counts = new Map<string, number>();

  add(value: unknown): void {
    if (value === undefined) return;
    const text = optOutText(value);
    this.#counts.set(text, (this.#counts.get(text) ?? 0) + 1);
  }

  /**
   * What most of them show. A filled value is not learned where some show an empty field or no, of which it may be the
   * opposite, nor from a part of the contacts, which may be those that have just opted out.
   *
   * @returns null where they are too few, and where most show nothing in common, or an opt-out
   */
  ordinary(isOfAll: boolean): UsualOptOut['ordinary'] {
    let total = 0;
    for (const count of this.#counts.values()) total += count;
    const [usual] = [...this.#counts].find(([, count]) => 2 * count > total) ?? [];
    if (total < enough || usual === undefined || usual === yes) return null;
    if (usual === '') return [];
    const isAlone = enough * (this.#counts.get('') ?? 0) <= total;
    return isOfAll && isAlone && usual.length <= longest ? [usual] : null;
  }
}

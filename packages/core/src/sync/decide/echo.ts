/** Echoes: what a side shows in place of a value that was written to it. Pure. */
import { memberSeparator } from '../mapping/canonical-value.ts';
import type { ReadyField } from '../mapping/prepare-mapping.ts';

/**
 * Whether a side shows a written value in another form: cut, in lower or upper case, with other blanks, rounded, or
 * split into other members. Nothing of that is an edit that belongs to the other side.
 *
 * A value that gets capital letters is not among them: that is how people correct a name. Neither is a value that was
 * cleared, nor a list that lost whole members.
 *
 * @param written - canonical text of the value, and of what the side shows: another one
 */
export function isEcho({ kind, separator }: ReadyField, written: string, shown: string): boolean {
  if (shown === '') return false;
  switch (kind) {
    case 'string':
      return isOneOf(written, (text) => blanks(text).startsWith(blanks(shown)));
    case 'list':
      return isOneOf(written, (text) => isResplit(members(text), members(shown), separator !== undefined));
    case 'integer':
    case 'double':
      return isRounded(written, shown);
    case 'datetime':
      // A side that keeps minutes or days shows zeros.
      return written.startsWith(shown.replace(/(?:T00:00|:00)?:00Z$/, ''));
    default:
      return false;
  }
}

/** Whether this holds for a text in the case in which it is, or in which some systems keep every text. */
function isOneOf(text: string, holds: (text: string) => boolean): boolean {
  return holds(text) || holds(text.toLowerCase()) || holds(text.toUpperCase());
}

const blanks = (text: string): string => text.normalize('NFKC').replaceAll(/\s+/g, ' ').trim();

/** The members of a list, also where one holds what another system takes for a separator. */
function members(text: string): readonly string[] {
  const parts = text.split(memberSeparator).flatMap((member) => member.split(/[;,|\n]/).map(blanks));
  return [...new Set(parts.filter((part) => part !== ''))];
}

/** @param isOneText - the side keeps the list as one text, which it may cut within a member */
function isResplit(written: readonly string[], shown: readonly string[], isOneText: boolean): boolean {
  const [cut, ...others] = shown.filter((member) => !written.includes(member));
  if (cut === undefined) return shown.length === written.length;
  return isOneText && others.length === 0 && written.some((one) => !shown.includes(one) && one.startsWith(cut));
}

/** Rounded to fewer decimals, cut to fewer, or beyond what a number of the side can hold. */
function isRounded(written: string, shown: string): boolean {
  const places = Math.min(shown.split('.')[1]?.length ?? 0, 100);
  const isCut = written.startsWith(shown) && written.slice(0, shown.length + 1).includes('.');
  return isCut || Number(written).toFixed(places) === Number(shown).toFixed(places);
}

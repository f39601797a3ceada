/** What the values of a column say of a person, as a text to paste: `Status: gone = left, (blank) = left`. */
import { TableError, type ProposedMeanings, type ValueMeanings, type YesNoMeanings } from './headings.ts';

/** In place of a value: a cell without any, and every value that is not named. */
export const blankCell = '(blank)';
export const anyOther = '(filled)';

/** A name or a value that needs no quotation marks. */
const plain = /^[^\s",;:=](?:[^",;:=\r\n]*[^\s",;:=])?$/;

const written = (text: string): string => (plain.test(text) ? text : JSON.stringify(text));

/** Names with commas between them, as {@link namesIn} reads them. */
export const namesText = (names: readonly string[]): string => names.map(written).join(', ');

/** A column and its values, as {@link leftByIn} reads them. */
export function leftByText(column: string, values: ProposedMeanings): string {
  return `${written(column)}: ${yesNoText(values)}`;
}

/** Values and what they mean, as {@link yesNoIn} reads them. */
export const yesNoText = (values: Readonly<Record<string, string>>): string =>
  Object.entries(values)
    .map(([value, meaning]) => `${written(value)} = ${meaning}`)
    .join(', ');

/** Reads names with commas or line ends between them. @throws TableError for a quotation mark that is never closed */
export function namesIn(text: string): readonly string[] {
  return partsOf(text, /[,;\n]/)
    .map(unquoted)
    .filter((name) => name !== '');
}

/**
 * Reads columns with their values: `Status: active = subscribed, gone = left; Left at: (filled) = left`. A new line
 * stands for the semicolon, and a name or value with `,`, `;`, `:` or `=` in it stands in quotation marks.
 *
 * @throws TableError that says what is wrong and repeats it
 */
export function leftByIn(text: string): Readonly<Record<string, ValueMeanings>> {
  return Object.fromEntries(
    partsOf(text, /[;\n]/)
      .filter((part) => part !== '')
      .map((part) => {
        const [column = '', ...rest] = partsOf(part, /:/);
        if (rest.length === 0 || column === '')
          throw new TableError(
            `${JSON.stringify(part)} does not say what the values of a column mean. Write ${leftByText('Status', { active: 'subscribed', gone: 'left' })}`,
          );
        const of = ` in column ${JSON.stringify(unquoted(column))}`;
        return [unquoted(column), valuesIn(rest.join(':'), ['subscribed', 'unconfirmed', 'left'], of)] as const;
      }),
  );
}

/** Reads which values say yes, and which no: `Ja = yes, Nein = no`. @throws TableError that says what is wrong */
export const yesNoIn = (text: string): YesNoMeanings => (text.trim() === '' ? {} : valuesIn(text, ['yes', 'no'], ''));

function valuesIn<Meaning extends string>(
  text: string,
  meanings: readonly Meaning[],
  of: string,
): Readonly<Record<string, Meaning>> {
  const values = partsOf(text, /[,\n]/).map((part): readonly [string, Meaning] => {
    const [value = '', said = ''] = partsOf(part, /=/);
    const meaning = meanings.find((each) => each === said.toLowerCase());
    if (meaning === undefined || value === '')
      throw new TableError(
        `Say what ${value === '' ? 'each value' : JSON.stringify(unquoted(value))}${of} means: ${value || 'VALUE'} = ${meanings.join(' or ')}`,
      );
    return [unquoted(value), meaning];
  });
  return Object.fromEntries(values);
}

/** Divides a text at a mark that stands outside of quotation marks. */
function partsOf(text: string, mark: RegExp): readonly string[] {
  const parts = [''];
  for (const piece of text.match(/"(?:[^"\\]|\\.)*"|[^"]|"/g) ?? []) {
    if (piece.length === 1 && mark.test(piece)) parts.push('');
    else parts.push(`${parts.pop() ?? ''}${piece}`);
  }
  return parts.map((part) => part.trim());
}

function unquoted(text: string): string {
  if (!text.startsWith('"')) return text;
  try {
    return String(JSON.parse(text));
  } catch {
    throw new TableError(`A quotation mark is missing or one too many in ${text}`);
  }
}

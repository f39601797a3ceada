/** Finds the field that a column of a table fills, by the column's heading. Pure. */
import { isRequestField, requestFields, type RequestField } from './request.ts';

/** A field of the API by its name, or a custom field by its display text. */
export type HeadingTarget = Exclude<RequestField, 'custom_fields'> | `custom:${string}`;

/** What a heading means. */
export type HeadingMeaning =
  | { readonly target: HeadingTarget }
  /** Several custom fields differ from the heading only in case, spaces, hyphens or underscores. */
  | { readonly ambiguous: readonly string[] };

/**
 * What a column is used for, where its heading does not tell: a field of the API by its name, `custom:` and the display
 * text of a custom field, or null to leave it out.
 */
export type ColumnTarget = HeadingTarget | null;

/** What a value says of a person. */
export type ValueMeaning = 'subscribed' | 'unconfirmed' | 'left';

/** By value, or by `(blank)` and `(filled)`: a cell without any, and every value that is not named. */
export type ValueMeanings = Readonly<Record<string, ValueMeaning>>;

/** The same with `?` for what the user has to say. */
export type ProposedMeanings = Readonly<Record<string, ValueMeaning | '?'>>;

/** Which values say yes, and which no. */
export type YesNoMeanings = Readonly<Record<string, 'yes' | 'no'>>;

/** An option that would mend a {@link TableError}, with its value. */
export type TableRemedy =
  | { readonly option: 'columns'; readonly column: string; readonly target: ColumnTarget }
  | { readonly option: 'leftBy'; readonly column: string; readonly values: ProposedMeanings }
  | { readonly option: 'nobodyLeftBy'; readonly columns: readonly string[] }
  | { readonly option: 'yesNo'; readonly values: Readonly<Record<string, '?'>> }
  | { readonly option: 'others' | 'encoding' | 'dateOrder' | 'decimalMark'; readonly value: string };

/** A table does not tell what to import; the text says what is missing, without a cell below the headings. */
export class TableError extends Error {
  override readonly name = 'TableError';
  readonly remedies: readonly TableRemedy[];

  /** @param remedies - options that would each mend it, or a part of it */
  constructor(problem: string, ...remedies: readonly TableRemedy[]) {
    super(problem);
    this.remedies = remedies;
  }
}

/** The prefix of a heading that names a custom field explicitly, also where a field of the API has the same name. */
export const customPrefix = 'custom:';

/** A heading that other services export, and the field it fills. */
interface KnownHeading {
  readonly heading: string;
  /** `email`, or the display text of a custom field. It is filled only where the publication has that field. */
  readonly field: 'email' | 'First Name' | 'Last Name';
  /** The services and programs whose exports have it. */
  readonly of: readonly string[];
}

/**
 * Headings that differ from the name of the field in more than case, spaces, hyphens and underscores. Exports of Kit,
 * Substack and beehiiv need no entry: they have `email`, `Email`, `first_name` and `First Name`. A heading is listed
 * only if it can mean nothing else; `Name` can be the first or the full name and is left to the user.
 */
export const knownHeadings: readonly KnownHeading[] = [
  { heading: 'Email Address', field: 'email', of: ['Mailchimp', 'Campaign Monitor', 'Constant Contact'] },
  { heading: 'Subscriber', field: 'email', of: ['MailerLite'] },
  { heading: 'E-mail 1 - Value', field: 'email', of: ['Google Contacts'] },
  { heading: 'FNAME', field: 'First Name', of: ['Mailchimp (merge tag)'] },
  { heading: 'LNAME', field: 'Last Name', of: ['Mailchimp (merge tag)'] },
  { heading: 'Given Name', field: 'First Name', of: ['Google Contacts'] },
  { heading: 'Family Name', field: 'Last Name', of: ['Google Contacts'] },
];

/**
 * Makes the function that understands headings. In this order: `custom:NAME`; the name of a field of the API; the exact
 * display text of a custom field; that text in another case or with other spaces, hyphens and underscores, where it is
 * that of one field alone; a heading of {@link knownHeadings}.
 *
 * @param displays - display texts of the publication's custom fields
 * @returns undefined for a heading that means no field
 * @example
 * ```ts
 * const meaningOf = headingReader(['First Name']);
 * meaningOf('E-Mail'); // { target: 'email' }
 * meaningOf('first_name'); // { target: 'custom:First Name' }
 * ```
 */
export function headingReader(displays: readonly string[]): (heading: string) => HeadingMeaning | undefined {
  const exact = new Set(displays);
  const alike = new Map<string, string[]>();
  for (const display of exact) {
    const key = normalize(display);
    alike.set(key, [...(alike.get(key) ?? []), display]);
  }

  const customField = (name: string): HeadingMeaning | undefined => {
    if (exact.has(name)) return { target: `custom:${name}` };
    const [one, ...others] = alike.get(normalize(name)) ?? [];
    if (one === undefined) return undefined;
    return others.length === 0 ? { target: `custom:${one}` } : { ambiguous: [one, ...others] };
  };

  return (column) => {
    const heading = column.trim();
    if (heading.toLowerCase().startsWith(customPrefix)) {
      const name = heading.slice(customPrefix.length).trim();
      return customField(name) ?? { target: `custom:${name}` };
    }
    const key = normalize(heading);
    const own = requestFieldByKey.get(key);
    if (own !== undefined) return { target: own };
    const field = customField(heading);
    if (field !== undefined) return field;
    const known = knownByKey.get(key);
    return known === undefined || known === 'email' ? known && { target: known } : customField(known);
  };
}

/** The same for headings that differ in case, spaces, hyphens and underscores alone. */
function normalize(heading: string): string {
  return heading
    .normalize('NFC')
    .toLowerCase()
    .replaceAll(/[\s_-]+/g, '');
}

const requestFieldByKey: ReadonlyMap<string, Exclude<RequestField, 'custom_fields'>> = new Map(
  Object.keys(requestFields).flatMap((name) =>
    isRequestField(name) && name !== 'custom_fields' ? [[normalize(name), name] as const] : [],
  ),
);

const knownByKey = new Map(knownHeadings.map(({ heading, field }) => [normalize(heading), field]));

/** Bulk Import: its options. */
import { isRecord } from '@newsletter-kit/core/engine';
import type { ColumnTarget, WordMeaning } from '@newsletter-kit/core/import';
import type { INodeProperties } from 'n8n-workflow';
import { collection } from '../../parameters/properties.ts';
import { ParameterMismatch, readCollection, readValue } from '../../parameters/read.ts';
import type { OperationContext } from '../definition.ts';

const batchSize: INodeProperties = {
  displayName: 'Batch Size',
  name: 'batchSize',
  type: 'number',
  typeOptions: { minValue: 1, maxValue: 1000 },
  default: 1000,
  description: 'How many items go into one request. If a request fails, its items fail and the others continue.',
};

export const allowLargeImport: INodeProperties = {
  displayName: 'Allow Large Import',
  name: 'allowLargeImport',
  type: 'boolean',
  default: false,
  description:
    'Whether to import also where that would change more than 100 subscriptions and more than 10 % of a publication that has some already',
};

const column: INodeProperties = {
  displayName: 'Column',
  name: 'column',
  type: 'string',
  default: '',
  placeholder: 'e.g. Newsletter',
  description: 'The name of the input field',
};

const columnMeaning: INodeProperties = {
  displayName: 'Meaning',
  name: 'meaning',
  type: 'options',
  default: 'subscribed',
  description: 'How the input field says who wants emails',
  options: [
    { name: 'Filled If Left', value: 'left', description: 'Such as the time at which somebody unsubscribed' },
    { name: 'Nothing to Do With Consent', value: 'none', description: 'It is mapped like any other input field' },
    { name: 'Says by Words', value: 'status', description: 'Such as "active" and "unsubscribed"' },
    { name: 'True If Subscribed', value: 'subscribed', description: 'False, no and 0 stand for people who left' },
  ],
};

export const consentColumns: INodeProperties = {
  displayName: 'Consent Columns',
  name: 'consentColumns',
  type: 'fixedCollection',
  typeOptions: { multipleValues: true },
  placeholder: 'Add Column',
  default: {},
  description:
    'Input fields that say who wants emails and who has left. Those of the exports of other services are known. Items of people who left are not imported.',
  options: [{ displayName: 'Column', name: 'columns', values: [column, columnMeaning] }],
};

const word: INodeProperties = {
  displayName: 'Word',
  name: 'word',
  type: 'string',
  default: '',
  placeholder: 'e.g. abgemeldet',
  description: 'A word in a consent column; empty for items in which the column is empty',
};

const wordMeaning: INodeProperties = {
  displayName: 'Meaning',
  name: 'meaning',
  type: 'options',
  default: 'left',
  description: 'What the word says of a person',
  options: [
    { name: 'Left', value: 'left', description: 'Gets no emails' },
    { name: 'Subscribed', value: 'subscribed', description: 'Gets emails' },
    { name: 'Unconfirmed', value: 'unconfirmed', description: 'Signed up and never confirmed' },
  ],
};

export const statusWords: INodeProperties = {
  displayName: 'Status Words',
  name: 'statusWords',
  type: 'fixedCollection',
  typeOptions: { multipleValues: true },
  placeholder: 'Add Word',
  default: {},
  description: 'What words in consent columns mean. Those of the exports of other services are known.',
  options: [{ displayName: 'Word', name: 'words', values: [word, wordMeaning] }],
};

const unconfirmed: INodeProperties = {
  displayName: 'People Who Never Confirmed',
  name: 'unconfirmed',
  type: 'options',
  default: 'leave',
  description: 'What to do with people of whom the items say that they signed up and never confirmed',
  options: [
    { name: 'Ask Again by a Confirmation Email', value: 'confirm', description: 'They get emails once they confirm' },
    { name: 'Leave Out', value: 'leave' },
  ],
};

export const keepOut: INodeProperties = {
  displayName: 'Keep Out',
  name: 'keepOut',
  type: 'string',
  default: '',
  placeholder: 'e.g. gone@example.com, left@example.org',
  description:
    'People who are not imported: email addresses or SHA-256 hashes of them in lower case, separated by commas, blanks or lines, or a list from an expression. Of items with a status, such as those of Get Many, only people who left, bounced or complained are kept out.',
};

export const onlyPreview: INodeProperties = {
  displayName: 'Only Preview',
  name: 'onlyPreview',
  type: 'boolean',
  default: false,
  description:
    'Whether to send nothing, and return one item that says what the import would do. To see who is known already, it reads the publication.',
};

const single = [allowLargeImport, batchSize, onlyPreview, unconfirmed];

export const importOptions: readonly INodeProperties[] = collection(
  'options',
  'Options',
  'Add option',
  [...single, consentColumns, keepOut, statusWords].toSorted((a, b) =>
    a.displayName.localeCompare(b.displayName, 'en'),
  ),
);

/** What the user says of items that do not tell by themselves who wants emails. */
export interface ConsentAnswers {
  /** By the name of the input field, without blanks around it. */
  readonly columns: ReadonlyMap<string, ColumnTarget>;
  readonly words: Readonly<Record<string, WordMeaning>>;
}

/** The options of an import. */
export interface ReadOptions extends ConsentAnswers {
  readonly batchSize: number | undefined;
  readonly asksUnconfirmed: boolean;
  /** As entered. */
  readonly keepOut: unknown;
  readonly isPreview: boolean;
  readonly allowsLarge: boolean;
}

/**
 * Reads the options, for the first item: they are those of the whole import.
 *
 * @throws ParameterMismatch
 */
export function readOptions({ node, itemIndex }: OperationContext): ReadOptions {
  const read: unknown = node.getNodeParameter('options', itemIndex, {});
  const entered = isRecord(read) ? read : {};
  const values = readCollection(single, entered);
  const limit = values[batchSize.name];
  const list = entered[keepOut.name];
  if (keepOut.name in entered && (list === undefined || list === null))
    throw new ParameterMismatch(`The expression of "${keepOut.displayName}" found nothing`);
  return {
    columns: new Map(
      groupsIn(consentColumns, entered).map((group) => [
        textIn(group, column),
        columnTargets[String(readValue(columnMeaning, group[columnMeaning.name]))] ?? null,
      ]),
    ),
    words: Object.fromEntries(
      groupsIn(statusWords, entered).map((group) => [
        textIn(group, word),
        wordMeanings[String(readValue(wordMeaning, group[wordMeaning.name]))] ?? 'left',
      ]),
    ),
    batchSize: typeof limit === 'number' ? Math.floor(limit) : undefined,
    asksUnconfirmed: values[unconfirmed.name] === 'confirm',
    keepOut: list,
    isPreview: values[onlyPreview.name] === true,
    allowsLarge: values[allowLargeImport.name] === true,
  };
}

/** By the value of the option; every other one has nothing to do with consent. */
const columnTargets: Readonly<Partial<Record<string, ColumnTarget>>> = {
  left: 'left',
  status: 'status',
  subscribed: 'subscribed',
};

const wordMeanings: Readonly<Partial<Record<string, WordMeaning>>> = {
  left: 'left',
  subscribed: 'subscribed',
  unconfirmed: 'unconfirmed',
};

/** The groups of a fixed collection; an expression may give the list of them. */
function groupsIn(
  { name }: INodeProperties,
  entered: Readonly<Record<string, unknown>>,
): readonly Readonly<Record<string, unknown>>[] {
  const value = entered[name];
  const groups = isRecord(value) ? Object.values(value).flat() : value;
  return Array.isArray(groups) ? groups.filter(isRecord) : [];
}

const textIn = (group: Readonly<Record<string, unknown>>, property: INodeProperties): string =>
  String(readValue(property, group[property.name]) ?? '');

/** Bulk Import: its options. */
import { isRecord } from '@newsletter-kit/core/engine';
import { type ConsentOptions, leftByIn, namesIn, type NotationAnswers, yesNoIn } from '@newsletter-kit/core/import';
import type { INodeProperties } from 'n8n-workflow';
import { collection, number, select, text, toggle } from '../../parameters/properties.ts';
import { ParameterMismatch, readCollection } from '../../parameters/read.ts';
import type { OperationContext } from '../definition.ts';

const batchSize = number({
  displayName: 'Batch Size',
  name: 'batchSize',
  typeOptions: { minValue: 1, maxValue: 1000 },
  default: 1000,
  description: 'How many items go into one request. If a request fails, its items fail and the others continue.',
});

export const allowLargeImport = toggle({
  displayName: 'Allow Large Import',
  name: 'allowLargeImport',
  description:
    'Whether to import also where that would change more than 100 subscriptions and more than 10 % of a publication that has some already',
});

export const leftBy = text({
  displayName: 'Fields That Tell Who Left',
  name: 'leftBy',
  typeOptions: { rows: 3 },
  placeholder: 'e.g. Status: active = subscribed, gone = left, (blank) = left',
  description:
    'Input fields by which people leave, one a line, and what their values say: subscribed, unconfirmed or left. (blank) stands for empty fields and (filled) for all other values. Items with a value that is not named are not imported. Where an answer is missing, the error has the text to paste.',
});

export const nobodyLeftBy = text({
  displayName: 'Fields Without Such a Meaning',
  name: 'nobodyLeftBy',
  placeholder: 'e.g. Country, Owner',
  description:
    'Input fields by which nobody leaves, separated by commas. An item in which one of them refuses emails in known words, such as "unsubscribed", is not imported all the same.',
});

export const yesNo = text({
  displayName: 'Words for Yes and No',
  name: 'yesNo',
  placeholder: 'e.g. Ja = yes, Nein = no',
  description:
    'What the values of yes/no fields say in words that are not known. Where an answer is missing, the error has the text to paste.',
});

export const dateOrder = select({
  displayName: 'Date Order',
  name: 'dateOrder',
  default: 'dmy',
  description: 'How to read dates such as 01/02/2026 where no date of their field shows it',
  options: [
    { name: 'Day First', value: 'dmy' },
    { name: 'Month First', value: 'mdy' },
  ],
});

export const decimalMark = select({
  displayName: 'Decimal Mark',
  name: 'decimalMark',
  default: '.',
  description: 'How to read texts such as 1.234 where no number of their field shows it',
  options: [
    { name: 'Comma', value: ',' },
    { name: 'Point', value: '.' },
  ],
});

const unconfirmed = select({
  displayName: 'People Who Never Confirmed',
  name: 'unconfirmed',
  default: 'leave',
  description: 'What to do with people of whom the items say that they signed up and never confirmed',
  options: [
    { name: 'Ask Again by a Confirmation Email', value: 'confirm', description: 'They get emails once they confirm' },
    { name: 'Leave Out', value: 'leave' },
  ],
});

export const keepOut = text({
  displayName: 'Keep Out',
  name: 'keepOut',
  placeholder: 'e.g. gone@example.com, left@example.org',
  description:
    'People who are not imported: email addresses or SHA-256 hashes of them in lower case, separated by commas, blanks or lines, or a list from an expression. Of items with a status, such as those of Get Many, only people who left, bounced or complained are kept out.',
});

export const onlyPreview = toggle({
  displayName: 'Only Preview',
  name: 'onlyPreview',
  description:
    'Whether to send nothing, and return one item that says what the import would do. To see who is known already, it reads the publication.',
});

const single = [allowLargeImport, batchSize, dateOrder, decimalMark, onlyPreview, unconfirmed];

export const importOptions: readonly INodeProperties[] = collection('options', 'Options', 'Add option', [
  ...single,
  keepOut,
  leftBy,
  nobodyLeftBy,
  yesNo,
]);

/** What the user says of items that do not tell by themselves who wants emails. */
export type ConsentAnswers = Pick<ConsentOptions, 'leftBy' | 'nobodyLeftBy'>;

/** The options of an import. */
export interface ReadOptions extends ConsentAnswers, NotationAnswers {
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
 * @throws ParameterMismatch, and TableError for an answer that can't be read
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
    leftBy: leftByIn(textIn(leftBy, entered)),
    nobodyLeftBy: namesIn(textIn(nobodyLeftBy, entered)),
    yesNo: yesNoIn(textIn(yesNo, entered)),
    dateOrder: (['dmy', 'mdy'] as const).find((order) => order === values[dateOrder.name]),
    decimalMark: (['.', ','] as const).find((mark) => mark === values[decimalMark.name]),
    batchSize: typeof limit === 'number' ? Math.floor(limit) : undefined,
    asksUnconfirmed: values[unconfirmed.name] === 'confirm',
    keepOut: list,
    isPreview: values[onlyPreview.name] === true,
    allowsLarge: values[allowLargeImport.name] === true,
  };
}

/** An expression may give a list of lines. */
const textIn = ({ name }: INodeProperties, entered: Readonly<Record<string, unknown>>): string =>
  [entered[name] ?? ''].flat().map(String).join('\n');

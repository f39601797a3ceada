/** `docs/weight.md`, the table of the weight of each room with its budgets: read, compared and written. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { root } from './root.ts';
import { kinds, weigh, written, type Kind, type Weights } from './weight.ts';
import { UserError } from './user-error.mjs';

const ledger = 'docs/weight.md';

/** What has a budget, with its unit. */
const units = {
  product: 'lines of product',
  tests: 'lines of tests',
  words: 'words of documentation',
} as const satisfies Partial<Record<Kind, string>>;
const budgeted = Object.keys(units) as (keyof typeof units)[];

interface Row {
  readonly room: string;
  readonly kind: string;
  readonly budget: number;
  /** Empty, or how far the figure may exceed its budget and why: `up to 1,200: a sentence`. */
  readonly why: string;
}

/** The budget above a figure: 3 %, and in small rooms 20, so that they can be worked in. */
const above = (figure: number): number => figure + Math.max(Math.ceil(figure * 0.03), 20);

const numberOf = (cell: string): number => Number(cell.replaceAll(',', ''));

const exception = /^up to ([\d,]+): \S+ \S/;

const limitOf = ({ budget, why }: Row): number => numberOf(exception.exec(why)?.[1] ?? String(budget));

const table = /(?<=<!-- weight -->\r?\n\r?\n).*?(?=\r?\n\r?\n<!-- \/weight -->)/s;

/** The rows that have a budget. */
function readRows(page: string): readonly Row[] {
  const [, , ...lines] = table.exec(page)?.[0].split(/\r?\n/) ?? [];
  return lines.flatMap((line) => {
    const [, room = '', kind = '', , budget = '', why = '', ...rest] = line.split('|').map((cell) => cell.trim());
    if (rest.length !== 1 || !/^[\d,]+$|^–$/.test(budget) || (why && !exception.test(why)))
      throw new UserError(
        `${ledger} has a row that cannot be read: ${line}`,
        'It has five cells. The last is empty, or has the form "up to 1,200: one sentence with the reason".',
      );
    return budget === '–' ? [] : { room, kind, budget: numberOf(budget), why };
  });
}

/** Each figure that has a budget, or none yet. */
const figuresOf = (weights: Weights, rows: readonly Row[]) =>
  [...weights].flatMap(([room, weight]) =>
    budgeted.flatMap((kind) => {
      const row = rows.find((each) => each.room === room && each.kind === kind);
      return weight[kind] ? { room, kind, figure: weight[kind], row } : [];
    }),
  );

/**
 * The figures above their budgets, each in a sentence that says what to do.
 *
 * @throws UserError for a row that cannot be read, and where the folder is no clone
 */
export function exceededBudgets(folder: string = root): readonly string[] {
  const rows = readRows(readFileSync(join(folder, ledger), 'utf8'));
  return figuresOf(weigh(folder), rows).flatMap(({ room, kind, figure, row }) => {
    const has = `${room} has ${written(figure)} ${units[kind]}`;
    if (!row) return `${has}, and no budget for them: "npm run generate" gives it one.`;
    const limit = limitOf(row);
    if (figure <= limit) return [];
    return `${has}, ${written(figure - limit)} above the budget of ${written(limit)}. Remove some, or write "up to ${written(
      above(figure),
    )}: " and one sentence with the reason into the last cell of its row in ${ledger}.`;
  });
}

/**
 * The table with the figures as they are now. A budget falls with its figure and never rises.
 *
 * @throws UserError for a row that cannot be read, and where the folder is no clone
 */
export function generate(folder: string = root): Readonly<Record<string, string>> {
  const page = readFileSync(join(folder, ledger), 'utf8');
  const weights = weigh(folder);
  const rows = figuresOf(weights, readRows(page)).map(({ room, kind, figure, row }) => {
    const budget = Math.min(row?.budget ?? Infinity, above(figure));
    return [room, kind, written(figure), written(budget), figure > budget ? (row?.why ?? '') : ''];
  });
  const generated = [...weights].flatMap(([room, { generated: lines }]) =>
    lines ? [[room, 'generated', written(lines), '–', '']] : [],
  );
  const sums = kinds.map((kind) => {
    const sum = [...weights.values()].reduce((total, { [kind]: figure = 0 }) => total + figure, 0);
    return ['all', kind, written(sum), '–', ''];
  });
  const lines = [...rows, ...generated, ...sums].map((cells) => `| ${cells.join(' | ')} |`);
  const text = ['| Room | Kind | Figure | Budget | Why |', '|---|---|---|---|---|', ...lines].join('\n');
  return { [ledger]: page.replace(table, () => text) };
}

/** The results of a run of the benchmarks: compared with their goals, as JSON and as a page of the documentation. */
import type { Figure } from './figure.ts';
import type { Goal, Measurement } from './measurements.ts';

/** Where and with what the figures were measured. */
export interface Environment {
  /** ISO 8601 */
  readonly date: string;
  readonly machine: {
    readonly processor: string;
    readonly cores: number;
    readonly memoryGb: number;
    readonly system: string;
    /** Load average of the minute before the run. */
    readonly load: number;
  };
  /** By the name of the program or package. */
  readonly versions: Readonly<Record<string, string>>;
}

/** At the limit: it keeps to its goal, but only by digits that are not shown, such as 49.995 of at most 50. */
export type Verdict = 'met' | 'at the limit' | 'short' | 'not measured';

/** One figure with its goal, as `benchmarks.json` has it. */
export interface Result {
  /** The measurement and the name of the goal: `relay/accept.rate` */
  readonly id: string;
  readonly package: string;
  readonly title: string;
  readonly goal: { readonly sign: '<' | '≤' | '≥'; readonly bound: number; readonly unit: string };
  /** Null where it was not measured. */
  readonly median: number | null;
  /** The median divided by the peer's, by the peer's name. */
  readonly ratios: Readonly<Record<string, number>>;
  readonly verdict: Verdict;
  /** How it was measured, or why it was not. */
  readonly detail: string;
}

export interface Report extends Environment {
  readonly results: readonly Result[];
}

/** What one measurement gave: its figures, or the reason that there are none. */
export type Outcome = Readonly<Record<string, Figure>> | { readonly missing: string };

/** The results of a measurement's goals, in their order. */
export function resultsOf({ script, goals }: Measurement, outcome: Outcome): readonly Result[] {
  const reason = 'missing' in outcome && typeof outcome.missing === 'string' ? outcome.missing : undefined;
  return Object.entries(goals).map(([name, goal]) => {
    const figure = reason === undefined ? (outcome as Readonly<Record<string, Figure>>)[name] : undefined;
    const [room = '', title = goal.title] = goal.title.split(/: (.*)/s);
    const measured = figure && Number.isFinite(figure.value) ? figure : undefined;
    const bound = boundOf(goal);
    return {
      id: `${script.replace(/\.ts$/, '')}.${name}`,
      package: room,
      title,
      goal: bound,
      median: measured?.value ?? null,
      ratios: measured ? { ...(goal.peer && { [goal.peer]: measured.value }), ...measured.ratios } : {},
      verdict: verdictOf(bound, measured?.value ?? null),
      detail: measured?.detail ?? reason ?? 'The measurement printed no such figure.',
    };
  });
}

function boundOf({ must, unit }: Goal): Result['goal'] {
  if ('below' in must) return { sign: '<', bound: must.below, unit };
  if ('atMost' in must) return { sign: '≤', bound: must.atMost, unit };
  return { sign: '≥', bound: must.atLeast, unit };
}

/** A count that equals its bound has met it. */
function verdictOf({ sign, bound }: Result['goal'], median: number | null): Verdict {
  if (median === null) return 'not measured';
  const isKept = sign === '<' ? median < bound : sign === '≤' ? median <= bound : median >= bound;
  if (!isKept) return 'short';
  return isShownAsBound(bound, median) ? 'at the limit' : 'met';
}

/** The committed report: its JSON, and the page that follows from it. Paths are relative to the root. */
export const committedReport = {
  data: 'docs/src/data/benchmarks.json',
  page: 'docs/src/content/docs/benchmarks.md',
} as const;
/** Where a report goes in which a figure was not measured. */
const incompleteReport = {
  data: '.output/benchmarks-incomplete.json',
  page: '.output/benchmarks-incomplete.md',
} as const;

/** The text of each file of a new report, by its path. One with a hole never replaces the committed one. */
export function reportFiles(report: Report): Readonly<Record<string, string>> {
  const isWhole = report.results.every(({ verdict }) => verdict !== 'not measured');
  return filesOf(report, isWhole ? committedReport : incompleteReport);
}

/** The files of the committed report, with the verdicts of today's rules. */
export function updatedFiles(report: Report): Readonly<Record<string, string>> {
  const results = report.results.map((result) => ({ ...result, verdict: verdictOf(result.goal, result.median) }));
  return filesOf({ ...report, results }, committedReport);
}

function filesOf(report: Report, paths: typeof committedReport | typeof incompleteReport): Record<string, string> {
  return { [paths.page]: toPage(report), [paths.data]: `${JSON.stringify(report, null, 2)}\n` };
}

/** The verdicts, and how the terminal marks them. */
const marks = {
  met: '✓ met',
  'at the limit': '≈ limit',
  short: '✗ short',
  'not measured': '– none',
} as const satisfies Readonly<Record<Verdict, string>>;

/** The line of a result in the terminal. */
export function toLine({ package: room, title, goal, median, verdict, detail }: Result): string {
  const value = median === null ? 'not measured' : `${roundBeside(goal.bound, median)} ${goal.unit}`;
  return `${marks[verdict].padEnd(8)} ${`${room}: ${title}`.padEnd(90)} ${value.padStart(12)}  (goal ${goal.sign} ${formatNumber(goal.bound)} ${goal.unit})\n${' '.repeat(9)}${detail}`;
}

/** The page `benchmarks.md`. The goals that are not met come first. */
export function toPage({ date, machine, versions, results }: Report): string {
  const verdicts = Object.keys(marks) as Verdict[];
  const count = (verdict: Verdict): number => results.filter((each) => each.verdict === verdict).length;
  const rooms = [...new Set(results.map((each) => each.package))];
  const missed = results.filter(({ verdict }) => verdict !== 'met');
  const listed = Object.entries(versions).map(([name, version]) => `${name} ${version}`);
  return `${[
    '---',
    'title: Benchmarks',
    'description: Every figure that the project promises, as the last complete run measured it, with its goal and its peer.',
    'pagefind: false',
    'tableOfContents: false',
    '---',
    '',
    `- Machine: ${machine.cores} × ${machine.processor}, ${machine.memoryGb} GB of memory, ${machine.system}; load ${machine.load.toFixed(1)} before the run`,
    `- Versions: ${listed.join(', ')}`,
    `- Date: ${date.slice(0, 10)}`,
    '',
    `Verdicts of ${results.length} figures: ${verdicts.map((verdict) => `${count(verdict)} ${verdict}`).join(', ')}.`,
    '',
    '`npm run bench` measures all of them on your machine and writes this page. A figure that varies is the median of several rounds; the list',
    'below each table says how it was measured. Peers are measured in the same run. *Against the peer* is our figure divided by that of the peer.',
    '',
    'A figure at the limit keeps to its goal only by digits that are not shown: another run may miss it.',
    '',
    '## Goals that are not met',
    '',
    ...(missed.length === 0
      ? ['None.']
      : missed.map(
          (each) =>
            `- **${cell(each.package)}: ${cell(each.title)}**: ${value(each)}, goal ${bound(each)}. ${cell(each.detail)}`,
        )),
    ...rooms.flatMap((room) => {
      const own = results.filter((each) => each.package === room);
      return [
        '',
        `## ${room}`,
        '',
        '| Figure | Goal | Median | Against the peer | Result |',
        '|---|---|---|---|---|',
        ...own.map(
          (each) => `| ${cell(each.title)} | ${bound(each)} | ${value(each)} | ${ratios(each)} | ${each.verdict} |`,
        ),
        '',
        ...own.map((each) => `- *${cell(each.title)}*: ${cell(each.detail)}`),
      ];
    }),
  ].join('\n')}\n`;
}

const bound = ({ goal }: Result): string => `${goal.sign} ${formatNumber(goal.bound)} ${goal.unit}`;
const value = ({ median, goal }: Result): string =>
  median === null ? 'not measured' : `${roundBeside(goal.bound, median)} ${goal.unit}`;
const ratios = (result: Result): string =>
  Object.entries(result.ratios)
    .map(([peer, ratio]) => `${round(ratio)} × ${cell(peer)}`)
    .join('<br>') || '–';
/** A text in a cell of a table or in a list item, without characters that Markdown reads as markup. */
const cell = (text: string): string => text.replaceAll(/\s+/g, ' ').replaceAll(/[|<>*_`[\]]/g, String.raw`\$&`);

const formatNumber = (number: number): string => number.toLocaleString('en', { maximumFractionDigits: 3 });
/** Whether a value that differs from the bound is rounded to it. */
const isShownAsBound = (bound: number, number: number): boolean =>
  number !== bound && round(number) === formatNumber(bound);
const round = (number: number): string => {
  const size = Math.abs(number);
  return formatNumber(size < 10 ? Number(number.toPrecision(3)) : Number(number.toFixed(size < 100 ? 1 : 0)));
};
/** Rounds, but keeps more digits of a figure that would round to its bound: 0.1003 falls short of at most 0.1. */
const roundBeside = (bound: number, number: number): string =>
  isShownAsBound(bound, number) ? number.toLocaleString('en', { maximumSignificantDigits: 5 }) : round(number);

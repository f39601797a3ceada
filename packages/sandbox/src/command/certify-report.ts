/** What `newsletter-sandbox certify` prints: a line for each scenario, each failure, and a summary. */
import { fieldChanges, type AnswerDeviation } from '../control/deviations.ts';
import { groupOf, type Scenario } from './scenarios.ts';

/** The result of a command under a scenario. */
export interface Verdict {
  readonly name: string;
  readonly kind: Scenario['kind'];
  /** `not met`: the command succeeded, and none of its requests met what the scenario changes. */
  readonly outcome: 'survived' | 'failed' | 'not met' | 'not claimed';
  readonly seconds: number;
  readonly deviation?: AnswerDeviation;
  /** What went wrong; left out where nothing did. */
  readonly failure?: ScenarioFailure;
}

export interface ScenarioFailure {
  readonly about: string;
  readonly code: number;
  readonly how: string;
  /** The last requests, as lines; no tokens, no addresses. */
  readonly requests: readonly string[];
  /** What the command printed last. */
  readonly output: readonly string[];
}

const marks = { survived: '✓', failed: '✗', 'not met': '–', 'not claimed': ' ' } as const;

/** A line for one scenario, or for all deviations of an operation. */
export function lineOf(verdicts: readonly Verdict[], width: number): string {
  const [first] = verdicts;
  if (!first) return '';
  const outcome = (['failed', 'survived', 'not met', 'not claimed'] as const).find((each) =>
    verdicts.some((verdict) => verdict.outcome === each),
  );
  const seconds = verdicts.reduce((sum, verdict) => sum + verdict.seconds, 0);
  const time = outcome === 'not claimed' ? '' : `${seconds.toFixed(1)} s`;
  const result = first.deviation ? countsOf(verdicts) : first.failure ? `failed: ${first.failure.how}` : first.outcome;
  return `  ${marks[outcome ?? 'not met']} ${groupOf(first).padEnd(width)}  ${time.padStart(6)}  ${result}`.trimEnd();
}

/** `100 of 104 survived, 4 failed` */
function countsOf(verdicts: readonly Verdict[]): string {
  const count = (outcome: Verdict['outcome']): number =>
    verdicts.filter((verdict) => verdict.outcome === outcome).length;
  const others = (['failed', 'not met', 'not claimed'] as const).flatMap((outcome) =>
    count(outcome) > 0 ? [`, ${count(outcome)} ${outcome}`] : [],
  );
  return `${count('survived')} of ${verdicts.length} survived${others.join('')}`;
}

/** Failed deviations of an operation beyond this number are listed by field, without their requests. */
const shownDeviations = fieldChanges.length;

export function failureTexts(verdicts: readonly Verdict[]): string {
  const groups = Map.groupBy(
    verdicts.filter(({ failure }) => failure),
    groupOf,
  );
  return [...groups]
    .map(([name, failed]) =>
      failed.length > shownDeviations ? fieldsText(name, failed) : failed.map(failureText).join(''),
    )
    .join('');
}

/** Each field with the changes that made the command fail. */
function fieldsText(name: string, failed: readonly Verdict[]): string {
  const fields = Map.groupBy(failed, ({ deviation }) => deviation?.field ?? '');
  const width = Math.max(...[...fields.keys()].map((field) => field.length));
  const lines = [...fields].map(([field, each]) => {
    const changes = each.map(({ deviation }) => deviation?.change).join(', ');
    return `  ${field.padEnd(width)}  ${changes}`;
  });
  const [example = ''] = fields.keys();
  return [
    `${name}: the command failed in ${failed.length} runs, each with one field changed:`,
    ...lines,
    `The requests and the output of a field's runs: --only "${name}:${example}"`,
    '',
    '',
  ].join('\n');
}

function failureText({ name, failure }: Verdict): string {
  if (!failure) return '';
  const { about, how, requests, output } = failure;
  const lines = [
    `${name}: ${about}`,
    `The command ${how}. ${requests.length > 0 ? 'Its last requests:' : 'It sent no request.'}`,
    ...requests,
    ...(output.join('') === '' ? [] : ['It printed:', ...output.map((line) => `  ${line}`)]),
  ];
  return `${lines.join('\n')}\n\n`;
}

/** @param unseen - names of deviations that no answer has */
export function summaryOf(verdicts: readonly Verdict[], all: number, unseen: readonly string[]): string {
  const count = (...outcomes: readonly Verdict['outcome'][]): number =>
    verdicts.filter(({ outcome }) => outcomes.includes(outcome)).length;
  const tried = count('survived', 'not met', 'failed');
  const parts = [`Survived ${count('survived', 'not met')} of ${tried} scenarios`];
  if (count('not met') > 0) parts.push(`${count('not met')} of them not met by any request`);
  if (count('not claimed') > 0) parts.push(`${count('not claimed')} not claimed`);
  if (verdicts.length < all) parts.push(`${all - verdicts.length} not tried`);
  if (unseen.length > 0) parts.push(`no answer to the command has ${unseen.join(', ')}`);
  const [first] = verdicts;
  const hint =
    first?.outcome === 'failed'
      ? ' The other scenarios are tried only once the command succeeds in the default one.'
      : '';
  return `${parts.join('; ')}.${hint}`;
}

/** What `newsletter-sandbox certify` prints: a line for each scenario, each failure, and a summary. */
import type { Scenario } from './scenarios.ts';

/** The result of a command under a scenario. */
export interface Verdict {
  readonly name: string;
  readonly kind: Scenario['kind'];
  /** `not met`: the command succeeded, and none of its requests met what the scenario changes. */
  readonly outcome: 'survived' | 'failed' | 'not met' | 'not claimed';
  readonly seconds: number;
  /** What went wrong; left out where nothing did. */
  readonly failure?: ScenarioFailure;
}

interface ScenarioFailure {
  readonly about: string;
  readonly code: number;
  readonly how: string;
  /** The last requests, as lines; no tokens, no addresses. */
  readonly requests: readonly string[];
  /** What the command printed last. */
  readonly output: readonly string[];
}

const marks = { survived: '✓', failed: '✗', 'not met': '–', 'not claimed': ' ' } as const;

export function lineOf({ name, outcome, seconds, failure }: Verdict, width: number): string {
  const time = outcome === 'not claimed' ? '' : `${seconds.toFixed(1)} s`;
  const result = failure ? `failed: ${failure.how}` : outcome;
  return `  ${marks[outcome]} ${name.padEnd(width)}  ${time.padStart(6)}  ${result}`.trimEnd();
}

/** The requests and the output of a failure; empty where there is none. */
export function failureText({ name, failure }: Verdict): string {
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

/** @param all - how many scenarios were chosen */
export function summaryOf(verdicts: readonly Verdict[], all: number): string {
  const count = (...outcomes: readonly Verdict['outcome'][]): number =>
    verdicts.filter(({ outcome }) => outcomes.includes(outcome)).length;
  const tried = count('survived', 'not met', 'failed');
  const parts = [`Survived ${count('survived', 'not met')} of ${tried} scenarios`];
  if (count('not met') > 0) parts.push(`${count('not met')} of them not met by any request`);
  if (count('not claimed') > 0) parts.push(`${count('not claimed')} not claimed`);
  if (verdicts.length < all) parts.push(`${all - verdicts.length} not tried`);
  const [first] = verdicts;
  const hint =
    first?.outcome === 'failed'
      ? ' The other scenarios are tried only once the command succeeds in the default one.'
      : '';
  return `${parts.join('; ')}.${hint}`;
}

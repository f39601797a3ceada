/** `newsletter-sandbox certify -- CMD`: runs a command once in every scenario and prints which it survives. */
import { environmentOf, runCommand } from './child-process.ts';
import type { ServerOptions } from './options.ts';
import { scenarios, type Scenario } from './scenarios.ts';
import { requestLines } from './exec.ts';
import { serve } from './serve.ts';

/** How to certify a command. */
export interface CertifyOptions {
  readonly command: readonly [string, ...string[]];
  /** Names of scenarios to try beside the default one; null for all. */
  readonly only: readonly string[] | null;
  /** Names of scenarios that are not tried. */
  readonly except: readonly string[];
  /** Stops at the first failure. */
  readonly bail: boolean;
  readonly json: boolean;
  /** Milliseconds a run may take. */
  readonly timeout: number;
}

/** Lines shown of a failure's requests and output. */
const shownRequests = 30;
const shownOutput = 15;

/**
 * Runs the command in each scenario, in a fresh sandbox each time, the default one first: a command that fails there
 * is tried no further.
 *
 * @returns 0 where it survived all, 1 where not, 127 where it could not be started, 128 and its number for a signal
 */
export async function certify(options: ServerOptions, certifying: CertifyOptions): Promise<number> {
  const { only, except, bail, json } = certifying;
  const chosen = scenarios.filter(({ name, kind }) => only === null || kind === 'default' || only.includes(name));
  const width = Math.max(...chosen.map(({ name }) => name.length));
  const verdicts: Verdict[] = [];
  const { print, progress } = createPrinter(json);
  let stopped: number | undefined;
  print(`Certifying: ${certifying.command.join(' ')}\n\n`);
  for (const scenario of chosen) {
    progress(scenario.name);
    const { verdict, stop } = except.includes(scenario.name)
      ? { verdict: notClaimed(scenario), stop: undefined }
      : await tryUnder(scenario, options, certifying);
    verdicts.push(verdict);
    stopped = stop;
    print(`${lineOf(verdict, width)}\n`);
    if (stopped !== undefined || (verdict.outcome === 'failed' && (bail || scenario.kind === 'default'))) break;
  }
  print(`\n${verdicts.map(failureText).join('')}${summaryOf(verdicts, chosen.length)}\n`);
  if (json) process.stdout.write(`${JSON.stringify({ command: certifying.command, readings: verdicts }, null, 2)}\n`);
  return stopped ?? (verdicts.some(({ outcome }) => outcome === 'failed') ? 1 : 0);
}

/** Lines of the table, and on a terminal what is being tried until the next one. */
function createPrinter(json: boolean) {
  const isTerminal = process.stderr.isTTY;
  const clear = '\r\x1B[K';
  return {
    print(text: string): void {
      if (isTerminal) process.stderr.write(clear);
      (json ? process.stderr : process.stdout).write(text);
    },
    progress(text: string): void {
      if (isTerminal) process.stderr.write(`${clear}  … ${text}`);
    },
  };
}

async function tryUnder(
  scenario: Scenario,
  options: ServerOptions,
  { command, timeout }: CertifyOptions,
): Promise<{ readonly verdict: Verdict; readonly stop: number | undefined }> {
  const { address, controlToken, sandbox, stop } = await serve({ ...options, fresh: true });
  try {
    scenario.set(sandbox);
    const started = performance.now();
    const ended = await runCommand(command, environmentOf(address, controlToken), { capture: true, timeout });
    const seconds = Math.round((performance.now() - started) / 100) / 10;
    const { name, kind, about } = scenario;
    const outcome = ended.code !== 0 ? 'failed' : scenario.met(sandbox) ? 'survived' : 'not met';
    const verdict: Verdict = {
      name,
      kind,
      outcome,
      seconds,
      ...(outcome === 'failed' && {
        failure: {
          about,
          ...ended,
          requests: requestLines(sandbox.requests()).slice(-shownRequests),
          output: ended.output.trimEnd().split('\n').slice(-shownOutput),
        },
      }),
    };
    const signal = ended.interrupted === 'SIGINT' ? 130 : 143;
    return { verdict, stop: ended.interrupted ? signal : ended.started ? undefined : 127 };
  } finally {
    await stop();
  }
}

const notClaimed = ({ name, kind }: Scenario): Verdict => ({ name, kind, outcome: 'not claimed', seconds: 0 });

/** The result of a command under a scenario. */
interface Verdict {
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

function lineOf({ name, outcome, seconds, failure }: Verdict, width: number): string {
  const time = outcome === 'not claimed' ? '' : `${seconds.toFixed(1)} s`;
  const result = failure ? `failed: ${failure.how}` : outcome;
  return `  ${marks[outcome]} ${name.padEnd(width)}  ${time.padStart(6)}  ${result}`.trimEnd();
}

/** The requests and the output of a failure; empty where there is none. */
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

/** @param all - how many scenarios were chosen */
function summaryOf(verdicts: readonly Verdict[], all: number): string {
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

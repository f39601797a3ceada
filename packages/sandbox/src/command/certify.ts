/** `newsletter-sandbox certify -- CMD`: runs a command once in every scenario and prints which it survives. */
import type { Sandbox } from '../sandbox.ts';
import { environmentOf, runCommand } from './child-process.ts';
import type { ServerOptions } from './options.ts';
import { failureTexts, lineOf, summaryOf, type ScenarioFailure, type Verdict } from './certify-report.ts';
import { createSeenDeviations, groupOf, isNamed, scenarios, type Scenario } from './scenarios.ts';
import { requestLines } from './exec.ts';
import { serve, type OnAnswer } from './serve.ts';

/** How to certify a command. */
export interface CertifyOptions {
  readonly command: readonly [string, ...string[]];
  /** Names of scenarios to try beside the default one; null for all but the deviations. */
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
 * is tried no further. Which deviations there are, the answers that it got there decide.
 *
 * @returns 0 where it survived all, 1 where not, 127 where it could not be started, 128 and its number for a signal
 */
export async function certify(options: ServerOptions, certifying: CertifyOptions): Promise<number> {
  const { only, except, bail, json } = certifying;
  const deviations = (only ?? []).filter((name) => name.startsWith('deviation='));
  const seen = createSeenDeviations();
  const chosen = scenarios.filter(({ name, kind }) => only === null || kind === 'default' || only.includes(name));
  const verdicts: Verdict[] = [];
  const { print, progress } = createPrinter(json);
  let stopped: number | undefined;
  let printed = 0;
  print(`Certifying: ${certifying.command.join(' ')}\n\n`);
  // The default one adds scenarios to those that follow.
  for (const [index, scenario] of chosen.entries()) {
    const group = chosen.filter((each) => groupOf(each) === groupOf(scenario));
    progress(group.length > 1 ? `${groupOf(scenario)}: ${index - printed + 1} of ${group.length}` : scenario.name);
    const isDefault = scenario.kind === 'default';
    const { verdict, stop } = except.some((name) => isNamed(scenario, name))
      ? { verdict: notClaimed(scenario), stop: undefined }
      : await tryUnder(scenario, options, certifying, isDefault && deviations.length > 0 ? seen.see : undefined);
    verdicts.push(verdict);
    if (isDefault) chosen.push(...seen.scenarios(deviations));
    stopped = stop;
    const ends = stopped !== undefined || (verdict.outcome === 'failed' && (bail || isDefault));
    if (ends || scenario === group.at(-1)) {
      print(`${lineOf(verdicts.slice(printed), Math.max(...chosen.map((each) => groupOf(each).length)))}\n`);
      printed = verdicts.length;
    }
    if (ends) break;
  }
  const survived = verdicts[0]?.outcome === 'survived';
  const unseen = deviations.filter((name) => survived && !chosen.some((scenario) => isNamed(scenario, name)));
  print(`\n${failureTexts(verdicts)}${summaryOf(verdicts, chosen.length, unseen)}\n`);
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
  onAnswer: OnAnswer | undefined,
): Promise<{ readonly verdict: Verdict; readonly stop: number | undefined }> {
  const { address, controlToken, sandbox, stop } = await serve({ ...options, fresh: true, onAnswer });
  try {
    scenario.set(sandbox);
    const started = performance.now();
    const ended = await runCommand(command, environmentOf(address, controlToken), { capture: true, timeout });
    const seconds = Math.round((performance.now() - started) / 100) / 10;
    const { about } = scenario;
    const outcome = ended.code !== 0 ? 'failed' : scenario.met(sandbox) ? 'survived' : 'not met';
    const verdict: Verdict = {
      ...identityOf(scenario),
      outcome,
      seconds,
      ...(outcome === 'failed' && { failure: { about, ...ended, ...evidence(sandbox, ended.output) } }),
    };
    const signal = ended.interrupted === 'SIGINT' ? 130 : 143;
    return { verdict, stop: ended.interrupted ? signal : ended.started ? undefined : 127 };
  } finally {
    await stop();
  }
}

function evidence(sandbox: Sandbox, output: string): Pick<ScenarioFailure, 'requests' | 'output'> {
  return {
    requests: requestLines(sandbox.requests()).slice(-shownRequests),
    output: output.trimEnd().split('\n').slice(-shownOutput),
  };
}

const identityOf = ({ name, kind, deviation }: Scenario): Pick<Verdict, 'name' | 'kind' | 'deviation'> => ({
  name,
  kind,
  ...(deviation && { deviation }),
});

const notClaimed = (scenario: Scenario): Verdict => ({ ...identityOf(scenario), outcome: 'not claimed', seconds: 0 });

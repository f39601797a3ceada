/** `newsletter-relay check`: reports whether signups would be accepted and delivered, without sending one. */
import process from 'node:process';
import type { Command } from '@commander-js/extra-typings';
import { UsageError } from '#command-line';
import { createClient } from '@newsletter-kit/core';
import { isAddress } from '@newsletter-kit/core/signup';
import { readConfig } from '../config/read.ts';
import { secretsOf, type RelayConfig } from '../config/settings.ts';
import { checkAll, checkService, checkStore } from '../checks.ts';
import { openTransport } from '../confirmation/smtp.ts';
import { StartupError, StoreInUseError } from '../errors.ts';
import { type CheckOptions, type CheckResult, OperatorError, selectorFormat } from '../ops/operator.ts';
import { localRelay, remoteRelay, type RunningRelay, withStore } from './with-operator.ts';

const marks: Readonly<Record<CheckResult['result'], string>> = { ok: '✓', warning: '!', failed: '✗' };

export function define(command: Command) {
  const described = command
    .option('--json', 'print JSON, for programs')
    .option('--dkim <selector>', 'look up the DKIM key with which the mail server signs, by its selector')
    .option('--mail <address>', 'send a confirmation mail to this address, with a link that confirms nothing');
  return described.action(async ({ json, dkim, mail }) => {
    if (mail !== undefined && !isAddress(mail)) throw new UsageError('--mail must be an e-mail address.');
    if (dkim !== undefined && !selectorFormat.test(dkim)) throw new UsageError('--dkim must be a name such as s1.');
    const asked = { dkim, mail };
    const remote = remoteRelay(command);
    const results = remote
      ? await askRelay(remote, asked)
      : await askRelay(localRelay(), asked).catch((error: unknown) => checkHere(error, asked));
    const lines = results.map(({ name, result, text }) => `${marks[result]} ${name}: ${text}`);
    process.stdout.write(`${json ? JSON.stringify(results, null, 2) : lines.join('\n')}\n`);
    if (results.some(({ result }) => result === 'failed')) process.exitCode = 1;
  });
}

/** The relay's own checks: its settings, files and network may be other ones than those of this shell. */
async function askRelay({ address, operator }: RunningRelay, asked: CheckOptions): Promise<readonly CheckResult[]> {
  const results = await operator.check(asked);
  return [{ name: 'relay', result: 'ok', text: `the relay at ${address} has checked itself` }, ...results];
}

/** Checks with the settings of this shell where no relay can be asked. */
async function checkHere(unanswered: unknown, asked: CheckOptions): Promise<readonly CheckResult[]> {
  if (!(unanswered instanceof OperatorError)) throw unanswered;
  const text = `${unanswered.message} So the settings of this shell are checked, which may be other ones than those of the relay.`;
  const config = readConfig(process.env); // reports every problem of the settings
  const secrets = secretsOf(config);
  const service = checkService({ config, secrets, now: Date.now }, (token) =>
    createClient({ baseUrl: config.api.url, token }),
  );
  const results = await checkAll({ config, secrets }, openTransport, asked, [checkOwnStore(config), service]);
  return [{ name: 'relay', result: 'warning', text }, ...results];
}

/** Opens the store and tries it. */
async function checkOwnStore(config: RelayConfig): Promise<readonly CheckResult[]> {
  const name = 'store';
  try {
    return await withStore(config.store, (store) => checkStore(config, store, Date.now));
  } catch (error) {
    if (error instanceof StoreInUseError)
      return [{ name, result: 'warning', text: 'A running relay has opened it, so it was not tried.' }];
    if (error instanceof StartupError) return [{ name, result: 'failed', text: error.message }];
    throw error;
  }
}

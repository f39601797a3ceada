/** `newsletter-relay check`: reports whether signups would be accepted and delivered, without sending one. */
import { existsSync } from 'node:fs';
import process from 'node:process';
import type { Command } from '@commander-js/extra-typings';
import { createClient } from '@newsletter-kit/core';
import { readConfig, readStoreConfig } from '../config/read.ts';
import { secretsOf, type RelayConfig } from '../config/settings.ts';
import { checkAll, checkMail, checkService, checkStore } from '../checks.ts';
import { openTransport } from '../confirmation/smtp.ts';
import { StartupError, StoreInUseError } from '../errors.ts';
import { type CheckResult, OperatorError, relayOperator } from '../ops/operator.ts';
import { addressOf, operatorToken, remoteRelay, type RemoteRelay } from './with-operator.ts';

const marks: Readonly<Record<CheckResult['result'], string>> = { ok: '✓', warning: '!', failed: '✗' };

export function define(command: Command) {
  return command.option('--json', 'print JSON, for programs').action(async ({ json }) => {
    const remote = remoteRelay(command);
    const results = remote ? await askRelay(remote) : await askRelay(localRelay()).catch(checkHere);
    const lines = results.map(({ name, result, text }) => `${marks[result]} ${name}: ${text}`);
    process.stdout.write(`${json ? JSON.stringify(results, null, 2) : lines.join('\n')}\n`);
    if (results.some(({ result }) => result === 'failed')) process.exitCode = 1;
  });
}

/** The relay that should run on this machine, by the few settings that name it. */
function localRelay(): RemoteRelay {
  const config = readStoreConfig(process.env);
  const address = addressOf(config.listen);
  // A token is stored beside the file of a relay that has run.
  const isNew = config.store.kind === 'sqlite' && !existsSync(config.store.path);
  return { address, operator: relayOperator(address, (isNew ? undefined : operatorToken(config)) ?? '') };
}

/** The relay's own checks: its settings, files and network may be other ones than those of this shell. */
async function askRelay({ address, operator }: RemoteRelay): Promise<readonly CheckResult[]> {
  const results = await operator.check();
  return [{ name: 'relay', result: 'ok', text: `the relay at ${address} has checked itself` }, ...results];
}

/** Checks with the settings of this shell where no relay can be asked. */
async function checkHere(unanswered: unknown): Promise<readonly CheckResult[]> {
  if (!(unanswered instanceof OperatorError)) throw unanswered;
  const text = `${unanswered.message} So the settings of this shell are checked, which may be other ones than those of the relay.`;
  const config = readConfig(process.env); // reports every problem of the settings
  const secrets = secretsOf(config);
  const service = checkService({ config, secrets, now: Date.now }, (token) =>
    createClient({ baseUrl: config.api.url, token }),
  );
  const results = await checkAll(config, [checkOwnStore(config), service, checkMail(config, secrets, openTransport)]);
  return [{ name: 'relay', result: 'warning', text }, ...results];
}

/** Opens the store and tries it. */
async function checkOwnStore(config: RelayConfig): Promise<readonly CheckResult[]> {
  const name = 'store';
  // Loaded only now, so that help and completion answer at once.
  const { openStore } = await import('../store/open-store.ts');
  try {
    const store = await openStore(config.store);
    try {
      return await checkStore(config, store, Date.now);
    } finally {
      await store.close();
    }
  } catch (error) {
    if (error instanceof StoreInUseError)
      return [{ name, result: 'warning', text: 'A running relay has opened it, so it was not tried.' }];
    if (error instanceof StartupError) return [{ name, result: 'failed', text: error.message }];
    throw error;
  }
}

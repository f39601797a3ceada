/** `newsletter-relay check`: reports whether signups would be accepted and delivered, without sending one. */
import process from 'node:process';
import type { Command } from '@commander-js/extra-typings';
import { createClient } from '@newsletter-kit/core';
import { readConfig } from '../config/read.ts';
import { secretsOf, type RelayConfig } from '../config/settings.ts';
import { checkMail, checkOrigins, checkService, checkStoreClock, type CheckResult } from '../checks.ts';
import { storeName } from '../config/store-address.ts';
import { StartupError, StoreInUseError, StoreUnavailableError } from '../errors.ts';
import { addressOf, refuseRemote } from './with-operator.ts';

const marks: Readonly<Record<CheckResult['result'], string>> = { ok: '✓', warning: '!', failed: '✗' };

export function define(command: Command) {
  return command.option('--json', 'print JSON, for programs').action(async ({ json }) => {
    refuseRemote(command);
    const config = readConfig(process.env); // reports every problem of the settings
    const secrets = secretsOf(config);
    const results: readonly CheckResult[] = [
      { name: 'settings', result: 'ok', text: 'complete' },
      checkOrigins(config),
      ...(await checkStore(config)),
      ...(await checkService({ config, secrets, now: Date.now }, (token) =>
        createClient({ baseUrl: config.api.url, token }),
      )),
      ...(await checkMail(config, secrets)),
    ];
    const lines = results.map(({ name, result, text }) => `${marks[result]} ${name}: ${text}`);
    process.stdout.write(`${json ? JSON.stringify(results, null, 2) : lines.join('\n')}\n`);
    if (results.some(({ result }) => result === 'failed')) process.exitCode = 1;
  });
}

/** Writes and syncs, as a signup would. Where a running relay holds the store, asks that relay. */
async function checkStore({ store: address, listen }: RelayConfig): Promise<readonly CheckResult[]> {
  const name = 'store';
  // Loaded only now, so that help and completion answer at once.
  const { openStore } = await import('../store/open-store.ts');
  try {
    const store = await openStore(address);
    try {
      await store.probe(Date.now());
      const clock = await checkStoreClock(store, Date.now);
      return [{ name, result: 'ok', text: `${storeName(address)} can be written` }, ...clock];
    } finally {
      await store.close();
    }
  } catch (error) {
    if (error instanceof StoreInUseError) return [await askRelay(addressOf(listen))];
    if (error instanceof StartupError || error instanceof StoreUnavailableError)
      return [{ name, result: 'failed', text: error.message }];
    throw error;
  }
}

async function askRelay(address: string): Promise<CheckResult> {
  const answer = await fetch(`${address}/readyz`, { signal: AbortSignal.timeout(10_000) }).catch(() => null);
  const text =
    answer === null
      ? `A running relay holds it, which does not answer at ${address}: check RELAY_HOST and RELAY_PORT.`
      : `the relay at ${address} holds it and ${answer.ok ? 'can write it' : 'cannot write it'}`;
  return { name: 'store', result: answer?.ok === true ? 'ok' : 'failed', text };
}

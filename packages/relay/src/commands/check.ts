/** `newsletter-relay check`: checks whether signups would be accepted and delivered, without sending one. */
import process from 'node:process';
import { createClient } from '@newsletter-kit/core';
import { readConfig, secretsOf, type RelayConfig } from '../config.ts';
import { checkMail, checkOrigins, checkService, checkStoreClock, type CheckResult } from '../ops/check.ts';
import { StartupError, StoreInUseError } from '../startup-error.ts';
import { storeName } from '../store/address.ts';
import { StoreUnavailableError } from '../store/signup-store.ts';
import type { Command } from './command.ts';
import { addressOf } from './with-operator.ts';

const marks: Readonly<Record<CheckResult['result'], string>> = { ok: '✓', warning: '!', failed: '✗' };

export const checkCommand: Command = {
  about: 'check settings, origins, store, API key, publications and clock; exit code 1 where signups would not arrive',
  options: { json: { about: 'Print JSON, for programs' } },
  async run({ switches }) {
    const config = readConfig(process.env); // names every mistake in the settings
    const results: readonly CheckResult[] = [
      { name: 'settings', result: 'ok', text: 'complete' },
      checkOrigins(config),
      ...(await checkStore(config)),
      ...(await checkService(config, {
        clientOf: (token) => createClient({ baseUrl: config.api.url, token }),
        secrets: secretsOf(config),
        now: Date.now,
      })),
      ...(await checkMail(config, secretsOf(config))),
    ];
    const lines = results.map(({ name, result, text }) => `${marks[result]} ${name}: ${text}`);
    process.stdout.write(`${switches.has('json') ? JSON.stringify(results, null, 2) : lines.join('\n')}\n`);
    if (results.some(({ result }) => result === 'failed')) process.exitCode = 1;
  },
};

/** Writes and syncs to the store, as a signup would. If a running relay holds the store, asks that relay. */
async function checkStore({ store: address, listen }: RelayConfig): Promise<readonly CheckResult[]> {
  const name = 'store';
  // Loaded on demand: an old Node lacks its SQLite, and the version check must come first.
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

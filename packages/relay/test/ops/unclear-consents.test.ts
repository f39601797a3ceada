/** Consents in words that nobody has named: what check, status and metrics ask the operator about. */
import { expect, it } from 'vitest';
import { metricsOf, operatorRequest, post, type RelayParts, runRelay } from '../running-relay.ts';

/** What a relay shows after posts with these consents. */
async function shown(consents: readonly string[], parts: RelayParts = {}) {
  const relay = runRelay(parts);
  for (const [index, consent] of consents.entries())
    await relay.fetch(post({ email: `p${index}@example.com`, consent }));
  const { checks } = (await (await relay.fetch(operatorRequest('/operator/api/check'))).json()) as {
    checks: { name: string; text: string }[];
  };
  const { running } = (await (await relay.fetch(operatorRequest('/operator/api/status'))).json()) as {
    running: { unclearConsents: string | null };
  };
  const metric = /^newsletter_relay_unclear_consents\{form="default"\} (\d+)$/m.exec(await metricsOf(relay));
  return {
    check: checks.filter(({ name }) => name === 'consent'),
    status: running.unclearConsents,
    metric: Number(metric?.[1]),
    store: relay.store,
  };
}

it('are counted with their words, the most frequent first, and their sentence is asked for', async () => {
  const long = `I agree that ${'you '.repeat(100)}`;
  const { check, status, metric } = await shown([
    'nein',
    'I agree.',
    'I agree.',
    'at ada@example.com',
    long,
    'no',
    'on',
  ]);
  expect(status).toBe(
    `In 30 days 5 signups came with a consent in words that are neither yes nor no, and went on without consent: “I agree.” (2, form "default"), “${long.slice(0, 120)}…” (1, form "default"), “at …” (1, form "default"), and others. If a form shows such a sentence beside its box, name it in RELAY_CONSENT_SENTENCES; for a no, let the form send false.`,
  );
  expect(check).toEqual([{ name: 'consent', result: 'warning', text: status }]);
  expect(metric).toBe(5);
});

it('are asked about no longer once a sentence is named, nor after thirty days', async () => {
  const { store } = await shown(['nein']);
  expect(await shown([], { store })).toMatchObject({ metric: 1 });
  const none = { check: [], status: null, metric: 0 };
  expect(await shown([], { store, settings: { RELAY_CONSENT_SENTENCES: 'I agree.' } })).toMatchObject(none);
  expect(await shown([], { store, now: () => Date.now() + 31 * 86_400_000 })).toMatchObject(none);
});

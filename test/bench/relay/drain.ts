/**
 * How much of the API's quota a relay with a backlog uses, one signup at a time, over three minutes: the quota is told
 * in headers, told only by its 429s, and not told at all.
 */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { createClient, type Fetch } from '@newsletter-kit/core';
import { createLog, createRelay, openStore, readConfig } from '@newsletter-kit/relay';
import { createSandbox, publicationId, type QuotaRequest } from '@newsletter-kit/sandbox';
import { newSignup } from '../../../packages/relay/test/new-signup.ts';
import { tell } from '../figure.ts';

const windows = 3;
const windowSeconds = 60;
const limit = 180;
const answerMs = 50;

const folder = mkdtempSync(join(tmpdir(), 'relay-bench-'));

async function run(name: string, quota: Partial<QuotaRequest>): Promise<{ used: number; refused: number }> {
  const sandbox = createSandbox({ seed: 'empty', profile: 'unlimited' });
  sandbox.rateLimit.use({ limit, windowSeconds, headers: false, retryAfter: false, ...quota });
  const config = readConfig({
    NEWSLETTER_API_URL: 'http://sandbox.test/v2',
    NEWSLETTER_API_KEY: 'sandbox-key',
    NEWSLETTER_PUBLICATION_ID: publicationId,
    RELAY_ALLOWED_ORIGINS: 'https://shop.example',
  });
  const store = await openStore({ kind: 'sqlite', path: join(folder, `${name}.db`) });
  await Promise.all(
    Array.from({ length: limit * (windows + 1) }, (_, i) => store.accept(newSignup(`p${i}@example.com`))),
  );
  const answered = { passed: 0, refused: 0 };
  const fetch: Fetch = async (...request) => {
    await sleep(answerMs);
    const answer = await sandbox.fetch(new Request(...request));
    answered[answer.status === 429 ? 'refused' : 'passed'] += 1;
    return answer;
  };
  const clientOf = (token: string) => createClient({ baseUrl: config.api.url, token, fetch });
  const relay = createRelay({ config, store, clientOf, log: createLog({ level: 'silent' }) });
  relay.start();
  await sleep(windows * windowSeconds * 1000 - 200);
  const { passed, refused } = answered;
  await relay.stop(0);
  await store.close();
  sandbox.close();
  return { used: passed / (limit * windows), refused };
}

const kinds: Readonly<Record<string, Partial<QuotaRequest>>> = {
  headers: { headers: true, retryAfter: true },
  'Retry-After': { retryAfter: true },
  nothing: {},
};
const results = await Promise.all(
  Object.entries(kinds).map(async ([name, quota]) => ({ name, ...(await run(name, quota)) })),
);
rmSync(folder, { recursive: true });
tell({
  drain: {
    value: Math.min(...results.map(({ used }) => used)),
    detail: `the least of: ${results.map(({ name, used, refused }) => `told by ${name} ${used.toFixed(3)} (${refused} × 429)`).join(', ')}; ${limit} requests in ${windowSeconds} s`,
  },
});

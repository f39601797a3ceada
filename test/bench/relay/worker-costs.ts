/**
 * Counts in workerd what Cloudflare charges for on the relay's Worker: requests, rows read and rows written. For
 * signups that arrive one by one, each with an alarm of its own, which is the most; and for a day without any.
 */
import { serve } from '@hono/node-server';
import { apiKeys, createSandbox, publicationId } from '@newsletter-kit/sandbox';
import { setTimeout as sleep } from 'node:timers/promises';
import { bundleWorker, startWorkerd } from '../../../scripts/workerd.ts';
import { reportFigures } from '../figure.ts';
import type { Charged, ChargedSoFar } from '../../../packages/relay/test/worker/counted-worker.ts';

const signups = 100;
/** Milliseconds between two looks whether the object is idle. */
const lookEveryMs = 20;
const token = 'operator-token-of-the-bench';

const sandbox = createSandbox({ seed: 'empty', profile: 'unlimited' });
const listening = Promise.withResolvers<number>();
const server = serve({ port: 0, hostname: '127.0.0.1', fetch: (request) => sandbox.fetch(request) }, ({ port }) =>
  listening.resolve(port),
);
const { url, workerd, runCron } = await startWorkerd(
  await bundleWorker('packages/relay/test/worker/counted-worker.ts'),
  {
    variables: {
      NEWSLETTER_API_URL: `http://127.0.0.1:${await listening.promise}/v2`,
      NEWSLETTER_API_KEY: apiKeys.workspace,
      NEWSLETTER_PUBLICATION_ID: publicationId,
      RELAY_ALLOWED_ORIGINS: 'https://shop.example',
      RELAY_OPERATOR_TOKEN: token,
      // Active at once: what the API still checks wakes the object once more, ten minutes later.
      RELAY_DOUBLE_OPT_OVERRIDE: 'off',
    },
  },
);

/** What was charged until the object is idle. */
async function chargedUntilIdle(): Promise<Charged> {
  let total: Charged = { requests: 0, rowsRead: 0, rowsWritten: 0 };
  for (;;) {
    const more = (await (await fetch(`${url}/charged`)).json()) as ChargedSoFar;
    total = sum(total, more);
    if (more.isIdle) return total;
    await sleep(lookEveryMs);
  }
}

function sum(a: Charged, b: Charged): Charged {
  return {
    requests: a.requests + b.requests,
    rowsRead: a.rowsRead + b.rowsRead,
    rowsWritten: a.rowsWritten + b.rowsWritten,
  };
}

let requests = 0;

/** As a browser does that shows the form for the first time: with a preflight. */
async function signUp(n: number): Promise<void> {
  const post = {
    origin: 'https://shop.example',
    'content-type': 'application/json',
    'cf-connecting-ip': `10.0.${n >> 8}.${n & 255}`,
  };
  const preflight = { ...post, 'access-control-request-method': 'POST' };
  const body = JSON.stringify({ email: `visitor.${n}@example.com`, utm_source: 'bench' });
  for (const [method, headers, expected] of [
    ['OPTIONS', preflight, 204],
    ['POST', post, 202],
  ] as const) {
    requests += 1;
    const answer = await fetch(`${url}/signup`, { method, headers, ...(method === 'POST' && { body }) });
    if (answer.status !== expected) throw new Error(`The answer to ${method} was ${answer.status}.`);
  }
}

// The first creates the tables, and erases what has expired.
await signUp(0);
await chargedUntilIdle();
requests = 0;
let all: Charged = { requests: 0, rowsRead: 0, rowsWritten: 0 };
for (let n = 1; n <= signups; n += 1) {
  await signUp(n);
  all = sum(all, await chargedUntilIdle());
}
await runCron();
const cron = await chargedUntilIdle();
await workerd.dispose();
server.close();
sandbox.close();

const perThousand = (count: number): number => (count / signups) * 1000;
/** `wrangler.jsonc` wakes each object every five minutes. */
const perDay = (count: number): number => count * 288;
const detail = `${signups} signups, each delivered before the next; a day without any: ${perDay(1)} runs of the cron trigger, ${perDay(cron.requests)} requests to the object, ${perDay(cron.rowsRead)} rows read, ${perDay(cron.rowsWritten)} written`;
reportFigures({
  workerRequests: { value: perThousand(requests), detail: 'a post and its preflight' },
  objectRequests: { value: perThousand(all.requests), detail },
  rowsRead: { value: perThousand(all.rowsRead), detail },
  rowsWritten: {
    value: perThousand(all.rowsWritten),
    detail: `${detail}. An alarm that is set counts as a row written`,
  },
});

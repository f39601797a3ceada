/** The Worker with and without the part that sends mail: its size, and what it says where that is missing. */
import { gzipSync } from 'node:zlib';
import { expect, it, onTestFinished } from 'vitest';
import { bundleWorker, startWorkerd } from '../../../../scripts/workerd.ts';
import { environment, operatorToken } from '../running-relay.ts';

const confirming = {
  RELAY_CONFIRMATION: 'true',
  RELAY_MAIL_FROM: 'news@example.com',
  RELAY_SMTP_URL: 'smtps://relay:secret@mail.example',
  RELAY_PUBLIC_URL: 'https://relay.example',
  RELAY_SECRET: 'a-secret-of-enough-characters',
};

it.each([
  // The words of thirteen languages are 18,000 of it; explanations of TLS and the rule of private routes 1,800.
  ['without', 'index', 242_000, 503],
  ['with', 'mail', 309_000, 200],
])('is small %s SMTP, and answers whether a form that confirms can work', async (_, entry, most, status) => {
  const script = await bundleWorker(`packages/relay/src/worker/${entry}.ts`);
  expect(gzipSync(script).length).toBeLessThanOrEqual(most);
  const { url, workerd } = await startWorkerd(script, {
    variables: { ...environment, ...confirming, RELAY_OPERATOR_TOKEN: operatorToken },
  });
  onTestFinished(() => workerd.dispose());
  const answer = await fetch(`${url}/readyz`, { headers: { authorization: `Bearer ${operatorToken}` } });
  expect(answer.status).toBe(status);
  if (status === 503)
    expect(await answer.text()).toContain("export RelayObject from '@newsletter-kit/relay/worker/mail'");
});

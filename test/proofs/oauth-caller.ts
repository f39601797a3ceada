/** A process that calls the API with the login of a token file, ten times per line on stdin. */
import { createClient } from '@newsletter-kit/core';
import { createFileTokenStore } from '@newsletter-kit/core/node';

const [address = '', path = '', publicationId = '', clientId = ''] = process.argv.slice(2);
const client = createClient({
  baseUrl: `${address}/v2`,
  appUrl: address,
  publicationId,
  oauth: { clientId, redirectUri: 'http://127.0.0.1/callback', store: createFileTokenStore(path) },
});
process.stdout.write('ready\n');
for await (const line of process.stdin) {
  if (String(line).includes('stop')) break;
  await Promise.all(Array.from({ length: 10 }, () => client.subscriptions.list({ limit: 1 })));
  process.stdout.write('called\n');
}

/** Creates a subscription and lists all, with the client of this repository. */
import { createClient } from '@newsletter-kit/core';

const {
  NEWSLETTER_API_URL: baseUrl,
  NEWSLETTER_API_KEY: token,
  NEWSLETTER_PUBLICATION_ID: publicationId,
} = process.env;
const client = createClient({ baseUrl, token, publicationId });

const { data: created } = await client.subscriptions.create({ email: 'ada@example.com', utm_source: 'landing' });
console.log(`Created ${created.id}.`);
let count = 0;
for await (const { email } of client.subscriptions.list({ limit: 100 })) count += email === '' ? 0 : 1;
// 300 of the seed and the new one, on four pages; a deviation is in the first record of each.
if (count < 297) throw new Error(`The list ended after ${count} of 301.`);

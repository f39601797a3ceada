/** Creates a subscription and lists all, with the service's own package. */
import { BeehiivClient } from '@beehiiv/sdk';

const {
  NEWSLETTER_API_URL: baseUrl,
  NEWSLETTER_API_KEY: token,
  NEWSLETTER_PUBLICATION_ID: publicationId,
} = process.env;
const client = new BeehiivClient({ baseUrl, token });

const { data: created } = await client.subscriptions.create(publicationId, {
  email: 'ada@example.com',
  utm_source: 'landing',
});
console.log(`Created ${created.id}.`);
let count = 0;
let cursor;
do {
  const page = await client.subscriptions.index(publicationId, { limit: 100, ...(cursor && { cursor }) });
  for (const { email } of page.data) count += email === '' ? 0 : 1;
  cursor = page.has_more ? page.next_cursor : undefined;
} while (cursor);
// 300 of the seed and the new one, on four pages; a deviation is in the first record of each.
if (count < 297) throw new Error(`The list ended after ${count} of 301.`);

/** Reads one page, its paging fields and the warnings of its response, and goes on from its cursor. */
import { createClient } from '@newsletter-kit/core';
import type { Setting } from './setting.ts';

export default async function program({ options, print }: Setting): Promise<void> {
  const client = createClient(options);
  const { data: first, status } = await client.subscriptions.list({ limit: 5 }).withResponse();
  print(status, first.items.length, first.hasMore);
  const second = await client.subscriptions.list({ limit: 5, cursor: first.nextCursor ?? '' });
  print(second.items.some(({ id }) => first.items[0]?.id === id));
  const { warnings } = await client.subscriptions.list({ limit: 5, page: 1 }).withResponse();
  print(warnings.map(({ code }) => code));
}

/** Sends through a function of its own that counts requests, and calls an endpoint that no method knows. */
import { createClient } from '@newsletter-kit/core';
import type { Setting } from './setting.ts';

export default async function program({ options, print }: Setting): Promise<void> {
  let requests = 0;
  const client = createClient({
    ...options,
    fetch: (url, init) => {
      requests += 1;
      return fetch(url, init);
    },
  });
  await client.customFields.list();
  const answer = await client.request<{ data: unknown[] }>('GET', '/publications/{publicationId}/custom_fields');
  print(requests, answer.data.length > 0);
}

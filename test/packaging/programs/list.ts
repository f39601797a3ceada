/** Prints the free subscriptions that wait for confirmation, the oldest first. */
import { createClient } from '@newsletter-kit/core';
import type { Setting } from './setting.ts';

export default async function program({ options, print }: Setting): Promise<void> {
  const client = createClient(options);
  const waiting = client.subscriptions.list({
    status: 'pending',
    tier: 'free',
    expand: ['stats'],
    order_by: 'created',
    direction: 'asc',
  });
  let previous = 0;
  for await (const { created, status, stats } of waiting) {
    if (previous === 0) print(status, typeof stats?.emails_received);
    if (Number(created) < previous) print('not in order');
    previous = Number(created);
  }
}

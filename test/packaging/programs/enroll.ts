/** Adds a subscriber to the first automation that takes people by API. */
import { createClient } from '@newsletter-kit/core';
import type { Setting } from './setting.ts';

export default async function program({ options, print }: Setting): Promise<void> {
  const client = createClient(options);
  const { data } = await client.subscriptions.create({ email: 'ada@example.com' });
  for await (const { id, status, trigger_events: triggers } of client.automations.list()) {
    if (status !== 'running' || !triggers?.includes('api')) continue;
    const journey = await client.journeys.enroll({ automationId: id, subscription_id: data.id });
    return print(journey.data.email, journey.data.status);
  }
}

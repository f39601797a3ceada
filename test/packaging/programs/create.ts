/** Adds a subscriber with UTM parameters and a custom field, and prints what the service warns about. */
import { createClient } from '@newsletter-kit/core';
import type { Setting } from './setting.ts';

export default async function program({ options, print }: Setting): Promise<void> {
  const client = createClient(options);
  const { data, warnings } = await client.subscriptions.create({
    email: 'ada@example.com',
    utm_source: 'landing',
    utm_campaign: 'spring',
    custom_fields: [{ name: 'Shoe size', value: '38' }],
  });
  print(data.email, data.utm_source, data.utm_campaign);
  for (const { message } of warnings ?? []) print(message);
}

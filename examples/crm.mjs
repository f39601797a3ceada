import { createClient } from '@newsletter-kit/core';

const client = createClient({
  baseUrl: 'http://127.0.0.1:4010/v2',
  token: 'sandbox-key',
  publicationId: 'pub_00000000-0000-4000-8000-000000000001',
});

for await (const { email, utm_source, custom_fields } of client.subscriptions.list({
  status: 'active',
  expand: ['custom_fields'],
})) {
  console.log(email, utm_source, custom_fields); // into your CRM
}

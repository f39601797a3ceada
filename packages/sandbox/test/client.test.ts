/** The sandbox as core's client sees it, in process. */
import { createClient, NotFoundError } from '@newsletter-kit/core';
import { expect, test } from 'vitest';
import { apiKeys, publicationId } from '../src/index.ts';
import { fresh } from './caller.ts';

const connect = (sandbox = fresh(), id = publicationId) =>
  createClient({
    baseUrl: 'http://sandbox.test/v2',
    token: apiKeys.workspace,
    publicationId: id,
    fetch: sandbox.fetch,
    retry: false,
  });

test('the client creates, warns, and iterates over every page', async () => {
  const client = connect();
  await client.customFields.create({ kind: 'list', display: 'Topics' });
  const emails = Array.from({ length: 23 }, (_, index) => `reader+${index}@bücher.example`);
  for (const email of emails)
    await client.subscriptions.create({ email, custom_fields: [{ name: 'Topics', value: ['a', 'ü'] }] });
  const { warnings } = await client.subscriptions.create({
    email: emails[0] ?? '',
    custom_fields: [{ name: 'Nope', value: 1 }],
  });
  expect(warnings?.[0]?.message).toContain('"Nope"');

  const met: unknown[] = [];
  for await (const subscription of client.subscriptions.list({ limit: 5, expand: ['custom_fields'] })) {
    met.push(subscription.email);
    expect(subscription.custom_fields).toEqual([{ name: 'Topics', kind: 'list', value: ['a', 'ü'] }]);
  }
  expect(met).toEqual(emails);
  const byPage: unknown[] = [];
  for await (const subscription of client.subscriptions.list({ limit: 5, page: 1 })) byPage.push(subscription.email);
  expect(byPage).toEqual(emails);
  expect((await client.subscriptions.list({ email: 'READER+7@BÜCHER.example' })).items).toHaveLength(1);
});

test('the client maps the errors to its classes', async () => {
  await expect(connect(fresh(), 'pub_none').subscriptions.create({ email: 'ada@example.com' })).rejects.toThrow(
    NotFoundError,
  );
});

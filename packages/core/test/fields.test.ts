/** The fields that the schemas of answers declare. */
import { expect, test } from 'vitest';
import { fieldsIn, schemas } from '../src/records/index.ts';

test('names every field of an answer by its path, and its enumerations', () => {
  const fields = fieldsIn(schemas['subscriptions.list'].answer);
  expect([...fields.keys()]).toEqual(
    expect.arrayContaining(['data', 'data[]', 'data[].stats.open_rate', 'data[].custom_fields[].name', 'next_cursor']),
  );
  const enumerations = [...fields].filter(([, { words }]) => words).map(([path]) => path);
  expect(enumerations).toEqual([
    'data[].status',
    'data[].subscription_tier',
    'data[].utm_channel',
    'data[].subscription_premium_tiers[].status',
    'data[].custom_fields[].kind',
    'data[].referrals[].status',
  ]);
});

test('the keys of a free object are one field', () => {
  expect([...fieldsIn(schemas['authors.get'].answer).keys()]).toContain('data.social_media_links.*');
});

/** Values of requests that the specification does not show: sent and told, unless one that is known is nearly meant. */
import { expect, it } from 'vitest';
import { createClient, InvalidRequestError, type Client, type Deviation } from '../src/index.ts';

function clientOf() {
  const sent: { readonly url: string; readonly body: string }[] = [];
  const told: Deviation[] = [];
  const client = createClient({
    baseUrl: 'http://api.test/v2',
    token: 'key',
    publicationId: 'pub_1',
    retry: false,
    onDeviation: (deviation) => told.push(deviation),
    async fetch(url, { body, method }) {
      sent.push({ url: decodeURIComponent(url), body: String(body) });
      return Response.json({ data: method === 'POST' ? {} : [] });
    },
  });
  return { client, sent, told };
}

const automationId = 'aut_1';
const cases: readonly [string, (client: Client, value: string) => PromiseLike<unknown>, string, string][] = [
  ['status', ({ subscriptions }, status) => subscriptions.list({ status }), 'asleep', 'actve'],
  ['tier', ({ subscriptions }, tier) => subscriptions.list({ tier }), 'gold', 'premum'],
  [
    'new_status',
    ({ subscriptions }, word) => subscriptions.updateStatus({ subscription_ids: ['sub_1'], new_status: word }),
    'paused',
    'inactiv',
  ],
  ['expand[]', ({ automations }, word) => automations.list({ expand: [word] }), 'journeys', 'stat'],
  ['status', ({ journeys }, status) => journeys.list({ automationId, status }), 'manually_removed', 'complete'],
  ['purpose', ({ conditionSets }, purpose) => conditionSets.list({ purpose }), 'segments', 'dynamic-content'],
  ['kind', ({ customFields }, kind) => customFields.create({ kind, display: 'Topics' }), 'money', 'strng'],
];

it.each(cases)('%s: a value that is not shown is sent and told', async (field, call, value) => {
  const { client, sent, told } = clientOf();
  await call(client, value);
  expect(`${sent[0]?.url} ${sent[0]?.body}`).toContain(value);
  expect(told.filter(({ part }) => part === 'request')).toMatchObject([
    { field, problem: 'holds a value that the specification does not show; sent as it is' },
  ]);
  expect(JSON.stringify(told)).not.toContain(value);
});

it.each(cases)('%s: a value that is nearly known is refused with what is meant', async (_, call, __, value) => {
  const { client, sent } = clientOf();
  const error: unknown = await Promise.resolve(call(client, value)).catch((reason: unknown) => reason);
  expect(error).toBeInstanceOf(InvalidRequestError);
  expect(String(error)).toMatch(/the value of ".*" is not known here; did you mean ".*"\?/);
  expect(sent).toEqual([]);
});

it('a value that is shown stays a closed list, and one of another type is refused', async () => {
  const { client, sent } = clientOf();
  const calls: readonly PromiseLike<unknown>[] = [
    client.subscriptions.create({ email: 'a@example.com', double_opt_override: 'never' as 'on' }),
    client.subscriptions.updateStatus({ subscription_ids: ['sub_1'], new_status: 7 as unknown as string }),
  ];
  for (const call of calls) await expect(Promise.resolve(call)).rejects.toThrow(InvalidRequestError);
  expect(sent).toEqual([]);
});

/** What an item says that failed: which field of the node is wrong, by its label, and what to do about it. */
import { TimeoutError } from '@newsletter-kit/core/engine';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { toNodeFailure } from '../../nodes/Newsletter/transport/failure.ts';
import { workbench } from './workbench.ts';

const bench = workbench();
const ada = 'ada.lovelace@example.com';
const unknown = '00000000-0000-4000-8000-00000000dead';
const nobody = { mode: 'email', value: 'nobody@example.com' };
const automation = async () => ({ automationId: { mode: 'list', value: await bench.first('searchAutomations') } });

interface Row {
  readonly operation: `${string} ${string}`;
  parameters(): object | Promise<object>;
  /** In the message. */
  readonly says: RegExp;
  /** In the remedy. */
  readonly advises?: RegExp;
}

const request = (fields: object) => ({ email: ada, customFields: {}, additionalFields: {}, ...fields });

const rows: readonly Row[] = [
  {
    operation: 'journey enroll',
    parameters: async () => ({ ...(await automation()), subscription: nobody }),
    says: /no such subscriber.*"Automations" can enroll it/,
    advises: /check "Subscription" and "Automation".*Create or Update enrolls a new one by "Automations"/,
  },
  {
    operation: 'subscription createOrUpdate',
    parameters: () => request({ email: 12 }),
    says: /^"Email" must be/,
  },
  {
    operation: 'subscription createOrUpdate',
    parameters: () => request({ additionalFields: { complimentary_gift_id: `cag_${unknown}` } }),
    says: /^"Complimentary Gift"/,
  },
  {
    operation: 'subscription createOrUpdate',
    parameters: () => request({ additionalFields: { automation_ids: ['welcome'] } }),
    says: /^"Automations\[0\]" must look like/,
  },
  {
    operation: 'customField update',
    parameters: async () => ({ customFieldId: await bench.first('searchCustomFields'), display: 'Topics' }),
    says: /A custom field with this "New Name" exists already/,
  },
];

describe.each(rows)('$operation: $says', ({ operation: named, parameters, says, advises = /\S/ }) => {
  const [resource = '', operation = ''] = named.split(' ');

  it('has the message and the remedy apart where the execution stops', async () => {
    await expect(bench.run(resource, operation, { ...(await parameters()) })).rejects.toMatchObject({
      message: expect.stringMatching(says),
      description: expect.stringMatching(advises),
    });
  });

  it.each(['continueRegularOutput', 'continueErrorOutput'] as const)('has both in the item: %s', async (onError) => {
    const [item] = await bench.run(resource, operation, { ...(await parameters()) }, { onError });
    const text = String(item?.json['error']);
    expect(text).toMatch(says);
    expect(text).toMatch(advises);
    expect(text.replaceAll(/\w+_<uuid>/g, '')).not.toMatch(/"[a-z_]\w*[".[]|[a-z]_[a-z]|Automation IDs/);
  });
});

describe('Enroll for a person who is enrolled already', () => {
  const enrollTwice = async (subscription: object, more: object = {}) => {
    const parameters = { ...(await automation()), subscription, ...more };
    return bench.run('journey', 'enroll', parameters, { items: [{}, {}], onError: 'continueRegularOutput' });
  };
  const ken = { mode: 'email', value: 'ken@example.com' };

  it('says so, and how to go on', async () => {
    const [first, second] = await enrollTwice(ken);
    expect(first?.json).toMatchObject({ email: ken.value, enrolled: true });
    expect(second?.json).toEqual({
      error:
        '"Subscription" is enrolled in this automation already; nothing was changed. To let such items go on, set "If Already Enrolled" to Pass Over',
    });
  });

  it('returns "enrolled": false with Pass Over, in the form of Output too', async () => {
    for (const form of [{}, { output: 'selected', fields: ['email'] }]) {
      const [, second] = await enrollTwice(ken, { ifEnrolled: 'passOver', ...form });
      expect(second?.json).toMatchObject({ email: ken.value, enrolled: false });
      expect(second?.error).toBeUndefined();
    }
  });

  it('names the ID where the item does', async () => {
    const [person] = await bench.run('subscription', 'get', { subscription: ken });
    const id = String(person?.json['id']);
    const { automationId } = await automation();
    const [, second] = await enrollTwice({ mode: 'id', value: id }, { ifEnrolled: 'passOver' });
    expect(second?.json).toEqual({ automation_id: automationId.value, subscription_id: id, enrolled: false });
  });

  it('fails for another reason also with Pass Over', async () => {
    await expect(
      bench.run('journey', 'enroll', { ...(await automation()), subscription: nobody, ifEnrolled: 'passOver' }),
    ).rejects.toMatchObject({ httpCode: '404' });
  });
});

describe('a service without an answer', () => {
  const failing = (code: string) => ({
    sandbox: { fetch: () => Promise.reject(Object.assign(new Error(code), { code })) },
  });

  it.each([
    {
      code: 'ECONNREFUSED',
      message: 'The service could not be reached',
      description: 'Check the Service or Base URL of the credential and that the service runs. (ECONNREFUSED)',
    },
    { code: 'ECONNRESET', message: /^The connection broke/, description: 'Try again later. (ECONNRESET)' },
    { code: 'ETIMEDOUT', message: /^No answer within \d+ seconds$/, description: 'Try again later.' },
  ])('is told in words, with a remedy: $code', async ({ code, message, description }) => {
    vi.useFakeTimers();
    onTestFinished(() => void vi.useRealTimers());
    const failed = bench.run('subscription', 'getMany', {}, failing(code)).catch((error: unknown) => error);
    await vi.advanceTimersByTimeAsync(30 * 60_000);
    expect(await failed).toMatchObject({
      message: typeof message === 'string' ? message : expect.stringMatching(message),
      description: typeof description === 'string' ? description : expect.stringMatching(description),
    });
  });
});

it.each([
  ['publication', 'getMany', /^The service does not list publications/],
  ['subscription', 'getMany', /Base URL/],
])('a service without the path of %s %s is told from a wrong address', async (resource, operation, says) => {
  const fetch = () => Promise.resolve(new Response('', { status: 404, headers: { 'Content-Type': 'text/html' } }));
  const failed: unknown = await bench
    .run(resource, operation, {}, { sandbox: { fetch } })
    .catch((error: unknown) => error);
  expect(failed).toMatchObject({ description: expect.stringMatching(says) });
});

it.each([
  [22_500, 'No answer within 22.5 seconds'],
  [60_000, 'No answer within 60 seconds'],
  [900, 'No answer within 0.9 seconds'],
])('a time-out of %i ms is told in seconds', (ms, message) => {
  const node = { id: '1', name: 'N', type: 'n', typeVersion: 1, position: [0, 0] as [number, number], parameters: {} };
  expect(toNodeFailure(node, new TimeoutError('subscriptions.list', ms)).message).toBe(message);
});

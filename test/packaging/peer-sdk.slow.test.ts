/** The SDK of the closest service against the sandbox. */
import { BeehiivClient, BeehiivError } from '@beehiiv/sdk';
import { operations } from '@newsletter-kit/core/contract';
import { createSandbox } from '@newsletter-kit/sandbox';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { sandboxAccount } from '../../scripts/servers.ts';

const { publicationId } = sandboxAccount;
let sandbox: ReturnType<typeof createSandbox>;
beforeEach(() => {
  sandbox = createSandbox({ seed: 'demo' });
});
afterEach(() => sandbox.close());

describe('@beehiiv/sdk 0.1.9', () => {
  /** Every request that the SDK sent: method, path, and status. */
  let requests: { readonly method: string; readonly path: string; readonly status: number }[];
  let sdk: BeehiivClient;
  beforeEach(() => {
    requests = [];
    sdk = new BeehiivClient({
      baseUrl: 'http://sandbox.test/v2',
      token: sandboxAccount.key,
      maxRetries: 0,
      fetch: async (input, init) => {
        const request = new Request(input, init);
        const response = await sandbox.fetch(request);
        const path = new URL(request.url).pathname.replace(/^\/v2/, '');
        requests.push({ method: request.method, path, status: response.status });
        return response;
      },
    });
  });

  /** The operation of the contract that a request belongs to. */
  function operationOf({ method, path }: { readonly method: string; readonly path: string }): string | undefined {
    return operations.find(
      (each) => each.method === method && new RegExp(`^${each.path.replaceAll(/\{\w+\}/g, '[^/]+')}$`).test(path),
    )?.id;
  }

  it('calls all operations of the specification that it has, and lists the publications', async () => {
    const { data: created } = await sdk.subscriptions.create(publicationId, {
      email: 'sdk@example.com',
      utm_source: 'sdk',
      custom_fields: [{ name: 'City', value: 'Lyon' }],
    });
    expect(created).toMatchObject({ email: 'sdk@example.com', utm_source: 'sdk' });
    const { data: listed } = await sdk.subscriptions.index(publicationId, {
      email: 'sdk@example.com',
      'expand[]': ['custom_fields', 'stats'],
      limit: 10,
    });
    expect(listed.map(({ id }) => id)).toEqual([created?.id]);

    const started = await sdk.bulkSubscriptions.create(publicationId, {
      subscriptions: [{ email: 'bulk@example.com' }],
    });
    expect(started).toHaveProperty('import_id');
    const subscription_id = idOf(created);
    const update = { subscriptions: [{ subscription_id, tier: 'premium' as const }] };
    await sdk.bulkSubscriptionUpdates.put(publicationId, update);
    await sdk.bulkSubscriptionUpdates.patch(publicationId, update);
    const { data: jobs } = await sdk.bulkSubscriptionUpdates.index(publicationId);
    const { data: job } = await sdk.bulkSubscriptionUpdates.show(publicationId, idOf(jobs?.[0]));
    expect(job).toEqual(jobs?.[0]);

    const { data: automations } = await sdk.automations.index(publicationId);
    const automationId = idOf(
      automations?.find(({ status, trigger_events: events }) => status === 'running' && events?.includes('api')),
    );
    await sdk.automations.show(publicationId, automationId);
    const { data: journey } = await sdk.automationJourneys.create(publicationId, automationId, { subscription_id });
    const { data: journeys } = await sdk.automationJourneys.index(publicationId, automationId);
    expect(journeys?.map(({ id }) => id)).toContain(idOf(journey));
    await sdk.automationJourneys.show(publicationId, automationId, idOf(journey));

    const status = { subscription_ids: [subscription_id], new_status: 'inactive' };
    await sdk.bulkSubscriptionUpdates.putStatus(publicationId, status);
    await sdk.bulkSubscriptionUpdates.patchStatus(publicationId, status);

    const { data: field } = await sdk.customFields.create(publicationId, { kind: 'string', display: 'Shoe size' });
    await sdk.customFields.put(publicationId, idOf(field), { display: 'Shoe size (EU)' });
    await sdk.customFields.patch(publicationId, idOf(field), { display: 'Shoe size (UK)' });
    const { data: shown } = await sdk.customFields.show(publicationId, idOf(field));
    expect(shown).toMatchObject({ display: 'Shoe size (UK)' });
    expect((await sdk.customFields.index(publicationId)).data).toContainEqual(shown);
    await sdk.customFields.delete(publicationId, idOf(field));

    // Not in the specification: the shape of this answer is the SDK's.
    const publications = await sdk.publications.index({ limit: 1 });
    expect(publications).toMatchObject({ limit: 1, page: 1, total_results: 1, total_pages: 1 });
    expect(Object.keys(publications.data[0] ?? {})).toEqual([
      'id',
      'name',
      'organization_name',
      'referral_program_enabled',
      'created',
    ]);

    expect(requests.filter(({ status: code }) => code >= 400)).toEqual([]);
    const run = new Set(requests.map(operationOf));
    expect([...run].sort()).toEqual([
      'automations.get',
      'automations.list',
      'bulkSubscriptionUpdates.get',
      'bulkSubscriptionUpdates.list',
      'customFields.create',
      'customFields.delete',
      'customFields.get',
      'customFields.list',
      'customFields.update',
      'customFields.updatePut',
      'journeys.enroll',
      'journeys.get',
      'journeys.list',
      'publications.list',
      'subscriptions.bulkCreate',
      'subscriptions.bulkUpdate',
      'subscriptions.bulkUpdatePut',
      'subscriptions.create',
      'subscriptions.list',
      'subscriptions.updateStatus',
      'subscriptions.updateStatusPut',
    ]);
  });

  it('gets 404 for operations that the contract does not have', async () => {
    // Every public method of the SDK, with ids in place of all arguments.
    const calls = Object.getOwnPropertyNames(Object.getPrototypeOf(sdk) as object)
      .filter((name) => name !== 'constructor')
      .flatMap((resource) => {
        const client = (sdk as unknown as Record<string, Record<string, (...args: unknown[]) => Promise<unknown>>>)[
          resource
        ]!;
        return Object.getOwnPropertyNames(Object.getPrototypeOf(client) as object)
          .filter((name) => name !== 'constructor' && !name.startsWith('__'))
          .map((name) => ({ resource, name, run: () => client[name]!(publicationId, 'id_1', {}) }));
      });
    expect(calls.length).toBeGreaterThan(50);
    const outside: string[] = [];
    for (const { resource, name, run } of calls) {
      const before = requests.length;
      const error: unknown = await run().then(
        () => null,
        (reason: unknown) => reason,
      );
      const sent = requests[before];
      if (!sent || operationOf(sent)) continue;
      outside.push(`${resource}.${name}`);
      expect(error, `${resource}.${name}`).toBeInstanceOf(BeehiivError);
      expect(error, `${resource}.${name}`).toMatchObject({ statusCode: 404 });
    }
    expect(outside).toContain('posts.index');
    expect(outside).toContain('subscriptions.getByEmail');
  });
});

/** The id of a record that must be there. */
function idOf(record: { readonly id?: string } | undefined): string {
  if (!record?.id) throw new Error('The record has no id.');
  return record.id;
}

/**
 * The client under every combination of the sandbox's assumptions: a caller gets the same results, whatever a service
 * does where the specification is silent.
 *
 * There are {@link everything} combinations, more than a hundred thousand, and most do not differ for a given call,
 * because an assumption changes only some answers. So the combinations are factored by call. A first step finds the
 * assumptions that change an answer of the call, with all other assumptions at their defaults, or at their first or
 * second other value. Then the call is made under the full product of these. This is complete as long as an assumption
 * that changes no answer in these cases changes none in mixed cases. Assumptions only rewrite answers, one after the
 * other, and each one reads fields that no other one writes.
 */
import { createClient, ForeignAnswerError, NotFoundError, type Client } from '@newsletter-kit/core';
import {
  apiKeys,
  consent,
  createSandbox,
  oauthClients,
  publicationId,
  type AssumptionChoice,
  type AssumptionId,
  type Sandbox,
} from '@newsletter-kit/sandbox';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { createVirtualClock, virtualHost, type VirtualClock } from '../clock/virtual.ts';

const noon = Date.UTC(2026, 10, 4, 12);
const automationOf = async (client: Client): Promise<string> => {
  const found = (await client.automations.list()).items.find(
    ({ trigger_events, status }) => trigger_events?.includes('api') && status !== 'draft' && status !== 'inactive',
  );
  return found?.id ?? '';
};

interface Scene {
  readonly client: Client;
  readonly sandbox: Sandbox;
  readonly clock: VirtualClock;
  /** Creates a client with other options. */
  readonly other: (options: { readonly baseUrl?: string; readonly token?: string }) => Client;
}

async function all<Item, Seen>(list: AsyncIterable<Item>, see: (item: Item) => Seen): Promise<Seen[]> {
  const seen: Seen[] = [];
  for await (const item of list) seen.push(see(item));
  return seen;
}
const nameOf = (error: unknown): string => (error instanceof Error ? error.name : 'no error');

/** The results that a caller relies on, by call. They contain nothing that an assumption leaves to the service. */
const calls: Readonly<Record<string, (scene: Scene) => Promise<unknown>>> = {
  'creates subscriptions and returns warnings': async ({ client }) => {
    const seen: unknown[] = [];
    for (const email of ['new@example.com', 'new@example.com']) {
      const { data, warnings } = await client.subscriptions.create({
        email,
        custom_fields: [{ name: 'Nope', value: 1 }],
      });
      seen.push([data.email, data.status, data.utm_source || null, warnings?.map(({ code }) => code)]);
    }
    // Whether fields other than custom fields of a known address are updated is left to the service.
    await client.subscriptions.create({ email: 'new@example.com', utm_source: 'again' });
    const { data, warnings } = await client.subscriptions.create({ email: 'plain@example.com' });
    return [...seen, data.email, warnings?.length ?? 0];
  },
  'creates somebody who has confirmed elsewhere': async ({ client, sandbox }) => {
    await client.subscriptions.create({ email: 'new@example.com', double_opt_override: 'off' });
    sandbox.clock.advance('PT1M');
    return (await client.subscriptions.list({ email: 'new@example.com' })).items.map(({ status }) => status);
  },
  'iterates subscriptions by cursor': async ({ client }) =>
    all(client.subscriptions.list({ limit: 60, expand: ['custom_fields'] }), ({ id, email, custom_fields }) => [
      id,
      email,
      custom_fields?.map(({ name, value }) => [name, value]),
    ]),
  'iterates subscriptions by page': async ({ client }) =>
    all(client.subscriptions.list({ limit: 30, page: 1 }), ({ id, utm_campaign }) => [id, utm_campaign || null]),
  'reads a page and its cursor': async ({ client }) => {
    const page = await client.subscriptions.list({ limit: 30 });
    const last = await client.subscriptions.list({ limit: 1, email: 'annie.easley@example.org' });
    return [
      page.limit,
      page.hasMore,
      page.nextCursor !== null,
      page.items.length,
      last.hasMore,
      last.nextCursor,
      last.items.length,
    ];
  },
  imports: async ({ client }) =>
    typeof (await client.subscriptions.bulkCreate({ subscriptions: [{ email: 'one@example.com' }] })).import_id,
  'polls a job until it is done': async ({ client, clock }) => {
    const [first] = (await client.subscriptions.list({ limit: 1 })).items;
    const { data } = await client.subscriptions.bulkUpdate({ subscriptions: [{ subscription_id: first?.id ?? '' }] });
    await clock.sleep(60_000);
    const job = (await client.bulkSubscriptionUpdates.get({ id: String(data.subscription_update_id) })).data;
    return [
      (await client.bulkSubscriptionUpdates.list()).items.length,
      /^completed?$/.test(job.status ?? ''),
      job.error_log?.length ?? 0,
    ];
  },
  'creates, reads, renames and deletes a custom field': async ({ client }) => {
    const { id } = (await client.customFields.create({ kind: 'double', display: 'Weight' })).data;
    await client.customFields.update({ id, display: 'Mass' });
    const one = (await client.customFields.get({ id })).data.display;
    const gone = await client.customFields.delete({ id });
    return [one, gone, await all(client.customFields.list(), ({ display }) => display)];
  },
  'requests a deletion': async ({ client }) => {
    const { data } = await client.deletionRequests.create({ email: 'annie.easley@example.org' });
    const due = new Date(
      typeof data.scheduled_for_processing_at === 'number'
        ? data.scheduled_for_processing_at * 1000
        : (data.scheduled_for_processing_at ?? ''),
    ).getTime();
    const read = (await client.deletionRequests.get({ id: data.id })).data.status;
    return [
      data.status,
      read,
      Math.round((due - noon) / 86_400_000),
      await all(client.deletionRequests.list(), ({ email }) => email),
    ];
  },
  'enrolls, and reads journeys': async ({ client }) => {
    const automationId = await automationOf(client);
    const { data } = await client.journeys.enroll({ automationId, email: 'annie.easley@example.org' });
    return [
      data.status,
      (await client.journeys.get({ automationId, automationJourneyId: data.id })).data.email,
      (await all(client.journeys.list({ automationId, limit: 2 }), ({ id }) => id)).includes(data.id),
    ];
  },
  'looks up an enrollment whose answer was lost': async ({ client, sandbox }) => {
    const automationId = await automationOf(client);
    sandbox.faults.add({ match: 'journeys.enroll', effect: 'lostResponse', times: 1 });
    const { data } = await client.journeys.enroll({ automationId, email: 'annie.easley@example.org' });
    return [
      data.email,
      (await all(client.journeys.list({ automationId }), ({ email }) => email)).filter((email) => email === data.email)
        .length,
    ];
  },
  'looks up a deletion request and a custom field whose answers were lost': async ({ client, sandbox }) => {
    sandbox.faults.add({ match: '*.create', effect: 'lostResponse', nth: 1 });
    const { data: request } = await client.deletionRequests.create({ email: 'annie.easley@example.org' });
    sandbox.faults.clear();
    sandbox.faults.add({ match: 'customFields.create', effect: 'lostResponse', times: 1 });
    const { data: field } = await client.customFields.create({ kind: 'double', display: 'Weight' });
    return [request.status, request.email, field.display];
  },
  'lists publications': async ({ client }) => all(client.publications.list({ limit: 1 }), ({ id, name }) => [id, name]),
  'reads content': async ({ client }) => [
    await all(client.automations.list({ limit: 1 }), ({ name }) => name),
    await all(client.authors.list({ limit: 1 }), ({ name }) => name),
    await all(client.complimentaryAccess.list({ limit: 1 }), ({ id }) => id),
    await all(client.conditionSets.list({ limit: 1 }), ({ id }) => id),
    await all(client.publicationFields.list({ limit: 1, status: 'all' }), ({ id }) => id),
    (await client.advertisementOpportunities.list()).items.length,
    await all(client.automations.listEmails({ automationId: await automationOf(client), limit: 1 }), ({ id }) => id),
  ],
  'waits after a 429': async ({ client, sandbox, clock }) => {
    sandbox.rateLimit.use({ limit: 3, windowSeconds: 20, headers: false });
    const lengths: number[] = [];
    for (let n = 0; n < 7; n += 1) lengths.push((await client.customFields.list()).items.length);
    return [lengths, clock.now() - noon > 20_000];
  },
  'throws the documented errors': async ({ client, other }) => [
    nameOf(await client.automations.get({ automationId: 'aut_none' }).catch((error: unknown) => error)),
    nameOf(await client.subscriptions.list({ cursor: 'nonsense' }).then(undefined, (error: unknown) => error)),
    // Who answers at an address where no API is, the API or another server, is left to the service.
    await other({ baseUrl: 'http://sandbox.test/elsewhere/v2' })
      .customFields.list()
      .then(undefined, (error: unknown) => error instanceof NotFoundError || error instanceof ForeignAnswerError),
    nameOf(
      await other({ token: 'wrong' })
        .customFields.list()
        .then(undefined, (error: unknown) => error),
    ),
  ],
  'reads the info of its token': async ({ client, sandbox, other }) => {
    const signIn = { client_id: oauthClients.public.uid, redirect_uri: 'http://127.0.0.1/callback' };
    const verifier = 'a-verifier-that-is-as-long-as-the-standard-wants-it';
    const address = client.oauth.authorize({
      ...signIn,
      response_type: 'code',
      scope: 'subscriptions:read',
      code_challenge: verifier,
      code_challenge_method: 'plain',
    });
    const back = await consent(sandbox.fetch, new URL(address), 'allow');
    const code = back.searchParams.get('code') ?? '';
    const { access_token } = await client.oauth.exchange({
      grant_type: 'authorization_code',
      code,
      ...signIn,
      code_verifier: verifier,
    });
    const { scope, expires_in, expires_in_seconds } = await other({ token: String(access_token) }).oauth.tokenInfo();
    return [[scope].flat().join(' '), expires_in ?? expires_in_seconds];
  },
};

interface Seen {
  readonly outcome: unknown;
  /** Every answer as received, to detect whether an assumption changed one. */
  readonly answers: string;
}

/**
 * One sandbox serves all runs: restoring its first snapshot costs a twentieth of creating a sandbox. Each run has a
 * clock that starts at noon.
 */
let clock = createVirtualClock(noon);
const sandbox = createSandbox({ seed: 'demo', now: () => clock.now() });
const start = sandbox.snapshots.take();
afterAll(() => sandbox.close());

async function runCall(name: string, assumptions: AssumptionChoice): Promise<Seen> {
  clock = createVirtualClock(noon);
  sandbox.snapshots.restore(start.id);
  sandbox.faults.clear();
  sandbox.rateLimit.use('spec');
  sandbox.assumptions.set(assumptions);
  const answers: string[] = [];
  const host = virtualHost(clock, async (request) => {
    const answer = await sandbox.fetch(request);
    const text = await answer
      .clone()
      .text()
      .catch(() => '');
    answers.push(`${answer.status} ${answer.headers.get('retry-after')} ${text}`);
    return answer;
  });
  const options = {
    baseUrl: 'http://sandbox.test/v2',
    appUrl: 'http://sandbox.test',
    token: apiKeys.workspace,
    publicationId,
    host,
  };
  const scene: Scene = {
    client: createClient(options),
    sandbox,
    clock,
    other: (differing) => createClient({ ...options, ...differing }),
  };
  const call = calls[name];
  if (!call) throw new Error(`There is no call "${name}".`);
  const outcome = clock.run(call(scene)).catch((error: unknown) => ({ failed: nameOf(error) }));
  return { outcome: await outcome, answers: answers.join('\n') };
}

const switches = sandbox.assumptions.list();
const everything = switches.reduce((product, { values }) => product * values.length, 1);
const namesOf = Object.keys(calls);

/** The assumptions with a value that refuses a call: then no other assumption changes its answers. */
const refusals: Readonly<Partial<Record<string, string>>> = {
  data_deletion: 'not_enabled',
  publication_list: 'absent',
} satisfies Partial<Record<AssumptionId, string>>;

/** The base settings: all assumptions at their defaults; all at the first, and all at the second other value. */
const grounds: readonly AssumptionChoice[] = [0, 1, 2].map((which) =>
  Object.fromEntries(
    switches.map(({ id, values }) => [id, values[id in refusals ? 0 : Math.min(which, values.length - 1)]]),
  ),
);

/** The assumptions that change an answer of the call with at least one of their values. */
async function assumptionsAffecting(name: string): Promise<AssumptionId[]> {
  const affected = new Set<AssumptionId>();
  for (const ground of grounds) {
    const { answers } = await runCall(name, ground);
    for (const { id, values } of switches) {
      for (const value of values) {
        if (affected.has(id)) break;
        if (value !== ground[id] && (await runCall(name, { ...ground, [id]: value })).answers !== answers)
          affected.add(id);
      }
    }
  }
  return [...affected];
}

function product(ids: readonly AssumptionId[]): AssumptionChoice[] {
  return ids.reduce<AssumptionChoice[]>(
    (choices, id) =>
      choices.flatMap((choice) =>
        (switches.find((one) => one.id === id)?.values ?? []).map((value) => ({ ...choice, [id]: value })),
      ),
    [{}],
  );
}

// The client loads its schemas with its first call: the virtual clock does not wait for files.
beforeAll(() =>
  createClient({
    baseUrl: 'http://sandbox.test/v2',
    token: apiKeys.workspace,
    publicationId,
    fetch: sandbox.fetch,
  }).customFields.list(),
);

const affecting = new Set<AssumptionId>();

describe('under every combination of assumptions, the client', () => {
  test.each(namesOf)('%s', async (name) => {
    const { outcome } = await runCall(name, {});
    const affected = await assumptionsAffecting(name);
    for (const id of affected) affecting.add(id);
    expect(outcome).not.toHaveProperty('failed');
    for (const choice of product(affected)) {
      const refused = Object.entries(choice).some(([id, value]) => refusals[id] === value);
      // A refusal is an error; after a lost response the list is refused too, and the client reports that it cannot
      // tell.
      const expected = refused
        ? { failed: expect.stringMatching(/^(Forbidden|NotFound|Network)Error$/) as unknown }
        : outcome;
      expect((await runCall(name, choice)).outcome, JSON.stringify(choice)).toEqual(expected);
    }
  });

  test('is affected by every assumption in one of these calls', () => {
    expect([...affecting].toSorted()).toEqual(switches.map(({ id }) => id).toSorted());
    expect(everything).toBeGreaterThan(100_000);
  });
});

/** `newsletter probe` against sandboxes under every assumption that an answer to a read can show. */
import { createClient, createFetchHost, type ClientOptions, type HostRequest } from '@newsletter-kit/core';
import {
  apiKeys,
  consent,
  createSandbox,
  oauthClients,
  publicationId,
  type AnswerShapes,
  type AssumptionChoice,
  type Sandbox,
} from '@newsletter-kit/sandbox';
import { expect, onTestFinished, test } from 'vitest';
import { findAssumptions } from '../src/commands/probe/assumptions.ts';
import { compare } from '../src/commands/probe/differences.ts';
import { shapesOf } from '../src/commands/probe/shapes.ts';
import { createRecordingHost, readEverything, type RecordingHost } from '../src/commands/probe/read-everything.ts';

/** What only an answer to a write shows. */
const writes = [
  'known_address',
  'double_opt_off',
  'created_status',
  'empty_warnings',
  'bulk_import',
  'custom_field_deletion',
];
/** What the shapes of the answers carry. */
const shaped = ['pagination_fields', 'publication_list', 'extra_fields'];

const sandboxOfDefaults = openSandbox({});
const assumptions = sandboxOfDefaults.assumptions
  .list()
  .flatMap(({ id, values, default: usual }) =>
    values.filter((value) => value !== usual).map((value) => ({ id, value, usual })),
  );

sandboxOfDefaults.close();

function openSandbox(choice: AssumptionChoice, shapes?: AnswerShapes): Sandbox {
  return createSandbox({ seed: 'demo', assumptions: choice, shapes });
}

/** A sandbox in which every operation has a record to read: a finished bulk update, a deletion request, a login. */
async function prepare(choice: AssumptionChoice, shapes?: AnswerShapes) {
  const sandbox = openSandbox(choice, shapes);
  onTestFinished(() => sandbox.close());
  let waited = 0;
  const platform = createFetchHost({ fetch: sandbox.fetch });
  const host = createRecordingHost({
    ...platform,
    // Waits pass at once, on both sides.
    async sleep(ms) {
      waited += ms;
      sandbox.clock.advance(`PT${Math.ceil(ms / 1000)}S`);
    },
    monotonic: () => platform.monotonic() + waited,
    now: () => sandbox.clock.now(),
  });
  const connection: ClientOptions = {
    baseUrl: 'http://localhost/v2',
    appUrl: 'http://localhost',
    token: apiKeys.workspace,
    publicationId,
    host,
    validate: false,
  };
  const client = createClient(connection);
  const { items } = await client.subscriptions.list({ limit: 1 });
  const [known] = items;
  if (!known) throw new Error('The demo has subscriptions.');
  await client.subscriptions.bulkUpdate({ subscriptions: [{ subscription_id: known.id, tier: 'premium' }] });
  if (choice.data_deletion !== 'not_enabled') await client.deletionRequests.create({ email: String(known.email) });
  sandbox.clock.advance('PT1M');
  host.take();
  return { sandbox, host, client, connection };
}

async function probe({
  client,
  host,
  hasLogin = false,
}: {
  client: ReturnType<typeof createClient>;
  host: RecordingHost;
  hasLogin?: boolean;
}) {
  const signal = new AbortController().signal;
  const { answers, skipped, rateLimited } = await readEverything({ client, host, hasLogin, signal, onCall() {} });
  const compared = answers.map(compare);
  const findings = findAssumptions({ answers: compared, rateLimited });
  return { compared, skipped, seen: Object.fromEntries(findings.map(({ assumption, value }) => [assumption, value])) };
}

/** Signs in as the sandbox's app. */
async function login(sandbox: Sandbox, connection: ClientOptions) {
  const { uid: clientId, secret: clientSecret } = oauthClients.confidential;
  const redirectUri = 'http://127.0.0.1/callback';
  const client = createClient({ ...connection, token: undefined, oauth: { clientId, clientSecret, redirectUri } });
  const { url, ...authorization } = await client.oauth.startLogin();
  const tokens = await client.oauth.finishLogin(await consent(sandbox.fetch, url), authorization);
  return createClient({ ...connection, token: tokens.accessToken });
}

test('knows every assumption of the sandbox that an answer to a read shows, and shapes do not carry', async () => {
  const { seen } = await probe(await prepare({}));
  const all = [...new Set(assumptions.map(({ id }) => id))];
  expect(Object.keys(seen).toSorted()).toEqual(all.filter((id) => ![...writes, ...shaped].includes(id)).toSorted());
});

test('finds no difference in a sandbox with its default assumptions, and the default of each', async () => {
  const { compared, skipped, seen } = await probe(await prepare({}));
  expect(compared.filter(({ differences }) => differences.length > 0)).toEqual([]);
  expect(skipped.map(({ operation }) => operation)).toEqual(['oauth.tokenInfo']);
  const usual = Object.fromEntries(
    assumptions
      .filter(({ id }) => ![...writes, ...shaped, 'token_info', 'retry_after'].includes(id))
      .map((assumption) => [assumption.id, assumption.usual]),
  );
  expect(seen).toMatchObject(usual);
});

test.for(assumptions.filter(({ id }) => ![...writes, ...shaped].includes(id)))(
  'finds $id=$value',
  async ({ id, value }) => {
    const prepared = await prepare({ [id]: value });
    const { sandbox, host, connection } = prepared;
    if (id === 'retry_after') sandbox.rateLimit.use({ limit: 10, headers: false });
    const client = id === 'token_info' ? await login(sandbox, connection) : prepared.client;
    host.take();
    const { compared, seen } = await probe({ client, host, hasLogin: id === 'token_info' });
    // No other assumption takes the difference for its own, and the client understands each.
    expect(seen).toMatchObject({ ...(id !== 'unknown_values' && { unknown_values: 'none' }), [id]: value });
    expect(compared.flatMap(({ differences }) => differences.filter(({ isBreaking }) => isBreaking))).toEqual([]);
  },
);

test('a service without the list of publications, which the specification does not show, breaks nothing', async () => {
  const { compared } = await probe(await prepare({ publication_list: 'absent' }));
  expect(compared.flatMap(({ differences }) => differences)).toEqual([
    { kind: 'status', field: '', text: 'answered 404', isBreaking: false, count: 1 },
  ]);
});

test('writes assumptions with which a sandbox answers as the service does', async () => {
  const choice = {
    cursor_totals: 'present',
    empty_texts: 'null',
    last_cursor: 'absent',
    unknown_path: 'html',
  } as const;
  const { seen } = await probe(await prepare(choice));
  expect(seen).toMatchObject(choice);
  const again = await probe(await prepare(seen as AssumptionChoice));
  expect(again.seen).toEqual(seen);
});

/** The shapes of a sandbox: of each field its types, and whether all, some or no records have it. */
async function shapesOfSandbox(choice: AssumptionChoice, shapes?: AnswerShapes) {
  const found = shapesOf((await probe(await prepare(choice, shapes))).compared);
  const fields = Object.entries(found.operations).flatMap(([id, operation]) =>
    Object.entries(operation.fields).map(([path, { in: present, of, types }]) => {
      const presence = present === 0 ? 'never' : present === of ? 'always' : 'sometimes';
      return [`${id} ${path}`, [presence, ...types].join(' ')] as const;
    }),
  );
  return { found: found as unknown as AnswerShapes, fields: Object.fromEntries(fields) };
}

test('its own shapes change nothing in a sandbox', async () => {
  const { found } = await shapesOfSandbox({});
  const { sandbox, client, host } = await prepare({}, found);
  await probe({ client, host });
  expect(sandbox.requests().flatMap(({ reasons }) => reasons.filter((reason) => reason.startsWith('Shape')))).toEqual(
    [],
  );
});

test.for<AssumptionChoice>([
  { empty_texts: 'absent', extra_fields: 'some', deletion_times: 'seconds', pagination_fields: 'nested' },
  { pagination_fields: 'both' },
  { publication_list: 'absent' },
])('writes shapes in which a sandbox answers as a service with %j does', async (choice) => {
  const { found, fields } = await shapesOfSandbox(choice);
  const again = await shapesOfSandbox({}, found);
  expect(again.fields).toEqual(fields);
  expect(again.found.operations['publications.list']?.statuses).toEqual(
    found.operations['publications.list']?.statuses,
  );
});

test('sends GET requests alone', async () => {
  const { connection, host } = await prepare({});
  const methods: string[] = [];
  const recording = {
    ...host,
    send: async (request: HostRequest) => (methods.push(request.method), host.send(request)),
  };
  await probe({ client: createClient({ ...connection, host: recording }), host: recording });
  expect(methods.length).toBeGreaterThan(20);
  expect(new Set(methods)).toEqual(new Set(['GET']));
});

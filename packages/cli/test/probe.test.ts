/** `newsletter probe` against sandboxes under every assumption that an answer to a read can show, and their shapes. */
import { createClient, createFetchHost, type ClientOptions, type HostRequest } from '@newsletter-kit/core';
import { operations } from '@newsletter-kit/core/contract';
import { scopesFor } from '@newsletter-kit/core/oauth';
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
import { compare } from '../src/commands/probe/differences.ts';
import { shapesOf, type AnswerShapes as Shapes } from '../src/commands/probe/shapes.ts';
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
const sandboxOfDefaults = openSandbox({});
const assumptions = sandboxOfDefaults.assumptions
  .list()
  .flatMap(({ id, values, default: usual }) =>
    values.filter((value) => value !== usual && !writes.includes(id)).map((value) => ({ id, value })),
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
  const isDeletion = ({ id, value }: { id: string; value: string }) => id === 'data_deletion' && value === 'enabled';
  if (sandbox.assumptions.list().some(isDeletion)) await client.deletionRequests.create({ email: String(known.email) });
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
  return { compared: answers.map(compare), skipped, shapes: shapesOf([...answers, ...rateLimited]) };
}

/** Signs in as the sandbox's app. */
async function login(sandbox: Sandbox, connection: ClientOptions) {
  const { uid: clientId, secret: clientSecret } = oauthClients.confidential;
  const redirectUri = 'http://127.0.0.1/callback';
  const client = createClient({ ...connection, token: undefined, oauth: { clientId, clientSecret, redirectUri } });
  const { url, ...authorization } = await client.oauth.startLogin({
    scopes: scopesFor(operations.map(({ id }) => id)),
  });
  const tokens = await client.oauth.finishLogin(await consent(sandbox.fetch, url), authorization);
  return createClient({ ...connection, token: tokens.accessToken });
}

test('finds no difference in a sandbox with its default assumptions', async () => {
  const { compared, skipped } = await probe(await prepare({}));
  expect(compared.filter(({ differences }) => differences.length > 0)).toEqual([]);
  expect(skipped.map(({ operation }) => operation)).toEqual(['oauth.tokenInfo']);
});

test('a service without the list of publications, which the specification does not show, breaks nothing', async () => {
  const { compared } = await probe(await prepare({ publication_list: 'absent' }));
  expect(compared.flatMap(({ differences }) => differences)).toEqual([
    { kind: 'status', field: '', text: 'answered 404', isBreaking: false, count: 1 },
  ]);
});

/** Probes a sandbox. @param id - an assumption that shows only with a login, or under a rate limit */
async function probeSandbox(choice: AssumptionChoice, { id, shapes }: { id: string; shapes?: Shapes }) {
  const prepared = await prepare(choice, shapes as AnswerShapes | undefined);
  const { sandbox, host, connection } = prepared;
  if (id === 'retry_after') sandbox.rateLimit.use({ limit: 10, headers: false });
  const client = id === 'token_info' ? await login(sandbox, connection) : prepared.client;
  host.take();
  return { sandbox, ...(await probe({ client, host, hasLogin: id === 'token_info' })) };
}

/** What shapes say, but for counts: statuses, headers and fields, and whether all, some or no records have them. */
function plain({ operations, unknown_path }: Shapes) {
  const headOf = ({ statuses, headers }: Shapes['unknown_path']) => ({
    statuses: Object.keys(statuses),
    headers: headers.map((header) => header.replace(/: \d.*/, ': a number').replace(/;.*/, '')),
  });
  const all = Object.entries(operations).map(([id, operation]) => {
    const fields = Object.entries(operation.fields).map(([path, { in: present, of, types, words }]) => {
      const presence = present === 0 ? 'never' : present === of ? 'always' : 'sometimes';
      return [path, [presence, ...types, ...(words ?? [])].join(' ')] as const;
    });
    return [id, { ...headOf(operation), fields: Object.fromEntries(fields) }] as const;
  });
  return { ...Object.fromEntries(all), unknown_path: headOf(unknown_path) };
}

test.for<{ readonly id: string; readonly choice: AssumptionChoice }>([
  ...assumptions.map(({ id, value }) => ({ id, choice: { [id]: value } })),
  {
    id: 'several',
    choice: { empty_texts: 'absent', extra_fields: 'some', deletion_times: 'seconds', pagination_fields: 'nested' },
  },
  {
    id: 'more',
    choice: { cursor_totals: 'present', empty_texts: 'null', last_cursor: 'absent', unknown_path: 'html' },
  },
])('writes shapes in which a sandbox answers as one with $choice', async ({ id, choice }) => {
  const usual = await probeSandbox({}, { id });
  const { compared, shapes } = await probeSandbox(choice, { id });
  expect(plain(shapes)).not.toEqual(plain(usual.shapes));
  expect(compared.flatMap(({ differences }) => differences.filter(({ isBreaking }) => isBreaking))).toEqual([]);
  const again = await probeSandbox({}, { id, shapes });
  expect(plain(again.shapes)).toEqual(plain(shapes));
});

test('its own shapes change nothing in a sandbox', async () => {
  const { shapes } = await probeSandbox({}, { id: '' });
  const { sandbox } = await probeSandbox({}, { id: '', shapes });
  expect(sandbox.requests().flatMap(({ reasons }) => reasons.filter((reason) => reason.startsWith('Shape')))).toEqual(
    [],
  );
  expect(sandbox.assumptions.list().filter(({ value, default: usual }) => value !== usual)).toEqual([]);
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

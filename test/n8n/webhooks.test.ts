/** n8n's own Webhook node receives the webhooks of a real relay; the example workflow verifies and distributes them. */
import { randomUUID } from 'node:crypto';
import type { SandboxOnPort } from '@newsletter-kit/sandbox/vitest';
import { describe, expect, inject } from 'vitest';
import { waitUntil } from '../support/waits.ts';
import { post, runRelay } from '../../packages/relay/test/running-relay.ts';
import { onPort } from '../../packages/relay/test/sandbox-api.ts';
import { sampleBody, webhookHeaders } from '../../packages/relay/src/webhooks/message.ts';
import { run } from '../../scripts/program.ts';
import { readExample, type ExampleNode } from './harness/syncExample.ts';
import type { Execution } from './harness/rest.ts';
import { n8n, test } from './harness/test.ts';

const { age } = inject('newsletter');

const command = (args: readonly string[], env: Readonly<Record<string, string>> = {}): Promise<string> =>
  run(process.execPath, ['--conditions=@newsletter-kit/source', 'packages/relay/src/main.ts', 'webhooks', ...args], {
    env,
  });

const newSecret = () => command(['secret']);

const example = await readExample('act-on-signup');

/** The expression that the note of the workflow names, with this secret. */
function keyOf(secret: string): string {
  const notes = example.nodes.map(({ parameters }) => String(parameters['content']));
  const [, expression] = /`({{ 'whsec_….*?}})`/.exec(notes.join('\n')) ?? [];
  if (expression === undefined) throw new Error('The note names no expression for the secret.');
  return `=${expression.replace('whsec_…', secret)}`;
}

/** What the Crypto node needs for a secret: a credential, or, before n8n 2.7, version 1 with the secret itself. */
async function keep(secret: string): Promise<(crypto: ExampleNode) => object> {
  if (age === 'oldest')
    return ({ parameters, ...node }) => ({
      ...node,
      typeVersion: 1,
      parameters: { ...parameters, secret: keyOf(secret) },
      credentials: undefined,
    });
  const id = await n8n.createCredential('crypto', { hmacSecret: keyOf(secret) });
  return (node) => ({ ...node, credentials: { crypto: { id, name: 'Of a test' } } });
}

/** The published example. */
interface Published {
  readonly url: string;
  /** All executions, of which there are this many, if given; waits for them. */
  executions(count?: number): Promise<readonly Execution[]>;
}

/** @param change - changes of the test to a node */
async function publish(secret: string, change: (node: ExampleNode) => object = (node) => node): Promise<Published> {
  const path = `relay-${randomUUID()}`;
  const withSecret = await keep(secret);
  const nodes = example.nodes.map((node) => {
    if (node.type.endsWith('.crypto')) return withSecret(node);
    if (!node.type.endsWith('.webhook')) return change(node);
    return { ...node, webhookId: randomUUID(), parameters: { ...node.parameters, path } };
  });
  const workflow = await n8n.saveWorkflow({ ...example, nodes });
  await n8n.activate(workflow);
  const url = `${n8n.url}/webhook/${path}`;
  return {
    url,
    async executions(count) {
      const ids = await waitUntil(`${count} executions`, async () => {
        const found = await n8n.executionIds(workflow);
        return found.length >= (count ?? 1) ? found : null;
      });
      if (count !== undefined) expect(ids).toHaveLength(count);
      return Promise.all(ids.map((id) => n8n.ended(id)));
    },
  };
}

/** A relay on the sandbox, which sends its webhooks to this address. */
function startRelay({ clientOptions }: SandboxOnPort, url: string, ...secrets: readonly string[]) {
  const relay = runRelay({
    api: fetch,
    webhooks: { backoff: { firstMs: 50, maxMs: 100 } },
    settings: {
      NEWSLETTER_API_URL: clientOptions.baseUrl,
      RELAY_WEBHOOK_URL: url,
      RELAY_WEBHOOK_SECRET: secrets.join(','),
      RELAY_WEBHOOK_PRIVATE_NETWORK: 'true',
    },
  });
  relay.start();
  const overview = async () => (await relay.store.webhooks.overview())[0];
  return {
    ...relay,
    overview,
    async signUp(email: string) {
      expect((await relay.fetch(post({ email, utm_source: 'harbour' }))).status).toBe(202);
    },
    allAccepted: () =>
      waitUntil('every webhook is accepted', async () => {
        const { delivered } = await relay.store.counts();
        return delivered > 0 && (await overview())?.waiting === 0;
      }),
  };
}

const branches = ['Delivered', 'Refused', 'Confirmed', 'Erased'] as const;

/** The nodes after the verification that ran. */
const reached = (execution: Execution | undefined): readonly string[] =>
  ['Message', ...branches, 'Other', 'Accept', 'Refuse'].filter((name) => (execution?.output(name).length ?? 0) > 0);

/** The text of a message. */
const message = (type: string, data: object = {}): string => {
  const sample = sampleBody(Date.now());
  return JSON.stringify({ ...sample, type, data: { ...sample.data, ...data } });
};

/** What a sender sends: signed with these secrets, at this time. */
interface Sent {
  readonly body: string;
  readonly secrets: readonly string[];
  readonly at?: number;
  /** Changes of the headers; undefined leaves one out. */
  readonly headers?: (signed: Readonly<Record<string, string>>) => Readonly<Record<string, string | undefined>>;
  /** In place of the signed body. */
  readonly instead?: string;
}

async function send(url: string, { body, secrets, at = Date.now(), headers = () => ({}), instead }: Sent) {
  const signed = webhookHeaders(randomUUID(), body, secrets, at);
  const changed = Object.entries({ ...signed, ...headers(signed) });
  const sent = changed.flatMap(([name, value]): [string, string][] => (value === undefined ? [] : [[name, value]]));
  const response = await fetch(url, { method: 'POST', body: instead ?? body, headers: sent });
  return { status: response.status, text: await response.text() };
}

const accepted = { status: 204, text: '' };
const refused = { status: 401, text: '' };
const minutes = (count: number): number => Date.now() + count * 60_000;

describe('a webhook of the relay', () => {
  test('runs the branch of a delivered signup, with what the relay sent', async ({ sandboxOnPort }) => {
    const secret = await newSecret();
    const { url, executions } = await publish(secret);
    const relay = startRelay(sandboxOnPort, url, secret);
    await relay.signUp('ada@example.com');
    await relay.allAccepted();
    const [execution] = await executions(1);
    expect(reached(execution)).toEqual(['Message', 'Delivered', 'Accept']);
    const [signup] = (await relay.store.person('ada@example.com')).signups;
    expect(execution?.output('Delivered')).toEqual([
      {
        id: expect.stringMatching(/^[0-9a-f]{32}$/) as string,
        type: 'signup.delivered',
        timestamp: new Date(signup?.settledAt ?? 0).toISOString(),
        data: expect.objectContaining({
          signup: signup?.id,
          email: 'ada@example.com',
          utm_source: 'harbour',
        }) as object,
        note: 'ada@example.com came from harbour; its subscription is validating.',
      },
    ]);
  });

  test('is verified while the secret changes, and waits at the relay while no signature matches', async ({
    sandboxOnPort,
  }) => {
    const [before, after, unknown] = [await newSecret(), await newSecret(), await newSecret()];
    const receivers = [await publish(before), await publish(after)];
    for (const { url, executions } of receivers) {
      const relay = startRelay(sandboxOnPort, url, after, before);
      await relay.signUp('grace@example.com');
      await relay.allAccepted();
      const [execution] = await executions(1);
      expect(reached(execution)).toEqual(['Message', 'Delivered', 'Accept']);
    }
    const receiver = await publish(before);
    const relay = startRelay(sandboxOnPort, receiver.url, after, unknown);
    await relay.signUp('mary@example.com');
    await waitUntil('it is refused', async () => (await relay.overview())?.reason?.includes('answered 401') === true);
    expect(await relay.overview()).toMatchObject({ waiting: 1, dead: 0 });
    await relay.stop(0);
    for (const execution of await receiver.executions()) expect(reached(execution)).toEqual(['Refuse']);
  });

  test('is sent again if its branch failed', async ({ sandboxOnPort }) => {
    const secret = await newSecret();
    const statuses = [500, 200];
    const service = await onPort(() => Promise.resolve(Response.json({}, { status: statuses.shift() ?? 200 })));
    const { url, executions } = await publish(secret, (node) =>
      node.name === 'Delivered'
        ? {
            ...node,
            type: 'n8n-nodes-base.httpRequest',
            typeVersion: 4.2,
            parameters: { method: 'POST', url: service },
          }
        : node,
    );
    const relay = startRelay(sandboxOnPort, url, secret);
    await relay.signUp('ada@example.com');
    await relay.allAccepted();
    const [failed, repeated] = await executions(2);
    expect([failed?.status, repeated?.status]).toEqual(['error', 'success']);
    expect(reached(failed)).toEqual(['Message']);
    expect(reached(repeated)).toEqual(['Message', 'Delivered', 'Accept']);
    expect(failed?.output('Message')).toEqual(repeated?.output('Message'));
  });
});

test('every type runs its branch, and other types none', async () => {
  const secret = await newSecret();
  const { url, executions } = await publish(secret);
  const expected = {
    'signup.delivered': { Delivered: 'test@example.com came from test; its subscription is active.' },
    'signup.refused': { Refused: 'test@example.com was refused: No such tier.' },
    'signup.confirmed': { Confirmed: 'test@example.com clicked the link in the confirmation mail.' },
    'signup.erased': { Erased: 'Delete what you keep about the signup 01890a5d-ac96-774b-bcce-b302099a8057.' },
    'signup.status': { Delivered: 'test@example.com came from test; its subscription is active.' },
    'signup.unknown': {},
  };
  for (const type of Object.keys(expected))
    expect(await send(url, { body: message(type, { reason: 'No such tier.' }), secrets: [secret] })).toEqual(accepted);
  const ran = await executions(6);
  const notes = ran.map((execution) =>
    Object.fromEntries(branches.map((branch) => [branch, execution.output(branch)[0]?.['note']])),
  );
  expect(notes).toEqual(Object.values(expected));
});

test('the exact text is verified, at any time within five minutes', async () => {
  const secret = await newSecret();
  const { url, executions } = await publish(secret);
  const bodies = [
    '{ "type" : "signup.delivered",\n "data": { "email": "zo\\u00eb@example.com", "signup": "1.0" } }\n',
    '{"type":"signup.delivered","data":{"email":"zoë.😀@example.com","signup":1.50}}',
  ];
  for (const body of bodies) expect(await send(url, { body, secrets: [secret] })).toEqual(accepted);
  for (const at of [minutes(-4), minutes(4)])
    expect(await send(url, { body: message('signup.delivered'), secrets: [secret], at })).toEqual(accepted);
  const delivered = (await executions(4)).map((execution) => execution.output('Delivered')[0]?.['data']);
  expect(delivered).toMatchObject([
    { email: 'zoë@example.com', signup: '1.0' },
    { email: 'zoë.😀@example.com', signup: 1.5 },
    { email: 'test@example.com' },
    { email: 'test@example.com' },
  ]);
});

test('a forged, changed or old webhook is answered 401 and runs no branch', async () => {
  const [secret, other] = [await newSecret(), await newSecret()];
  const { url, executions } = await publish(secret);
  const body = message('signup.delivered');
  const genuine = { body, secrets: [secret] };
  const signature = 'webhook-signature';
  const forged: Readonly<Record<string, Sent>> = {
    'signed with another secret': { body, secrets: [other] },
    'another text': { ...genuine, instead: message('signup.delivered', { email: 'eve@example.com' }) },
    'another space': { ...genuine, instead: `${body} ` },
    'another id': { ...genuine, headers: () => ({ 'webhook-id': randomUUID() }) },
    'another time': { ...genuine, headers: () => ({ 'webhook-timestamp': String(Math.floor(minutes(-1) / 1000)) }) },
    'five minutes and a second old': { ...genuine, at: minutes(-5) - 1000 },
    'six minutes in the future': { ...genuine, at: minutes(6) },
    'no time': { ...genuine, headers: () => ({ 'webhook-timestamp': undefined }) },
    'no headers': {
      ...genuine,
      headers: () => ({ 'webhook-id': undefined, 'webhook-timestamp': undefined, [signature]: undefined }),
    },
    'no signature': { ...genuine, headers: () => ({ [signature]: undefined }) },
    'an empty signature': { ...genuine, headers: () => ({ [signature]: '' }) },
    'only the version': { ...genuine, headers: () => ({ [signature]: 'v1,' }) },
    'another version': { ...genuine, headers: (signed) => ({ [signature]: `v2${signed[signature]?.slice(2)}` }) },
    'a part of the signature': { ...genuine, headers: (signed) => ({ [signature]: signed[signature]?.slice(0, -1) }) },
    'the signature and more': { ...genuine, headers: (signed) => ({ [signature]: `${signed[signature]}A` }) },
    'no text': { ...genuine, instead: '' },
    'a form': {
      ...genuine,
      headers: () => ({ 'content-type': 'multipart/form-data; boundary=x' }),
      instead: '--x--\r\n',
    },
  };
  const answers: Record<string, unknown> = {};
  for (const [name, sent] of Object.entries(forged)) answers[name] = await send(url, sent);
  expect(answers).toEqual(Object.fromEntries(Object.keys(forged).map((name) => [name, refused])));
  const ran = await executions(Object.keys(forged).length);
  for (const execution of ran) expect(reached(execution)).toEqual(['Refuse']);
  expect(await send(url, genuine)).toEqual(accepted);
});

test('a secret whose bytes are not text is not accepted, because the key of the Crypto node is text', async () => {
  const secret = `whsec_${Buffer.alloc(32, 0xff).toString('base64')}`;
  const { url } = await publish(secret);
  expect(await send(url, { body: message('signup.delivered'), secrets: [secret] })).toEqual(refused);
});

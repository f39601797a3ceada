/**
 * Reactivation in one place per door: each way to send `reactivate_existing`, and the files of the product that set it.
 * A new way needs a row here.
 */
import { globSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { createClient, type Client } from '@newsletter-kit/core';
import { importSubscriptions } from '@newsletter-kit/core/import';
import { settings } from '@newsletter-kit/relay';
import { test, type SandboxOnPort } from '@newsletter-kit/sandbox/vitest';
import { describe, expect, it } from 'vitest';
import { run } from '../../packages/cli/test/command.ts';
import { waitUntil } from '../support/waits.ts';
import { post, runRelay } from '../../packages/relay/test/running-relay.ts';
import { suppressionHash } from '../../packages/relay/src/store/signup-identity.ts';
import { root } from '../../scripts/root.ts';
import { workbench } from '../nodes/workbench.ts';
import { scratchFolder } from '../support/scratch-folder.ts';

const bench = workbench();
const email = 'left@example.com';
const asked = { email, reactivate_existing: true };

interface Scene {
  readonly client: Client;
  readonly sandbox: SandboxOnPort;
}

/** One way into a door, and what becomes of somebody who has left. `refused`: nothing is sent. */
interface Way {
  readonly door: 'client' | 'command line' | 'n8n' | 'relay';
  readonly way: string;
  readonly becomes: 'active' | 'inactive' | 'refused';
  /** Resolves once it has sent; rejects with the refusal. */
  send(scene: Scene): Promise<unknown>;
}

const subscriptionOperation =
  (operation: string, parameters: object, more: object = {}) =>
  ({ sandbox }: Scene): Promise<unknown> =>
    bench.run('subscription', operation, { email, ...parameters }, { sandbox, ...more });

const fields = { additionalFields: { reactivate_existing: true } };
const stored = (reactivate_existing: string) => ({ stored: { additionalFields: { reactivate_existing } } });
/** n8n gives a tool what the model has filled in. */
const fromAgent = { query: { back: true } };

async function command({ sandbox }: Scene, ...args: string[]): Promise<void> {
  const { code, stderr } = await run(args, sandbox.env);
  if (code !== 0) throw new Error(stderr);
}

async function importFile(scene: Scene, header: string, ...args: string[]): Promise<void> {
  const path = join(scratchFolder(), 'people.csv');
  writeFileSync(path, `${header}\n${email},true\n`);
  await command(scene, 'import', path, ...args);
}

async function signUp({ sandbox }: Scene, body: object, form: Readonly<Record<string, string>> = {}): Promise<void> {
  const api = { NEWSLETTER_API_URL: sandbox.clientOptions.baseUrl };
  const relay = runRelay({ api: (input, init) => fetch(input, init), settings: { ...api, ...form } });
  relay.start();
  expect((await relay.fetch(post({ email, ...body }))).status).toBe(202);
  await waitUntil('the signup is delivered', async () => (await relay.store.counts()).delivered === 1);
}

const ways: readonly Way[] = [
  {
    door: 'client',
    way: 'subscriptions.create with the field',
    becomes: 'active',
    send: ({ client }) => client.subscriptions.create(asked),
  },
  {
    door: 'client',
    way: 'subscriptions.create without it: there is no default for all calls',
    becomes: 'inactive',
    send: ({ client }) => client.subscriptions.create({ email, double_opt_override: 'off' }),
  },
  {
    door: 'client',
    way: 'subscriptions.bulkCreate, whose row has the field',
    becomes: 'active',
    send: ({ client }) => client.subscriptions.bulkCreate({ subscriptions: [asked] }),
  },
  {
    door: 'client',
    way: 'subscriptions.bulkCreate, where another row has it',
    becomes: 'inactive',
    send: ({ client }) =>
      client.subscriptions.bulkCreate({ subscriptions: [{ email }, { ...asked, email: 'other@example.com' }] }),
  },
  {
    door: 'client',
    way: 'importSubscriptions, whose row has the field',
    becomes: 'active',
    send: ({ client }) => importSubscriptions({ engine: client.engine, source: [asked] }),
  },
  {
    door: 'command line',
    way: 'api subscriptions.create with the field',
    becomes: 'active',
    send: (scene) =>
      command(scene, 'api', 'subscriptions.create', '-f', `email=${email}`, '-F', 'reactivate_existing=true'),
  },
  {
    door: 'command line',
    way: 'import with a column of that name',
    becomes: 'active',
    send: (scene) => importFile(scene, 'email,reactivate_existing'),
  },
  {
    door: 'command line',
    way: 'import without the column',
    becomes: 'inactive',
    send: (scene) => importFile(scene, 'email,Came back', '--others', 'ignore'),
  },
  {
    door: 'command line',
    way: 'api subscriptions.bulkCreate',
    becomes: 'refused',
    send: (scene) =>
      command(
        scene,
        'api',
        'subscriptions.bulkCreate',
        '-f',
        `subscriptions[0][email]=${email}`,
        '-F',
        'subscriptions[0][reactivate_existing]=true',
      ),
  },
  {
    door: 'command line',
    way: 'api with a path',
    becomes: 'refused',
    send: (scene) =>
      command(
        scene,
        'api',
        '/publications/{publicationId}/subscriptions',
        '-f',
        `email=${email}`,
        '-F',
        'reactivate_existing=true',
      ),
  },
  {
    door: 'n8n',
    way: 'Create or Update with the field',
    becomes: 'active',
    send: subscriptionOperation('createOrUpdate', fields),
  },
  {
    door: 'n8n',
    way: 'Create or Update with an expression for each item',
    becomes: 'active',
    send: subscriptionOperation('createOrUpdate', {}, { ...stored('={{ $json.back }}'), items: [{ back: true }] }),
  },
  {
    door: 'n8n',
    way: 'Create or Update as a tool of an agent',
    becomes: 'refused',
    send: subscriptionOperation('createOrUpdate', fields, { tool: true }),
  },
  ...['$fromAI', '$fromAi', '$fromai'].map((name): Way => ({
    door: 'n8n',
    way: `Create or Update with ${name}`,
    becomes: 'refused',
    send: subscriptionOperation('createOrUpdate', fields, {
      ...stored(`={{ ${name}('back', 'Whether they return', 'boolean') }}`),
      items: [fromAgent],
    }),
  })),
  {
    door: 'n8n',
    way: 'Create or Update whose fields come from $fromAI together',
    becomes: 'refused',
    send: subscriptionOperation(
      'createOrUpdate',
      {},
      {
        stored: { additionalFields: "={{ { reactivate_existing: $fromAI('back', '', 'boolean') } }}" },
        items: [fromAgent],
      },
    ),
  },
  {
    door: 'n8n',
    way: 'Create',
    becomes: 'inactive',
    send: subscriptionOperation('create', { ifSubscribed: 'passOver', ...fields }),
  },
  {
    door: 'n8n',
    way: 'Bulk Import of items with such a field',
    becomes: 'inactive',
    send: subscriptionOperation('bulkImport', { mapping: 'autoMapInputData' }, { items: [asked] }),
  },
  {
    door: 'n8n',
    way: 'Bulk Import with one value for all items',
    becomes: 'inactive',
    send: subscriptionOperation('bulkImport', { mapping: 'defineBelow', ...fields }),
  },
  {
    door: 'relay',
    way: 'the setting of the form',
    becomes: 'active',
    send: (scene) => signUp(scene, {}, { RELAY_REACTIVATE_EXISTING: 'true' }),
  },
  {
    door: 'command line',
    way: 'import with the column, of somebody whom the relay has erased and --suppress leaves out',
    becomes: 'inactive',
    send: async (scene) => {
      const list = join(scratchFolder(), 'erased.csv');
      writeFileSync(list, `sha256\n${suppressionHash(email.toUpperCase())}\n`);
      await importFile(scene, 'email,reactivate_existing', '--suppress', list);
    },
  },
  { door: 'relay', way: "the page's post", becomes: 'inactive', send: (scene) => signUp(scene, asked) },
];

describe.each(ways)('$door: $way', ({ becomes, send }) => {
  test(`makes somebody who has left ${becomes}`, async ({ sandboxOnPort: sandbox }) => {
    const client = createClient({ ...sandbox.clientOptions, pacer: false });
    const settled = () => {
      sandbox.clock.advance('PT10S');
      sandbox.settle();
    };
    const { data } = await client.subscriptions.create({ email, double_opt_override: 'off' });
    await client.subscriptions.bulkUpdate({ subscriptions: [{ subscription_id: data.id, unsubscribe: true }] });
    settled();
    const status = async () => (await client.subscriptions.list({ email })).items[0]?.status;
    expect(await status()).toBe('inactive');

    const sent = send({ client, sandbox });
    if (becomes === 'refused') await expect(sent).rejects.toThrow(/reactivate_existing|"Reactivate Someone Who/);
    else await sent;
    settled();
    expect(await status()).toBe(becomes === 'active' ? 'active' : 'inactive');
  });
});

const caution = 'only when the subscriber knowingly subscribes again';

describe('the caution of the specification', () => {
  test('stands in the help of the command', async ({ sandboxOnPort }) => {
    const { stdout } = await run(['api', 'subscriptions.create', '--help'], sandboxOnPort.env);
    expect(stdout.replaceAll(/\s+/g, ' ')).toContain(caution);
  });

  it('stands below the parameter of the node, which a tool does not show', () => {
    const lists = bench.bundle.newsletter.description.properties.filter(({ name }) => name === 'additionalFields');
    const found = lists.flatMap(({ options = [], displayOptions }) =>
      options.flatMap((option) => (option.name === 'reactivate_existing' ? [{ ...option, of: displayOptions }] : [])),
    );
    expect(found).toMatchObject([
      {
        displayName: 'Reactivate Someone Who Unsubscribed',
        default: false,
        description: expect.stringContaining(caution),
        displayOptions: { hide: { '@tool': [true] } },
        of: { show: { operation: ['createOrUpdate'] } },
      },
    ]);
  });

  it('stands in the description of the setting, which has no default', () => {
    expect(settings.filter(({ key }) => key === 'reactivate_existing')).toMatchObject([
      { about: expect.stringContaining(caution), default: null, section: 'forms' },
    ]);
  });
});

it('the product asks for it in the parameter of n8n and after a click to come back, and a retry takes it out', () => {
  const sources = globSync(
    ['packages/*/src/**/*.{ts,js}', '{nodes,credentials,widget/src,examples}/**/*.{ts,js,json,html,svelte,yaml}'],
    { cwd: root, exclude: (path) => /(^|\/)(node_modules|dist|\.cache)(\/|$)/.test(String(path)) },
  );
  const sending = /reactivate_?existing['"]?\s*[:=]\s*['"]?true/;
  expect(sources.filter((path) => sending.test(readFileSync(join(root, path), 'utf8'))).toSorted()).toEqual([
    'nodes/Newsletter/operations/subscription/create.ts',
    'packages/core/src/engine/call.ts',
    'packages/relay/src/delivery/single-delivery.ts',
  ]);
});

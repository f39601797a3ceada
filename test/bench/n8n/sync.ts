/**
 * The sync node in a real n8n, with contacts in PostgreSQL: 100,000 × 100,000 in one execution, against the same
 * workflow without the node; and 20,000 × 20,000, against n8n's own Compare Datasets node.
 */
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { gzipSync } from 'node:zlib';
import { createClient, type Client } from '@newsletter-kit/core';
import { createReconciler, prepareMapping, startSync, type SyncMapping } from '@newsletter-kit/core/sync';
import { publicationId, type Seed } from '@newsletter-kit/sandbox';
import { eventually } from '../../../packages/relay/test/eventually.ts';
import { PostgresServer } from '../../../packages/relay/test/postgres-server.ts';
import { root } from '../../../scripts/root.ts';
import { newsletterType, start, syncType } from '../../n8n/harness/nodes.ts';
import { publishContactSync, type ExampleFile, type PublishedSync } from '../../n8n/harness/syncExample.ts';
import { median, reportFigures } from '../figure.ts';
import { memory, withN8n, type ServedSandbox, type Started } from './started.ts';

const size = 100_000;
/** Compare Datasets is quadratic. */
const fewer = 20_000;
const rounds = 3;
/** Pairs that differ: as many were edited in the CRM as in the newsletter. */
const edited = 2_000;

const fieldRows = [
  { field: 'First Name', contact: 'first_name', direction: 'both', conflict: 'crm' },
  { field: 'Topics', contact: 'topics', direction: 'to_contact', separator: ';' },
] as const;
const emailOf = (index: number): string => `reader.${index}@example.com`;

function seedOf(count: number): Seed {
  const founded = Math.floor(Date.now() / 1000) - 30 * 24 * 3600;
  return {
    publications: [
      {
        id: publicationId,
        name: 'The Crowd',
        custom_fields: [
          { display: 'First Name', kind: 'string' },
          { display: 'Topics', kind: 'list', options: ['boats', 'food'] },
        ],
        subscriptions: Array.from({ length: count }, (_, index) => ({
          email: emailOf(index),
          created: founded + index,
          utm_source: 'landing',
          custom_fields: [
            { name: 'First Name', value: `Reader ${index % 500}` },
            { name: 'Topics', value: ['boats', 'food'] },
          ],
        })),
      },
    ],
  };
}

/** A contact as a row of the table. */
interface Contact {
  readonly id: number;
  readonly email: string;
  readonly first_name: string;
  readonly topics: string;
  readonly newsletter_status: string;
  readonly do_not_mail: boolean;
  readonly newsletter_sync_token: string | null;
}

/** The mapping of the workflow, for the sync node and for core: its fields by their ids. */
async function mappingFor(api: Client): Promise<{ mapping: SyncMapping; parameters: Record<string, unknown> }> {
  const { items } = await api.customFields.list();
  const fields = [
    ...fieldRows.map(({ field, ...row }) => ({
      ...row,
      newsletter: items.find(({ display }) => display === field)?.id ?? '',
    })),
    { newsletter: 'status', contact: 'newsletter_status', direction: 'to_contact' as const },
  ];
  const rows = fields.map((field) =>
    'separator' in field ? { ...field, options: { separator: field.separator } } : field,
  );
  return {
    mapping: { fields, contact: { token: 'newsletter_sync_token' }, optOut: { contact: 'do_not_mail' } },
    parameters: { fields: { field: rows } },
  };
}

/** A contact for each subscription, with the token that a first run gives it. */
async function contactsFor(api: Client, mapping: SyncMapping): Promise<readonly Contact[]> {
  const { items: fields } = await api.customFields.list();
  const reconciler = createReconciler({
    mapping: prepareMapping(mapping, fields, publicationId),
    state: startSync(),
    now: Date.now(),
  });
  const contacts = Array.from({ length: size }, (_, index): Contact => ({
    id: index + 1,
    email: emailOf(index),
    first_name: `Reader ${index % 500}`,
    topics: 'boats;food',
    newsletter_status: 'active',
    do_not_mail: false,
    newsletter_sync_token: null,
  }));
  for (const contact of contacts) reconciler.addContact(contact);
  for await (const page of api.subscriptions.list({ expand: ['custom_fields'], limit: 100 }).pages())
    reconciler.addSubscriptions(page.items);
  const writes = reconciler.finish().pairs.flatMap(({ contactWrites }) => contactWrites);
  const tokens = new Map(writes.map(({ id, token }) => [id, token]));
  return contacts.map((contact) => ({ ...contact, newsletter_sync_token: tokens.get(String(contact.id)) ?? null }));
}

const postgres = new PostgresServer();

async function fill({ address }: PublishedSync, contacts: readonly Contact[]): Promise<void> {
  const columns = 'email, first_name, topics, newsletter_status, do_not_mail, newsletter_sync_token';
  for (let begin = 0; begin < contacts.length; begin += 10_000) {
    const rows = JSON.stringify(contacts.slice(begin, begin + 10_000));
    await postgres.run(
      `INSERT INTO contacts (${columns}) SELECT ${columns} FROM json_populate_recordset(null::contacts, $rows$${rows}$rows$)`,
      address,
    );
  }
}

/** Saves nothing of an execution, and has the webhook answer with the report once it ends. */
function unsaved(workflow: ExampleFile): ExampleFile {
  return {
    ...workflow,
    settings: { ...workflow.settings, saveDataSuccessExecution: 'none' },
    nodes: workflow.nodes.map((node) =>
      node.type === 'n8n-nodes-base.webhook'
        ? { ...node, parameters: { ...node.parameters, responseMode: 'lastNode' } }
        : node,
    ),
  };
}

/** The same workflow without the sync node: it ends with all contacts as items. */
function withoutNode({ nodes, connections: { Sync: _, ...connections }, ...workflow }: ExampleFile): ExampleFile {
  return unsaved({
    ...workflow,
    nodes: nodes.map((node) =>
      node.type === syncType ? { ...node, type: 'n8n-nodes-base.noOp', parameters: {} } : node,
    ),
    connections,
  });
}

interface Ran {
  readonly answer: unknown;
  /** MB that n8n's process had before, and at most. */
  readonly before: number;
  readonly peak: number;
  /** Milliseconds of the longest answer of `/healthz` meanwhile. */
  readonly health: number;
  readonly seconds: number;
}

/** Runs the workflow once while n8n is asked all the time how it is. */
async function ran(pid: number, n8nUrl: string, { url }: PublishedSync): Promise<Ran> {
  const before = await memory(pid, 'VmRSS');
  await writeFile(`/proc/${pid}/clear_refs`, '5'); // the peak is counted from here
  const begun = performance.now();
  let health = 0;
  let ended = false;
  const ask = async (): Promise<void> => {
    while (!ended) {
      const asked = performance.now();
      const response = await fetch(`${n8nUrl}/healthz`);
      await response.body?.cancel();
      health = Math.max(health, performance.now() - asked);
      await sleep(50);
    }
  };
  const execute = async (): Promise<unknown> => {
    try {
      const response = await fetch(url);
      const answer: unknown = await response.json();
      if (!response.ok) throw new Error(`The execution failed: ${JSON.stringify(answer)}`);
      return answer;
    } finally {
      ended = true;
    }
  };
  const [answer] = await Promise.all([execute(), ask()]);
  return { answer, health, before, peak: await memory(pid, 'VmHWM'), seconds: (performance.now() - begun) / 1000 };
}

/** What the report of a run says, and how many requests the sandbox has seen meanwhile. */
interface Report {
  readonly requests: number;
  readonly held: unknown;
  readonly counts: Readonly<Record<string, number>>;
  readonly applied: Readonly<
    Record<'subscriptionUpdates' | 'subscriptionCreates' | 'contactCreates' | 'contactUpdates' | 'failed', number>
  >;
}

async function answered(sandbox: ServedSandbox): Promise<number> {
  const { data } = await sandbox.control<{ data: readonly { n: number }[] }>('GET', '/requests');
  return data.at(-1)?.n ?? 0;
}

const clientOf = ({ baseUrl }: ServedSandbox): Client =>
  createClient({ baseUrl, token: 'sandbox-key', publicationId, pacer: false });

/** The files that n8n loads for the sync node, with gzip. */
async function bundle(): Promise<{ bytes: number; detail: string }> {
  const files = new Map<string, string>();
  const load = async (file: string): Promise<void> => {
    if (files.has(file)) return;
    const code = await readFile(file, 'utf8');
    files.set(file, code);
    for (const [, path = ''] of code.matchAll(/require\("(\.[^"]+)"\)/g)) await load(join(dirname(file), path));
  };
  await load(join(root, 'dist/nodes/Newsletter/NewsletterSync.node.js'));
  const sizes = [...files].map(([file, code]) => ({ file, bytes: gzipSync(code, { level: 9 }).length }));
  return {
    bytes: sizes.reduce((sum, { bytes }) => sum + bytes, 0),
    detail: sizes
      .map(({ file, bytes }) => `${file.slice(join(root, 'dist/nodes/').length)} ${(bytes / 1000).toFixed(1)}`)
      .join(', '),
  };
}

/** Milliseconds that the sync node and Compare Datasets take for the same contacts and subscriptions, by rounds. */
async function compare(
  { n8n, ...started }: Started,
  { database }: PublishedSync,
  parameters: Readonly<Record<string, unknown>>,
  seed: string,
): Promise<readonly { sync: number; compareDatasets: number }[]> {
  const credentials = await started.credentials(await started.sandbox(['--seed', seed, '--profile', 'unlimited']));
  const placed = [
    start,
    {
      name: 'Contacts',
      type: 'n8n-nodes-base.postgres',
      typeVersion: 2.6,
      credentials: database,
      parameters: { operation: 'executeQuery', query: `SELECT * FROM contacts WHERE id <= ${fewer}`, options: {} },
    },
    {
      name: 'Subscriptions',
      type: newsletterType,
      credentials,
      parameters: { resource: 'subscription', operation: 'getMany', returnAll: true },
    },
    {
      name: 'Sync',
      type: syncType,
      credentials,
      parameters: { ...parameters, mode: 'preview', optOutField: 'do_not_mail' },
    },
    {
      name: 'Compare Datasets',
      type: 'n8n-nodes-base.compareDatasets',
      typeVersion: 2.3,
      parameters: { mergeByFields: { values: [{ field1: 'email', field2: 'email' }] }, options: {} },
    },
  ].map((node, index) => ({
    id: crypto.randomUUID(),
    typeVersion: 1,
    position: [index * 240, 0],
    parameters: {},
    ...node,
  }));
  const to = (node: string, index = 0) => ({ node, type: 'main', index });
  const workflow = await n8n.saveWorkflow({
    nodes: placed,
    connections: {
      [start.name]: { main: [[to('Contacts'), to('Subscriptions')]] },
      Contacts: { main: [[to('Sync'), to('Compare Datasets')]] },
      Subscriptions: { main: [[to('Compare Datasets', 1)]] },
    },
    settings: { executionOrder: 'v1' },
  });
  const took: { sync: number; compareDatasets: number }[] = [];
  for (let round = 0; round < rounds; round += 1) {
    const execution = await n8n.runManually(workflow, start.name);
    // While Compare Datasets works, n8n answers nobody and connections break.
    const run = await eventually('both have compared', () => n8n.execution(execution).catch(() => null), 400_000);
    const { counts } = (run.output('Sync', 3)[0] ?? {}) as Partial<Report>;
    const compared = [0, 1, 2, 3].map((index) => run.output('Compare Datasets', index).length);
    if (counts?.['pairs'] !== fewer || (compared[1] ?? 0) + (compared[2] ?? 0) !== fewer)
      throw new Error(
        `Not everything was compared: ${run.error?.message} ${JSON.stringify(counts)} ${compared.join()}`,
      );
    took.push({ sync: run.took('Sync'), compareDatasets: run.took('Compare Datasets') });
  }
  return took;
}

/** Edits names: every so many contacts, and as many other subscriptions. */
async function edit(api: Client, sandbox: ServedSandbox, { address }: PublishedSync): Promise<void> {
  const every = size / edited;
  await postgres.run(`UPDATE contacts SET first_name = 'Edited here' WHERE id % ${every} = 1`, address);
  const subscriptions: BulkUpdate = [];
  let index = 0;
  for await (const { id } of api.subscriptions.list({ limit: 100, order_by: 'created', direction: 'asc' })) {
    if (index % every === 1)
      subscriptions.push({ subscription_id: id, custom_fields: [{ name: 'First Name', value: 'Edited there' }] });
    index += 1;
  }
  for (let begin = 0; begin < subscriptions.length; begin += 1000)
    await api.subscriptions.bulkUpdate({ subscriptions: subscriptions.slice(begin, begin + 1000) });
  await sandbox.control('POST', '/clock', { advance: 'PT1M' });
}

type BulkUpdate = { subscription_id: string; custom_fields: { name: string; value: string }[] }[];

const folder = await mkdtemp(join(tmpdir(), 'newsletter-sync-bench-'));
try {
  await postgres.create();
  const seeds = { all: join(folder, 'all.json'), fewer: join(folder, 'fewer.json') };
  await writeFile(seeds.all, JSON.stringify(seedOf(size)));
  await writeFile(seeds.fewer, JSON.stringify(seedOf(fewer)));

  await withN8n(async (started) => {
    const { n8n, n8nUrl, pid } = started;
    const sandbox = await started.sandbox(['--seed', seeds.all, '--profile', 'unlimited']);
    const api = clientOf(sandbox);
    const { mapping, parameters } = await mappingFor(api);
    const contacts = await contactsFor(api, mapping);
    const credentials = await started.credentials(sandbox);
    const options = { n8n, n8nUrl, server: postgres, parameters, credentials };

    const without = await publishContactSync({ ...options, finish: withoutNode });
    await fill(without, contacts);
    const bare = await ran(pid, n8nUrl, without);

    const sync = await publishContactSync({ ...options, finish: unsaved });
    await fill(sync, contacts);
    await edit(api, sandbox, sync);
    const before = await answered(sandbox);
    const first = await ran(pid, n8nUrl, sync);
    const requests = (await answered(sandbox)) - before;
    const { held, applied, requests: reported } = first.answer as Report;
    const { subscriptionUpdates, contactUpdates, failed } = applied;
    if (held !== null || failed > 0 || subscriptionUpdates !== edited || contactUpdates !== 2 * edited)
      throw new Error(`The run did not make the changes: ${JSON.stringify({ held, applied })}`);
    if (reported !== requests)
      throw new Error(`The report says ${reported} requests, and the sandbox has answered ${requests}.`);

    const second = await ran(pid, n8nUrl, sync);
    const { counts, applied: after } = second.answer as Report;
    if (counts['pairs'] !== size) throw new Error(`The second run met ${counts['pairs']} pairs.`);
    const took = await compare(started, sync, parameters, seeds.fewer);
    const loaded = await bundle();

    const least = size / 100 + subscriptionUpdates / 1000;
    reportFigures({
      requests: {
        value: requests / least,
        detail: `${requests} requests, for ${size / 100} pages and ${subscriptionUpdates} changed subscriptions; ${first.seconds.toFixed(1)} s`,
      },
      memory: {
        value: first.peak - bare.peak,
        detail: `at most ${Math.round(first.peak)} MB; ${Math.round(bare.peak)} MB in the same n8n where the contacts go to a No Operation node (${Math.round(bare.before)} MB before both)`,
      },
      health: {
        value: Math.max(first.health, second.health),
        detail: `asked every 50 ms; ${Math.round(bare.health)} ms without the node`,
      },
      again: {
        value: after.subscriptionUpdates + after.subscriptionCreates + after.contactCreates + after.contactUpdates,
        detail: `after ${subscriptionUpdates} and ${contactUpdates} writes; ${second.seconds.toFixed(1)} s`,
      },
      compare: {
        value: median(took.map((round) => round.compareDatasets / round.sync)),
        detail: `${rounds} rounds: Compare Datasets ${took.map(({ compareDatasets }) => Math.round(compareDatasets)).join(', ')} ms, Newsletter Sync with reading the subscriptions ${took.map((round) => Math.round(round.sync)).join(', ')} ms`,
      },
      bundle: { value: loaded.bytes / 1000, detail: loaded.detail },
    });
  });
} finally {
  await postgres.remove();
  await rm(folder, { recursive: true, force: true });
}

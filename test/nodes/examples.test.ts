/** The example workflows match the current nodes, and run from one node to the next. */
import { globSync, readFileSync, statSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { root } from '../../scripts/root.ts';
import { page, pagePath } from '../support/documentation.ts';
import type { Property } from './bundle.ts';
import { offered } from './parameters.ts';
import { workbench } from './workbench.ts';

interface Workflow {
  readonly nodes: readonly {
    readonly name: string;
    readonly type: string;
    readonly parameters: Readonly<Record<string, unknown>>;
    readonly credentials?: Readonly<Record<string, unknown>>;
  }[];
  readonly connections: Readonly<Record<string, { readonly main: readonly (readonly { readonly node: string }[])[] }>>;
}

const bench = workbench();
const paths = globSync('examples/workflows/*.json', { cwd: root }).toSorted();
const read = (path: string): Workflow => JSON.parse(readFileSync(join(root, path), 'utf8')) as Workflow;

/** Set parameters without a property, nested ones included. */
function unknownParameters(values: Readonly<Record<string, unknown>>, properties: readonly Property[]): string[] {
  return Object.entries(values).flatMap(([name, value]) => {
    const property = properties.find((each) => each.name === name);
    if (!property) return [name];
    if (property.type === 'collection')
      return unknownParameters(value as Readonly<Record<string, unknown>>, property.options ?? []);
    if (property.type !== 'fixedCollection') return [];
    return Object.entries(value as Readonly<Record<string, readonly Readonly<Record<string, unknown>>[]>>).flatMap(
      ([group, rows]) => {
        const inner = property.options?.find((each) => each.name === group)?.values ?? [];
        return rows.flatMap((row) => unknownParameters(row, inner));
      },
    );
  });
}

describe.each(paths)('%s', (path) => {
  it('sets only parameters that the operation shows', () => {
    for (const { name, parameters } of read(path).nodes.filter(
      ({ type }) => type === 'n8n-nodes-newsletter-kit.newsletter',
    )) {
      const { resource, operation, ...others } = parameters;
      const found = offered(bench.bundle).find((each) => each.resource === resource && each.operation === operation);
      expect(found, name).toBeDefined();
      expect(unknownParameters(others, found?.properties ?? [])).toEqual([]);
    }
    for (const { name, parameters } of read(path).nodes.filter(
      ({ type }) => type === 'n8n-nodes-newsletter-kit.newsletterSync',
    )) {
      expect(unknownParameters(parameters, bench.bundle.sync.description.properties), name).toEqual([]);
    }
  });

  it('connects existing nodes, and names the credential of the sandbox', () => {
    const { nodes, connections } = read(path);
    const names = nodes.map(({ name }) => name);
    const connected = Object.entries(connections).flatMap(([from, { main }]) => [
      from,
      ...main.flat().map(({ node }) => node),
    ]);
    expect(connected.filter((name) => !names.includes(name))).toEqual([]);
    for (const { type, credentials } of nodes) {
      // The Signup Trigger sends no request to the service, so it needs no key.
      if (type.endsWith('.newsletterSignupTrigger')) expect(credentials).toBeUndefined();
      else if (type.startsWith('n8n-nodes-newsletter-kit.'))
        expect(credentials).toEqual({ newsletterApi: { id: 'newsletterSandbox', name: 'Newsletter sandbox' } });
    }
  });
});

it.each(paths)('lists %s on the page of the examples, with a small picture', (path) => {
  const folder = join(root, dirname(pagePath('n8n/workflows')));
  const file = basename(path);
  const linked = new RegExp(`\\[!\\[[^\\]]+\\]\\(([^)]+)\\)\\]\\(([^)]*/${file})\\)`);
  const [, picture = '', target = ''] = linked.exec(page('n8n/workflows')) ?? [];
  expect(picture).toBe(`../../../../../.github/guide/workflows/${basename(path, '.json')}.png`);
  expect(join(folder, target)).toBe(join(root, 'examples/workflows', file));
  expect(readFileSync(join(root, 'examples/workflows/README.md'), 'utf8')).toContain(`](${file})`);
  expect(readFileSync(join(folder, picture)).subarray(1, 4).toString()).toBe('PNG');
  expect(statSync(join(folder, picture)).size).toBeLessThan(150_000);
});

/** Examples that follow the guidelines of n8n's template library. */
const templates = [
  'act-on-signup',
  'erase-with-approval',
  'import-csv',
  'signup-form',
  'subscriber-notice',
  'unsubscribed-to-crm',
  'weekly-growth',
];

interface Template extends Workflow {
  readonly name: string;
  readonly pinData?: Readonly<Record<string, readonly { readonly json: object }[]>>;
}

/** Nodes that start a workflow with data to pin; a schedule, an uploaded file and a signed webhook have none. */
const begins = /\.(newsletterTrigger|newsletterSignupTrigger|formTrigger)$/;

describe.each(templates)('the template %s', (file) => {
  const { name, nodes, pinData = {} } = read(`examples/workflows/${file}.json`) as Template;
  const notes = nodes.filter(({ type }) => type.endsWith('.stickyNote'));

  it('has a title of at least eight words, without a period', () => {
    expect(name).toMatch(/^[A-Z][a-z]+ /);
    expect(name.split(' ').length).toBeGreaterThanOrEqual(8);
    expect(name).not.toMatch(/[.:!]$/);
  });

  it('has an overview with audience, operation and set-up, and a note for each part', () => {
    const overview = String(notes.find((note) => note.name === 'Overview')?.parameters['content']);
    expect(overview.match(/^#{2,3} .+$/gm)?.slice(1)).toEqual(['### Who it is for', '### How it works', '### Set up']);
    expect(notes.length).toBeGreaterThan(1);
    for (const { parameters } of notes) expect(parameters['content']).toMatch(/^#{2,3} /);
  });

  it('lists in its set-up each node that needs a credential or an address', () => {
    const overview = String(notes.find((note) => note.name === 'Overview')?.parameters['content']);
    const needing = nodes.filter(({ type, credentials }) => credentials || /\.(emailSend|postgres)$/.test(type));
    for (const { name: node, type } of needing) {
      const kind = type.endsWith('.postgres') ? 'Postgres' : type.endsWith('.emailSend') ? '*Email* nodes' : node;
      expect(overview.includes(`*${node}*`) || overview.includes(kind), node).toBe(true);
    }
  });

  it('has sample data of invented people for a manual run', () => {
    const pinned = nodes.filter(({ name: node, type }) => begins.test(type) && node !== 'Upload a CSV file');
    expect(Object.keys(pinData)).toEqual(pinned.map(({ name: node }) => node));
    const text = readFileSync(join(root, `examples/workflows/${file}.json`), 'utf8');
    expect(
      text.match(/[\w.+-]+@[\w.-]+/g)?.filter((address) => !/@(?:erased\.invalid|example\.com)$/.test(address)) ?? [],
    ).toEqual([]);
  });

  it('names every node by its purpose, and contains no secret', () => {
    for (const node of nodes)
      expect(node.name).not.toMatch(/^(Set|If|Edit Fields|Postgres|Send Email|Webhook|Code)\d*$/);
    expect(JSON.stringify(nodes)).not.toMatch(/(?:api[-_ ]?key|password|secret|token)"?\s*[:=]\s*"[^"=]/i);
  });

  it("names every credential, and contains only the sandbox's credential id", () => {
    for (const { name: node, type, credentials = {} } of nodes) {
      const wanted = /\.(newsletter|newsletterTrigger|emailSend|postgres)$/.test(type);
      expect(Object.keys(credentials).length > 0 || !wanted, node).toBe(true);
      for (const [kind, credential] of Object.entries(credentials))
        expect(credential).toEqual({
          id: kind === 'newsletterApi' ? 'newsletterSandbox' : null,
          name: expect.stringMatching(/\w/),
        });
    }
  });
});

it('raises the tier of the first hundred subscriptions with one bulk update', async () => {
  const [, many, bulk] = read('examples/workflows/raise-tier.json').nodes;
  const found = await bench.run('subscription', 'getMany', many?.parameters);
  expect(found).toHaveLength(100);
  const raised = await bench.run(
    'subscription',
    'bulkUpdate',
    { ...bulk?.parameters, subscription: (index: number) => found[index]?.json['id'] },
    { items: found.map(({ json }) => json) },
  );
  expect(raised.map(({ json }) => json['status'])).toEqual(found.map(() => 'complete'));
  const [first] = await bench.run('subscription', 'get', { subscription: { mode: 'id', value: found[0]?.json['id'] } });
  expect(first?.json['subscription_tier']).toBe('premium');
});

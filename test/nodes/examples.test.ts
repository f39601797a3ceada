/** The example workflows are set as the nodes are today, and run from one node to the next. */
import { globSync, readFileSync, statSync } from 'node:fs';
import { basename, join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { root } from '../../scripts/chain/root.ts';
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

/** Parameters that none of these properties describes, those of collections among them. */
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

  it('connects nodes that are there, and names the credential of the sandbox', () => {
    const { nodes, connections } = read(path);
    const names = nodes.map(({ name }) => name);
    const connected = Object.entries(connections).flatMap(([from, { main }]) => [
      from,
      ...main.flat().map(({ node }) => node),
    ]);
    expect(connected.filter((name) => !names.includes(name))).toEqual([]);
    for (const { type, credentials } of nodes) {
      // The signup form speaks with visitors, not with the service: it needs no key.
      if (type.endsWith('.newsletterSignupTrigger')) expect(credentials).toBeUndefined();
      else if (type.startsWith('n8n-nodes-newsletter-kit.'))
        expect(credentials).toEqual({ newsletterApi: { id: 'newsletterSandbox', name: 'Newsletter sandbox' } });
    }
  });
});

it.each(paths)('the page of the examples shows %s, and its picture is there and small', (path) => {
  const folder = join(root, 'examples/workflows');
  const readme = readFileSync(join(folder, 'README.md'), 'utf8');
  const file = basename(path);
  const picture = new RegExp(`\\[!\\[[^\\]]+\\]\\(([^)]+)\\)\\]\\(${file}\\)`).exec(readme)?.[1] ?? '';
  expect(picture).toBe(`../../.github/guide/workflows/${basename(path, '.json')}.png`);
  expect(readFileSync(join(folder, picture)).subarray(1, 4).toString()).toBe('PNG');
  expect(statSync(join(folder, picture)).size).toBeLessThan(150_000);
});

it('the first hundred get the premium tier, all at once', async () => {
  const [, many, bulk] = read('examples/workflows/raise-tier.json').nodes;
  const found = await bench.run('subscription', 'getMany', many?.parameters);
  expect(found).toHaveLength(100);
  const raised = await bench.run(
    'subscription',
    'bulkUpdate',
    { ...bulk?.parameters, subscription_id: (index: number) => found[index]?.json['id'] },
    { items: found.map(({ json }) => json) },
  );
  expect(raised.map(({ json }) => json['status'])).toEqual(found.map(() => 'complete'));
  const [first] = await bench.run('subscription', 'get', { subscription: { mode: 'id', value: found[0]?.json['id'] } });
  expect(first?.json['subscription_tier']).toBe('premium');
});

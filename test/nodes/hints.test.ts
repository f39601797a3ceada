/** The hints of the nodes: for n8n's search, its workflow builder and its agents, and beside a node's data. */
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import type {
  IBuilderHint,
  INodeExecutionData,
  INodeTypes,
  NodeHint,
  NodeHintGroup,
  Workflow as N8nWorkflow,
} from 'n8n-workflow';
import { describe, expect, it } from 'vitest';
import { root } from '../../scripts/root.ts';
import { workbench } from './workbench.ts';

const bench = workbench();

/** The copy of n8n-workflow that the bundle requires. */
const require = createRequire(import.meta.url);
const { Workflow } = require('n8n-workflow') as { readonly Workflow: typeof N8nWorkflow };

interface Described {
  readonly name: string;
  readonly displayName: string;
  readonly builderHint: IBuilderHint;
  readonly hints?: readonly NodeHint[];
  readonly usableAsTool?: { readonly replacements: { readonly description?: string; readonly hidden?: boolean } };
}

const { name: packageName, n8n } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as {
  readonly name: string;
  readonly n8n: { readonly nodes: readonly string[] };
};
const classes = n8n.nodes.map((path) => path.replace(/^.*\/|\.node\.js$/g, ''));

/** Instantiates a node of the bundle, as n8n does. */
function make(className: string): { readonly description: Described } {
  const load = createRequire(join(bench.bundle.folder, 'loader.cjs'));
  const exported = load(`./nodes/Newsletter/${className}.node.js`) as Record<
    string,
    new () => { description: Described }
  >;
  const Node = exported[className];
  if (!Node) throw new Error(`There is no node "${className}".`);
  return new Node();
}

describe("the search of n8n's list of nodes", () => {
  // The search function of the editor, from a dependency of n8n-workflow.
  const { sublimeSearch } = createRequire(require.resolve('n8n-workflow'))('@n8n/utils/search/sublime-search') as {
    sublimeSearch<T>(
      query: string,
      items: readonly T[],
      keys: readonly { key: string; weight: number }[],
    ): { item: T }[];
  };
  const keys = [
    { key: 'properties.displayName', weight: 1.3 },
    { key: 'properties.codex.alias', weight: 1 },
  ];

  /** An action node and its trigger are one entry with name and codex of the action node. */
  const entries = classes
    .filter((name) => name !== 'NewsletterTrigger')
    .map((name) => ({ name, properties: { displayName: name, codex: codexOf(name) } }));

  it.each([
    ['poll', 'Newsletter'],
    ['new subscriber', 'Newsletter'],
    ['email marketing', 'Newsletter'],
    ['unsubscribed', 'Newsletter'],
    ['beehiiv', 'Newsletter'],
    ['signup form', 'NewsletterSignupTrigger'],
    ['contact sync', 'NewsletterSync'],
  ])('lists for the query "%s" first %s', (query, first) => {
    expect(sublimeSearch(query, entries, keys)[0]?.item.name).toBe(first);
  });

  it('has every alias of the trigger at the action node, which stands for both', () => {
    expect(codexOf('Newsletter').alias).toEqual(expect.arrayContaining([...codexOf('NewsletterTrigger').alias]));
  });
});

function codexOf(name: string): { readonly alias: readonly string[] } {
  return JSON.parse(readFileSync(join(root, 'nodes', 'Newsletter', `${name}.node.json`), 'utf8')) as {
    alias: string[];
  };
}

describe("the hints for n8n's workflow builder", () => {
  it.each(classes)('of %s describe its purpose and name related nodes', (name) => {
    const { searchHint = '', relatedNodes = [], extraTypeDefContent = [] } = make(name).description.builderHint;
    expect(searchHint.length).toBeGreaterThan(100);
    expect(relatedNodes).not.toEqual([]);
    const own = classes.map((each) => `${packageName}.${make(each).description.name}`);
    for (const { nodeType } of relatedNodes) expect([...own, 'n8n-nodes-base.scheduleTrigger']).toContain(nodeType);
    // Rules of n8n's linter, which only checks literals.
    for (const text of [searchHint, ...extraTypeDefContent.map(({ content }) => content)])
      expect(text).not.toMatch(/={{|\bai_\w+/);
  });

  it('name resources and operations that exist', () => {
    const known = bench.bundle.newsletter.description.properties
      .filter(({ name }) => name === 'resource' || name === 'operation')
      .flatMap(({ options = [] }) => options.map(({ value }) => value));
    const { searchHint = '', extraTypeDefContent = [] } = make('Newsletter').description.builderHint;
    const named = [...searchHint.matchAll(/(?:resource|operation) (\w+)|bulkUpdate|getMany/gi)].map(
      ([all, one]) => one ?? all,
    );
    const shown = extraTypeDefContent.flatMap(({ displayOptions }) => Object.values(displayOptions?.show ?? {}).flat());
    expect(named.length).toBeGreaterThan(4);
    expect(known).toEqual(expect.arrayContaining([...named, ...shown]));
  });

  it('contain patterns that run', async () => {
    const { extraTypeDefContent = [] } = make('Newsletter').description.builderHint;
    const item: Readonly<Record<string, string>> = {
      email: 'ada.lovelace@example.com',
      first_name: 'Ada',
      utm_source: 'builder',
    };
    const expr = (text: string): string | undefined => item[/\$json\.(\w+)/.exec(text)?.[1] ?? ''];
    const done: unknown[] = [];
    for (const { content } of extraTypeDefContent) {
      const [, code = ''] = /<pattern [^>]*>\nconst \w+ = ([\s\S]*?);\n<\/pattern>/.exec(content) ?? [];
      // oxlint-disable-next-line typescript/no-implied-eval -- the pattern is code to copy, so the test runs it
      const read = new Function('node', 'expr', `return ${code}`) as (
        node: <T>(given: T) => T,
        read: typeof expr,
      ) => { type: string; config: { parameters: Record<string, string> } };
      const { type, config } = read((given) => given, expr);
      expect(type).toBe(`${packageName}.newsletter`);
      const { resource = '', operation = '', ...parameters } = config.parameters;
      done.push((await bench.run(resource, operation, parameters))[0]?.json['email']);
    }
    expect(done).toEqual([item['email'], item['email']]);
  });
});

describe('the nodes as tools of an agent', () => {
  it('are the action node, with its own description, and not the sync', () => {
    const tools = classes.map((name) => [name, make(name).description.usableAsTool?.replacements] as const);
    expect(Object.fromEntries(tools)).toEqual({
      Newsletter: { description: expect.stringMatching(/subscriptions of a newsletter.*beehiiv/) },
      NewsletterSync: { hidden: true },
      NewsletterTrigger: undefined,
      NewsletterSignupTrigger: undefined,
    });
  });
});

it('the warnings about a service that differs are collapsed by n8n, and complete without that', async () => {
  const hints: { message: string; group?: NodeHintGroup }[] = [];
  const additionalFields = { otherFieldsJson: { loyalty_level: 'gold', shoe: 39 } };
  await bench
    .run('subscription', 'create', { email: 'ada@example.com', additionalFields }, { hints })
    .catch(() => null);
  expect(hints.length).toBeGreaterThan(1);
  expect(new Set(hints.map(({ message }) => message)).size).toBe(hints.length);
  for (const { message, group } of hints) {
    expect(message).toBe(`The service differs from its specification. ${group?.label}`);
    expect(group).toMatchObject({ key: 'deviation', summary: expect.stringContaining('{count}') });
  }
});

describe("the hints beside a node's data", () => {
  const bulkImport = /<b>Bulk Import<\/b>/;
  const bulkUpdate = /<b>Bulk Update<\/b>/;

  it.each([
    ['many subscriptions one by one', 'Newsletter', 51, { operation: 'createOrUpdate' }, bulkImport],
    ['some subscriptions one by one', 'Newsletter', 50, { operation: 'create' }, null],
    ['many updates one by one', 'Newsletter', 51, { operation: 'update' }, bulkUpdate],
    ['many subscriptions together', 'Newsletter', 51, { operation: 'bulkImport' }, null],
    ['a preview', 'NewsletterSync', 1, { mode: 'preview' }, /preview: nothing was written/],
    ['a sync', 'NewsletterSync', 1, { mode: 'apply' }, null],
  ])('shows the right hint for %s', (_, className, count, parameters, expected) => {
    const shown = hintsOf(className, count, parameters);
    expect(shown).toHaveLength(expected ? 1 : 0);
    if (expected) expect(shown[0]).toMatch(expected);
  });

  /** The visible hints: n8n evaluates each condition with the node's parameters and its input. */
  function hintsOf(className: string, count: number, parameters: object): readonly string[] {
    const node = make(className);
    const types = { getByName: () => node, getByNameAndVersion: () => node } as unknown as INodeTypes;
    const defaults = { id: '1', name: 'Node', type: node.description.name, position: [0, 0] as [number, number] };
    const workflow = new Workflow({
      nodes: [{ ...defaults, typeVersion: 1, parameters: { resource: 'subscription', ...parameters } }],
      connections: {},
      active: false,
      nodeTypes: types,
    });
    const input: INodeExecutionData[] = Array.from({ length: count }, () => ({ json: {} }));
    return (node.description.hints ?? []).flatMap(({ message, displayCondition = '={{ true }}' }) => {
      const holds = workflow.expression.getParameterValue(displayCondition, null, 0, 0, 'Node', input, 'manual', {});
      expect(typeof holds, displayCondition).toBe('boolean');
      return holds === true ? [message] : [];
    });
  }
});

/** The example workflows match the nodes of this n8n: types, versions, parameters, outputs, by n8n's own checks. */
import { globSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import type * as n8nWorkflow from 'n8n-workflow';
import type {
  INode,
  INodeParameters,
  INodeProperties,
  INodePropertyOptions,
  INodeType,
  INodeTypeDescription,
  INodeTypes,
  IWorkflowBase,
} from 'n8n-workflow';
import { expect } from 'vitest';
import { root } from '../../scripts/root.ts';
import { n8n, test } from './harness/test.ts';

// Node cannot import the ESM build of the package.
const { isExpression, NodeHelpers, validateFieldType, Workflow } = createRequire(import.meta.url)(
  'n8n-workflow',
) as typeof n8nWorkflow;

type Example = Pick<IWorkflowBase, 'nodes' | 'connections'>;

const files = globSync('examples/workflows/*.json', { cwd: root }).toSorted();
const read = (file: string): Example => JSON.parse(readFileSync(join(root, file), 'utf8')) as Example;

const descriptions = await n8n.nodeTypes();

function describe({ type, typeVersion }: Pick<INode, 'type' | 'typeVersion'>): INodeTypeDescription | undefined {
  return descriptions.find(({ name, version }) => name === type && [version].flat().includes(typeVersion));
}

/** The lookup of descriptions for n8n's count of the outputs. */
const nodeTypes: INodeTypes = { getByName: typeOf, getByNameAndVersion: typeOf, getKnownTypes: () => ({}) };

function typeOf(type: string, typeVersion = 1): INodeType {
  const description = describe({ type, typeVersion });
  if (!description) throw new Error(`n8n has no ${type} in version ${typeVersion}.`);
  return { description };
}

/** Everything in the workflow that n8n would drop, mark as invalid or not find. */
function problemsOf({ nodes, connections }: Example): string[] {
  return [
    ...nodes.flatMap((node) => problemsOfNode(node).map((problem) => `${node.name}: ${problem}`)),
    ...Object.entries(connections).flatMap(([from, { main = [] }]) => {
      const source = nodes.find(({ name }) => name === from);
      const description = source && describe(source);
      if (!description) return [`${from}: is no node of this n8n`];
      const workflow = new Workflow({ nodes: [source], connections: {}, active: false, nodeTypes });
      const outputs = NodeHelpers.getNodeOutputs(workflow, source, description).length;
      return [
        ...(main.length > outputs ? [`${from}: output ${main.length - 1} is connected, and there are ${outputs}`] : []),
        ...main
          .flatMap((targets) => targets ?? [])
          .filter(({ node }) => !nodes.some(({ name }) => name === node))
          .map(({ node }) => `${from}: leads to ${node}, which is no node`),
      ];
    }),
  ];
}

function problemsOfNode(node: INode): string[] {
  const description = describe(node);
  if (!description) return [`n8n has no ${node.type} in version ${node.typeVersion}`];
  const { properties } = description;
  const shown = NodeHelpers.getNodeParameters(properties, node.parameters, true, false, node, description) ?? {};
  const issues = NodeHelpers.getNodeParametersIssues(properties, { ...node, parameters: shown }, description);
  return [
    ...missingIn(shown, node.parameters),
    ...Object.values(issues?.parameters ?? {}).flat(),
    ...wrongChoices(properties, shown, shown, node, description),
  ];
}

/** Paths of parameters that n8n drops, since no shown property has the name. */
function missingIn(shown: unknown, given: unknown, path = ''): string[] {
  if (typeof given !== 'object' || given === null) return [];
  return Object.entries(given).flatMap(([name, value]) => {
    const at = path === '' ? name : `${path}.${name}`;
    if (typeof shown !== 'object' || shown === null || !Object.hasOwn(shown, name)) return [`no parameter ${at}`];
    return missingIn(Reflect.get(shown, name), value, at);
  });
}

/** Values that are not in the list of options: n8n's editor marks them, its check of parameters does not. */
function wrongChoices(
  properties: readonly INodeProperties[],
  values: INodeParameters,
  all: INodeParameters,
  node: INode,
  description: INodeTypeDescription,
): string[] {
  return properties.flatMap((property) => {
    const value = values[property.name];
    if (value === undefined || !NodeHelpers.displayParameter(values, property, node, description, all)) return [];
    const inner = (within: readonly INodeProperties[], at: unknown): string[] =>
      [at].flat().flatMap((each) => wrongChoices(within, each as INodeParameters, all, node, description));
    if (property.type === 'collection') return inner((property.options ?? []) as INodeProperties[], value);
    if (property.type === 'fixedCollection')
      return Object.entries(value as INodeParameters).flatMap(([group, rows]) => {
        const found = property.options?.find(({ name }) => name === group);
        return found && 'values' in found ? inner(found.values, rows) : [];
      });
    if (property.type !== 'options' || property.typeOptions?.loadOptionsMethod || isExpression(value)) return [];
    const valueOptions = (property.options ?? []) as INodePropertyOptions[];
    const result = validateFieldType(property.name, value, 'options', { valueOptions });
    return result.valid ? [] : [result.errorMessage];
  });
}

test.for(files)('%s', (file) => {
  expect(problemsOf(read(file))).toEqual([]);
});

test('every example has a unique name and id', () => {
  const all = files.map((file) => JSON.parse(readFileSync(join(root, file), 'utf8')) as { id: string; name: string });
  expect(new Set(all.map(({ id }) => id)).size).toBe(files.length);
  expect(new Set(all.map(({ name }) => name)).size).toBe(files.length);
});

test.for<[what: string, node: string, change: (node: INode) => unknown, problem: RegExp]>([
  ['a misspelt parameter', 'Contacts', ({ parameters }) => (parameters['retrunAll'] = true), /no parameter retrunAll/],
  [
    'a misspelt option',
    'Sync',
    ({ parameters }) => (parameters['options'] = { acept: true }),
    /no parameter options\.acept/,
  ],
  [
    'a parameter of another operation',
    'Contacts',
    ({ parameters }) => (parameters['query'] = 'SELECT 1'),
    /no parameter query/,
  ],
])('finds %s', ([, name, change, problem]) => {
  const example = read('examples/workflows/contact-sync.json');
  const node = example.nodes.find((each) => each.name === name);
  expect(node).toBeDefined();
  if (node) change(node);
  expect(problemsOf(example)).toContainEqual(expect.stringMatching(problem));
});

test('finds a connection from a missing output', () => {
  const example = read('examples/workflows/contact-sync.json');
  example.connections['Contacts']?.['main']?.push([{ node: 'Report', type: 'main', index: 0 }]);
  expect(problemsOf(example)).toEqual([expect.stringContaining('Contacts: output 1 is connected')]);
});

/**
 * Reads stored parameters as n8n does: evaluates expressions with n8n-workflow itself, and checks the values of a
 * resource mapper by the saved types, as n8n-core's `validateValueAgainstSchema` does.
 */
import type * as N8n from 'n8n-workflow';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { root } from '../../scripts/root.ts';

const { ExpressionError, NodeHelpers, validateFieldType, Workflow } = createRequire(join(root, 'package.json'))(
  'n8n-workflow',
) as typeof N8n;

type Workflow = InstanceType<typeof Workflow>;
type Nodes = ConstructorParameters<typeof Workflow>[0]['nodeTypes'];
type Description = ReturnType<Nodes['getByNameAndVersion']>['description'];

/** Named values: the parameters of a node, or the fields of an item. */
type Values = Readonly<Record<string, unknown>>;

const name = 'Newsletter';

/** The evaluating functions of n8n's contexts. */
interface Evaluator {
  /** A stored parameter for an item; undefined where none of this name is stored. */
  read(path: string, itemIndex: number, skipValidation?: boolean): unknown;
  /** A template such as `{{ $json.email }}`. */
  evaluate(expression: string, itemIndex: number): unknown;
}

/** Creates the evaluator of stored parameters. */
export function evaluator(stored: Values, items: readonly Values[], timezone = 'UTC'): Evaluator {
  const nodeType = { description: { properties: [] as unknown[], group: [] } } as unknown as ReturnType<
    Nodes['getByNameAndVersion']
  >;
  const node = {
    id: '1',
    name,
    type: 'newsletter',
    typeVersion: 1,
    position: [0, 0] as [number, number],
    parameters: {},
  };
  const workflow = new Workflow({
    nodes: [node],
    connections: {},
    active: false,
    settings: { timezone },
    nodeTypes: { getByName: () => nodeType, getByNameAndVersion: () => nodeType, getKnownTypes: () => ({}) },
  });
  const input = items.map((json) => ({ json })) as N8n.INodeExecutionData[];
  const executeData = { data: { main: [input] }, node, source: null };
  const nothing = { resultData: { runData: {} } } as N8n.IRunExecutionData;
  const evaluated = (value: unknown, itemIndex: number): unknown =>
    workflow.expression.getParameterValue(
      value as string,
      nothing,
      0,
      itemIndex,
      name,
      input,
      'manual',
      {},
      executeData,
    );
  return {
    read(path, itemIndex, skipValidation = false) {
      const value = within(stored, path);
      if (value === undefined) return undefined;
      const read = evaluated(value, itemIndex);
      return skipValidation ? read : checked(path, read, stored, itemIndex);
    },
    evaluate: (expression, itemIndex) => evaluated(`=${expression}`, itemIndex),
  };
}

/**
 * The issues that the check before an execution finds in the fixed values of one parameter; n8n does not start a
 * workflow with issues. Only this check is repeated here: n8n gives the regular expressions of a locator a time limit.
 */
export function issuesBeforeStart(
  description: unknown,
  parameters: Values,
  of: string,
): Readonly<Record<string, string[]>> {
  const node = { id: '1', name, type: 'newsletter', typeVersion: 1, position: [0, 0] as [number, number], parameters };
  const properties = (description as Description).properties.filter((property) => property.name === of);
  type Node = NonNullable<Parameters<typeof NodeHelpers.getNodeParametersIssues>[1]>;
  return (
    NodeHelpers.getNodeParametersIssues(properties, node as unknown as Node, description as Description)?.parameters ??
    {}
  );
}

function checked(path: string, value: unknown, stored: Values, itemIndex: number): unknown {
  const [mapper = '', part, ...more] = path.split('.');
  const schema = within(stored, `${mapper}.schema`) as readonly N8n.ResourceMapperField[] | undefined;
  if (part !== 'value' || more.length > 0 || schema === undefined || typeof value !== 'object' || value === null)
    return value;
  return Object.fromEntries(
    Object.entries(value).map(([field, given]: [string, unknown]) => {
      const type = schema.find(({ id }) => id === field)?.type;
      if (type === undefined) return [field, given];
      const result = validateFieldType(field, given, type, {});
      if (!result.valid)
        throw new ExpressionError(`Invalid input for '${field}' [item ${itemIndex}]`, {
          description: result.errorMessage,
        });
      return [field, result.newValue];
    }),
  );
}

function within(values: unknown, path: string): unknown {
  return path
    .split('.')
    .reduce((value, key) => (typeof value === 'object' && value !== null ? (value as Values)[key] : undefined), values);
}

/**
 * Generates what follows from the operations of the node: the schemas by which the editor shows the output of an
 * operation before its first run, made from its output against the sandbox, and the table of operations in
 * nodes/README.md.
 */
import { globSync } from 'node:fs';
import { resources } from '../../nodes/Newsletter/operations/resources.ts';
import { root } from '../../scripts/root.ts';
import { withSections } from '../support/documentation.ts';
import { scenarios } from './scenarios.ts';
import { createWorkbench } from './workbench.ts';

const folder = 'nodes/Newsletter/__schema__/v1.0.0';

/** The text of each file, by its path from the root of the repository; null for a schema without an operation. */
export async function generate(): Promise<Readonly<Record<string, string | null>>> {
  const stale = globSync(`${folder}/*/*.json`, { cwd: root }).map(
    (path) => [path.replaceAll('\\', '/'), null] as const,
  );
  return { ...Object.fromEntries(stale), ...(await outputSchemas()), ...operationTable() };
}

async function outputSchemas(): Promise<Record<string, string>> {
  const { bench, open, reset, close } = createWorkbench();
  const files: Record<string, string> = {};
  await open();
  try {
    for (const { resource, operation, parameters, items: given } of scenarios) {
      reset();
      const items = await bench.run(resource, operation, await parameters?.(bench), given && { items: given });
      const schema = { ...schemaOf(items.map(({ json }) => json)), version: 1 };
      files[`${folder}/${resource}/${operation}.json`] = `${JSON.stringify(schema, null, 2)}\n`;
    }
  } finally {
    close();
  }
  return files;
}

interface Schema {
  type?: string | string[];
  properties?: Record<string, Schema>;
  items?: Schema;
}

/** The schema that all of these values keep to. */
function schemaOf(values: readonly unknown[]): Schema {
  const types = [...new Set(values.map(typeOf))].toSorted();
  const schema: Schema = types.length === 0 ? {} : { type: types.length === 1 ? types[0]! : types };
  const lists = values.filter(Array.isArray);
  if (lists.length > 0) {
    const items = schemaOf(lists.flat());
    if (items.type !== undefined) schema.items = items;
  }
  const objects = values.filter((value) => typeOf(value) === 'object') as Record<string, unknown>[];
  if (objects.length > 0) {
    const names = [...new Set(objects.flatMap((object) => Object.keys(object)))];
    const valuesOf = (name: string) => objects.flatMap((object) => (name in object ? [object[name]] : []));
    // Custom fields differ between publications, so a schema must not name those of the demo.
    schema.properties = Object.fromEntries(
      names.map((name) => [
        name,
        name === 'custom_fields' ? { type: 'object', properties: {} } : schemaOf(valuesOf(name)),
      ]),
    );
  }
  return schema;
}

function typeOf(value: unknown): string {
  if (value === null) return 'null';
  if (Array.isArray(value)) return 'array';
  return typeof value === 'number' ? 'number' : typeof value;
}

function operationTable(): Record<string, string> {
  const rows = Object.values(resources)
    .map(({ name, operations }) => [
      name,
      Object.values(operations)
        .map((operation) => operation.name)
        .toSorted((a, b) => a.localeCompare(b, 'en'))
        .join(', '),
    ])
    .toSorted(([a = ''], [b = '']) => a.localeCompare(b, 'en'))
    .map(([name, names]) => `| ${name} | ${names} |`);
  return withSections('nodes/README.md', {
    operations: ['| Resource | Operations of *Newsletter* |', '|---|---|', ...rows].join('\n'),
  });
}

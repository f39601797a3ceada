/**
 * Files derived from the operations: the schemas by which the editor shows the output of an operation before its first
 * run, made from its output against the sandbox, and the table of operations in nodes/README.md.
 * `UPDATE_SCHEMAS=1 npm test -- test/nodes/schemas.test.ts` writes them.
 */
import { globSync } from 'node:fs';
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { resources } from '../../nodes/Newsletter/operations/resources.ts';
import { root } from '../../scripts/root.ts';
import { scenarios } from './scenarios.ts';
import { workbench } from './workbench.ts';

const bench = workbench();
const folder = join(root, 'nodes', 'Newsletter', '__schema__', 'v1.0.0');
const update = process.env['UPDATE_SCHEMAS'] === '1';

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

describe('the output schemas', () => {
  it.each(scenarios)(
    'match the output of $resource $operation',
    async ({ resource, operation, parameters, items: given }) => {
      const items = await bench.run(resource, operation, await parameters?.(bench), given && { items: given });
      const schema = { ...schemaOf(items.map(({ json }) => json)), version: 1 };
      const path = join(folder, resource, `${operation}.json`);
      if (update) {
        await mkdir(dirname(path), { recursive: true });
        await writeFile(path, `${JSON.stringify(schema, null, 2)}\n`);
      }
      expect(JSON.parse(await readFile(path, 'utf8'))).toEqual(schema);
    },
  );

  it('exist only for operations of the node', () => {
    const paths = globSync('*/*.json', { cwd: folder }).map((path) => path.replaceAll('\\', '/'));
    expect(paths.toSorted()).toEqual(
      scenarios.map(({ resource, operation }) => `${resource}/${operation}.json`).toSorted(),
    );
  });
});

it('the README lists every operation', async () => {
  const path = join(root, 'nodes', 'README.md');
  const readme = await readFile(path, 'utf8');
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
  const table = /(?<=\| Resource \| Operations of \*Newsletter\* \|\n\|---\|---\|\n)(?:\|.*\|\n)+/;
  const expected = readme.replace(table, `${rows.join('\n')}\n`);
  if (update) await writeFile(path, expected);
  expect(await readFile(path, 'utf8')).toBe(expected);
});

/** The operations of the contract, as the command line names, lists and explains them. */
import process from 'node:process';
import type { Command } from '@commander-js/extra-typings';
import { UsageError, quote } from '#command-line';
import { operations, type Operation, type OperationId } from '@newsletter-kit/core/contract';
import type { ListId } from '@newsletter-kit/core/engine';
import { schemas, type OperationSchemas } from '@newsletter-kit/core/schema';
import { Command as BareCommand } from 'commander';
import { exitCodes, type ExitCode, type Session } from '../../context.ts';
import { alternatives, toJsonSchema, type JsonSchema } from './fields.ts';

/** An operation that can be called. */
export type NamedOperation = Operation & { readonly id: OperationId };

export function listOperations(_options: undefined, { report }: Session): Promise<ExitCode> {
  const width = Math.max(...operations.map(({ id }) => id.length)) + 2;
  for (const { id, method, path, scope, doc } of operations)
    report.result({
      type: 'operation',
      text: `${id.padEnd(width)}${doc}`,
      data: { operation: id, method, path, scope, doc },
    });
  return Promise.resolve(exitCodes.done);
}

export function findOperation(text: string): NamedOperation | undefined {
  return operations.find(({ id }) => id === text);
}

/** Lets commander suggest an operation for a misspelt one, as it does for commands. */
export function unknownOperation(name: string): UsageError {
  const parser = new BareCommand('api').exitOverride().configureOutput({ outputError: () => undefined });
  for (const { id } of operations) parser.command(id);
  let suggestion = '';
  try {
    parser.parse([name], { from: 'user' });
  } catch (error) {
    suggestion = (error instanceof Error && /\(Did you mean .*\)/.exec(error.message)?.[0]) || '';
  }
  return new UsageError(
    `There is no operation ${quote(name)}; newsletter api --list shows all. A path begins with /.${suggestion && `\n${suggestion}`}`,
  );
}

/** Names of the ids in the path, but for the publication, which the connection has. */
export function pathNames({ path }: Operation): readonly string[] {
  return [...path.matchAll(/\{(\w+)\}/g)].map(([, name = '']) => name).filter((name) => name !== 'publicationId');
}

export function isListId(id: OperationId): id is ListId {
  return id.includes('.list');
}

/** Query and body of an operation as one JSON Schema. */
export function schemaOf({ id }: { readonly id: OperationId }): JsonSchema {
  const { query, body }: OperationSchemas = schemas[id];
  const parts = [query, body].filter((part) => part !== undefined).map(toJsonSchema);
  return {
    properties: Object.assign({}, ...parts.map(({ properties }) => properties)) as NonNullable<
      JsonSchema['properties']
    >,
    required: parts.flatMap(({ required }) => required ?? []),
  };
}

/** The fields of an operation below its options. */
export function fieldsHelp(operation: NamedOperation): Parameters<Command['addHelpText']>[1] {
  return ({ command }) => {
    const help = command.createHelp();
    help.helpWidth = process.stdout.isTTY ? process.stdout.columns : 80;
    const { properties = {}, required = [] } = schemaOf(operation);
    const rows = Object.entries(properties).map(([name, schema]) => {
      const { description, default: value }: JsonSchema = typeof schema === 'object' ? schema : {};
      const remarks = [
        typeOf(schema),
        required.includes(name) && 'required',
        value !== undefined && `default: ${JSON.stringify(value)}`,
      ].filter(Boolean);
      return [name, `${description ? `${description} ` : ''}(${remarks.join(', ')})`];
    });
    const width = Math.max(0, ...rows.map(([name = '']) => name.length));
    const { id, method, path, scope } = operation;
    const lines = [
      '',
      `${method} ${path}${scope === null ? '' : `, scope ${scope}`}`,
      ...(rows.length === 0 ? [] : ['', 'Fields:']),
      ...rows.map(([name = '', about = '']) => help.formatItem(name, width, about, help)),
      '',
      `newsletter api ${[id, ...pathNames(operation).map((name) => name.toUpperCase())].join(' ')}${required.map((name) => ` -f ${name}=…`).join('')}`,
    ];
    return lines.join('\n');
  };
}

function typeOf(schema: Parameters<typeof alternatives>[0]): string {
  const types = alternatives(schema).map((each) => {
    if (each.enum) return each.enum.map(String).join('|');
    if (each.type === 'array') return `list of ${typeOf(each.items)}`;
    return each.type === 'object' ? `{${Object.keys(each.properties ?? {}).join(', ')}}` : (each.type ?? 'any');
  });
  return [...new Set(types)].join('|') || 'any';
}

/** The operations of the contract, as the command line names, lists and explains them. */
import process from 'node:process';
import type { Command } from '@commander-js/extra-typings';
import { UsageError, quote } from '#command-line';
import {
  operations,
  shapes,
  words,
  type ObjectShape,
  type Operation,
  type OperationId,
  type OperationWords,
  type Shape,
} from '@newsletter-kit/core/contract';
import { nearMiss } from '@newsletter-kit/core/engine';
import { exitCodes, type ExitCode, type Session } from '../../context.ts';
import { alternatives } from './fields.ts';

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

export function unknownOperation(name: string): UsageError {
  const meant = nearMiss(
    name,
    operations.map(({ id }) => id),
  );
  return new UsageError(
    `There is no operation ${quote(name)}; newsletter api --list shows all. A path begins with /.${meant === undefined ? '' : `\n(Did you mean ${meant}?)`}`,
  );
}

/** Names of the ids in the path, but for the publication, which the connection has. */
export function pathNames({ path }: Operation): readonly string[] {
  return [...path.matchAll(/\{(\w+)\}/g)].map(([, name = '']) => name).filter((name) => name !== 'publicationId');
}

/** Query and body of an operation as one shape. */
export function shapeOf({ id }: { readonly id: OperationId }): ObjectShape {
  const { query, body } = shapes[id];
  return { is: 'object', of: { ...query?.of, ...body?.of } };
}

/** The fields of an operation below its options. */
export function fieldsHelp(operation: NamedOperation): Parameters<Command['addHelpText']>[1] {
  return ({ command }) => {
    const help = command.createHelp();
    help.helpWidth = process.stdout.isTTY ? process.stdout.columns : 80;
    const { id, method, path, scope } = operation;
    const { parameters }: OperationWords = words[id];
    const fields = Object.entries(shapeOf(operation).of);
    const required = fields.flatMap(([name, { optional }]) => (optional ? [] : [name]));
    const rows = fields.map(([name, shape]) => {
      const { text = '', default: value } = parameters[name] ?? {};
      const remarks = [
        typeOf(shape),
        required.includes(name) && 'required',
        value !== undefined && `default: ${JSON.stringify(value)}`,
      ].filter(Boolean);
      return [name, `${text} (${remarks.join(', ')})`];
    });
    const width = Math.max(0, ...rows.map(([name = '']) => name.length));
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

function typeOf(shape: Shape): string {
  const types = alternatives(shape).map((each) => {
    if (each.is === 'array') return `list of ${typeOf(each.of)}`;
    if (each.is === 'object') return `{${Object.keys(each.of).join(', ')}}`;
    return 'words' in each ? each.words?.join('|') : each.is;
  });
  return [...new Set(types)].join('|');
}

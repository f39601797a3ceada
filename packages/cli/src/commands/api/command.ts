/** `newsletter api`: calls an operation of the contract, or any path of the API. */
import process from 'node:process';
import { Option, type Command } from '@commander-js/extra-typings';
import type { Client, ResponseInfo } from '@newsletter-kit/core';
import { UsageError, notes, quote } from '#command-line';
import { operations, type Operation, type OperationId } from '@newsletter-kit/core/contract';
import { readPage, startTrail, type Arguments, type ListId, isRecord } from '@newsletter-kit/core/engine';
import { schemas, type OperationSchemas } from '@newsletter-kit/core/schema';
import { Command as BareCommand } from 'commander';
import {
  alternatives,
  fieldsToArguments,
  parseJson,
  readField,
  readInput,
  toJsonSchema,
  type FieldOption,
  type JsonSchema,
} from './fields.ts';
import { apiUrlOption, appUrlOption, connect, profileOption, publicationOption } from '../../connection.ts';
import type { Context } from '../../context.ts';
import { jsonOption, writeToStdout } from '../../output.ts';

const methods = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE', 'HEAD'] as const;

/** Operations and paths are called with the same options. */
interface ApiRequest {
  readonly client: Client;
  readonly fields: readonly FieldOption[];
  /** The body of `--input`. */
  readonly input: unknown;
  readonly headers: Readonly<Record<string, string>>;
  readonly signal: AbortSignal;
}

/** One response, or one page of a list. */
interface Received {
  readonly value: unknown;
  readonly response: Pick<ResponseInfo, 'status' | 'headers'>;
}

export function define(command: Command, context: Context) {
  const named = context.argv.map(findOperation).find((each) => each !== undefined);
  const isNoList = named !== undefined && !isListId(named.id);
  const fields: FieldOption[] = [];
  const collect = (isTyped: boolean) => (text: string) => {
    // One list for both options: the order of the fields counts.
    fields.push(readField(text, isTyped));
    return fields.length;
  };
  if (named)
    command
      .usage(
        `${named.id} ${pathNames(named)
          .map((name) => `${name} `)
          .join('')}[options]`,
      )
      .description(`${named.doc}.`);
  else
    command.usage(
      'OPERATION [ARGUMENTS] [options]\n       newsletter api /PATH [options]\n       newsletter api --list',
    );
  return command
    .argument('[operation]', 'an operation such as subscriptions.list, or a path that begins with /')
    .argument('[arguments...]', 'the ids in the path of the operation, in order')
    .option('--list', 'list all operations')
    .addOption(
      new Option(
        '-f, --raw-field <key=value>',
        'set a field of the query or body; with a path, the value is always a string; repeatable',
      ).argParser(collect(false)),
    )
    .addOption(
      new Option(
        '-F, --field <key=value>',
        'like -f, but converts true, false, null and numbers, and reads the value of @FILE from a file and of @- from stdin; repeatable',
      ).argParser(collect(true)),
    )
    .option('--input <file>', 'file with the body as JSON, or - for stdin; fields are added to it')
    .addOption(
      new Option('-X, --method <method>', 'HTTP method for a path (default: GET; POST with fields or a body)')
        .choices(methods)
        .hideHelp(named !== undefined),
    )
    .addOption(
      new Option('-H, --header <name: value>', 'add a header to the request; repeatable').argParser(
        (text: string, previous: Readonly<Record<string, string>> | undefined) => ({
          ...previous,
          ...readHeader(text),
        }),
      ),
    )
    .option('-i, --include', 'also print the status and headers of the response')
    .addOption(
      new Option('--paginate', 'read all pages of a list and print one record per line as JSON').hideHelp(isNoList),
    )
    .addOption(new Option('--slurp', 'with --paginate: print the records as one JSON array').hideHelp(isNoList))
    .addOption(profileOption())
    .addOption(apiUrlOption())
    .addOption(publicationOption())
    .addOption(appUrlOption())
    .addOption(jsonOption())
    .addHelpText(
      'after',
      named
        ? fieldsHelp(named)
        : notes(
            'Keys nest with brackets: -f "custom_fields[0][name]=City"; [] appends to a list. For an operation, values are converted to the types of its fields. For a path, -f always sends a string; GET sends fields in the query, other methods in a JSON body. {publicationId} in a path stands for the publication of the connection.',
            'newsletter api OPERATION --help prints the fields of an operation, and --list all operations.',
            '  newsletter api subscriptions.list -f status=active --paginate\n  newsletter api subscriptions.create -f email=ada@example.com\n  newsletter api /publications/{publicationId}/posts -f limit=5',
          ),
    )
    .action(async (target, args, options, self) => {
      if (options.list) return listOperations(context, options.json === true);
      if (target === undefined) throw new UsageError('Name an operation or a path: newsletter api --list shows all.');
      if (options.slurp && !options.paginate) throw new UsageError('--slurp needs --paginate.');
      const operation = findOperation(target);
      if (!operation && !target.startsWith('/')) throw unknownOperation(target);
      if (operation && options.method !== undefined)
        throw new UsageError(`--method is only for paths; ${operation.id} is a ${operation.method} request.`);
      const input =
        options.input === undefined
          ? undefined
          : parseJson(
              await readInput(options.input, context.interrupted),
              options.input === '-' ? 'stdin' : options.input,
            );
      const { client, appUrl } = await connect(self, context);
      if (operation?.base === 'app' && appUrl === undefined)
        throw new UsageError(
          `NEWSLETTER_APP_URL is missing: ${operation.id} needs the base URL of the app (or --app-url).`,
        );
      const request: ApiRequest = {
        client,
        fields,
        input,
        headers: options.header ?? {},
        signal: context.interrupted,
      };
      const pages = operation
        ? callOperation(request, operation, args, options.paginate === true)
        : callPath(request, target, args, options.method, options.paginate === true);
      await print(pages, options);
    });
}

/** @throws UsageError, and what the client throws */
async function* callOperation(
  { client, fields, input, headers, signal }: ApiRequest,
  operation: Operation & { readonly id: OperationId },
  args: readonly string[],
  paginate: boolean,
): AsyncGenerator<Received> {
  const { id } = operation;
  const names = pathNames(operation);
  if (args.length > names.length)
    throw new UsageError(
      `${quote(args[names.length])} is one argument too many: newsletter api ${[id, ...names].join(' ')}.`,
    );
  if (input !== undefined && !isRecord(input))
    throw new UsageError('--input: the body of an operation must be a JSON object.');
  const path = Object.fromEntries(args.map((arg, index) => [names[index] ?? '', arg]));
  const callArguments = { ...input, ...(await fieldsToArguments(fields, schemaOf(operation))), ...path };
  const missing = names.filter((name) => callArguments[name] === undefined);
  if (missing.length > 0)
    throw new UsageError(`${missing.join(', ')} is missing: newsletter api ${[id, ...names].join(' ')}.`);
  // The validator of the client checks names and types.
  const checked = callArguments as Arguments<typeof id>;
  if (id !== 'subscriptions.create') refuseReactivation(callArguments);
  const call = { signal, extraHeaders: headers };
  if (operation.success === 302) {
    yield { value: client.engine.address(id, checked), response: { status: 302, headers: {} } };
  } else if (!paginate) {
    const { data, ...response } = await client.engine.call(id, checked, call).withResponse();
    yield { value: data, response };
  } else {
    if (!isListId(id)) throw new UsageError(`${id} does not return a list: remove --paginate.`);
    const list = client.engine.list(id, callArguments, call);
    for await (const { items, response } of list.pages()) yield { value: items, response };
  }
}

/** @throws UsageError, and what the client throws */
async function* callPath(
  { client, fields, input, headers, signal }: ApiRequest,
  path: string,
  args: readonly string[],
  givenMethod: (typeof methods)[number] | undefined,
  paginate: boolean,
): AsyncGenerator<Received> {
  if (args.length > 0) throw new UsageError(`${quote(args[0])} is one argument too many: a path contains its ids.`);
  const method = givenMethod ?? (input === undefined && (fields.length === 0 || paginate) ? 'GET' : 'POST');
  const hasBody = method !== 'GET' && method !== 'HEAD';
  if (input !== undefined && !hasBody) throw new UsageError(`--input: a ${method} request has no body.`);
  if (paginate && method !== 'GET') throw new UsageError('--paginate reads lists: it needs --method GET.');
  const values = await fieldsToArguments(fields);
  if (input !== undefined && fields.length > 0 && !isRecord(input))
    throw new UsageError('--input: fields can be added to a JSON object only.');
  const body = fields.length === 0 ? input : { ...(isRecord(input) ? input : {}), ...values };
  refuseReactivation(body);
  const query = hasBody ? {} : toQuery(values);
  let trail = startTrail();
  for (let place = {}; ;) {
    const { data, ...response } = await client
      .request(method, path, { query: { ...query, ...place }, ...(hasBody && { body }), headers, signal })
      .withResponse();
    if (!paginate) {
      yield { value: data, response };
      return;
    }
    const records = isRecord(data) ? data['data'] : undefined;
    if (!isRecord(data) || !Array.isArray(records))
      throw new UsageError('The response is not a list with its records in "data": remove --paginate.');
    const { next, problem, repeats } = readPage(data, trail);
    if (!repeats) yield { value: records, response };
    if (problem !== null) throw new UsageError(`The list cannot be read to its end: ${problem}.`);
    if (next === null) return;
    trail = next;
    place = next.at;
  }
}

/**
 * Reactivation has one place in this command: the field of subscriptions.create.
 *
 * @throws UsageError where a body asks for it, at any depth
 */
function refuseReactivation(body: unknown): void {
  if (typeof body !== 'object' || body === null) return;
  for (const [name, value] of Object.entries(body)) {
    if (name === 'reactivate_existing' && value !== false)
      throw new UsageError(
        'reactivate_existing is a field of newsletter api subscriptions.create, and a column of newsletter import, alone. Use it only when the subscriber knowingly subscribes again.',
      );
    refuseReactivation(value);
  }
}

/** Names of lists end with `[]` on the wire. @throws UsageError for objects, which a query cannot hold */
function toQuery(values: Readonly<Record<string, unknown>>): Record<string, string | readonly string[]> {
  return Object.fromEntries(
    Object.entries(values).map(([name, value]): [string, string | readonly string[]] => {
      if (Array.isArray(value)) return [`${name}[]`, value.map(String)];
      if (typeof value === 'object' && value !== null)
        throw new UsageError(
          `A query parameter cannot be an object: send ${quote(name)} in a body with --method POST.`,
        );
      return [name, String(value)];
    }),
  );
}

interface PrintOptions {
  readonly include?: true | undefined;
  readonly paginate?: true | undefined;
  readonly slurp?: true | undefined;
}

async function print(pages: AsyncIterable<Received>, { include, paginate, slurp }: PrintOptions): Promise<void> {
  const isSlurp = slurp === true;
  let separator = isSlurp ? '[\n' : '';
  for await (const { value, response } of pages) {
    if (include) await writeToStdout(head(response));
    if (paginate && Array.isArray(value)) {
      for (const item of value) {
        await writeToStdout(`${separator}${JSON.stringify(item)}${isSlurp ? '' : '\n'}`);
        if (isSlurp) separator = ',\n';
      }
    } else if (typeof value === 'string') await writeToStdout(`${value}\n`);
    else if (value !== null) await writeToStdout(`${JSON.stringify(value, null, process.stdout.isTTY ? 2 : 0)}\n`);
  }
  if (isSlurp) await writeToStdout(separator === '[\n' ? '[]\n' : '\n]\n');
}

function head({ status, headers }: Received['response']): string {
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}`);
  return `${[`HTTP ${status}`, ...lines].join('\n')}\n\n`;
}

function listOperations({ report }: Context, isJson: boolean): void {
  const width = Math.max(...operations.map(({ id }) => id.length)) + 2;
  for (const { id, method, path, scope, doc } of operations)
    report.result({
      type: 'operation',
      text: isJson ? '' : `${id.padEnd(width)}${doc}`,
      data: { operation: id, method, path, scope, doc },
    });
}

function findOperation(text: string): (Operation & { readonly id: OperationId }) | undefined {
  return operations.find(({ id }) => id === text);
}

/** Lets commander suggest an operation for a misspelt one, as it does for commands. */
function unknownOperation(name: string): UsageError {
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
function pathNames({ path }: Operation): readonly string[] {
  return [...path.matchAll(/\{(\w+)\}/g)].map(([, name = '']) => name).filter((name) => name !== 'publicationId');
}

function isListId(id: OperationId): id is ListId {
  return id.includes('.list');
}

/** @throws UsageError */
function readHeader(text: string): Readonly<Record<string, string>> {
  const [, name, value] = /^([\w!#$%&'*+.^`|~-]+):\s*(.*)$/.exec(text) ?? [];
  if (name === undefined || value === undefined)
    throw new UsageError('A header is written "Name: value", for example -H "X-Request-Id: 7".');
  return { [name]: value };
}

/** Query and body of an operation as one JSON Schema. */
function schemaOf({ id }: { readonly id: OperationId }): JsonSchema {
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
function fieldsHelp(operation: Operation & { readonly id: OperationId }): Parameters<Command['addHelpText']>[1] {
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

/** `newsletter api`: calls an operation of the contract, or any path of the API. */
import { Option, type Command } from '@commander-js/extra-typings';
import { UsageError, notes } from '#command-line';
import { isListId } from '@newsletter-kit/core/engine';
import { appUrlOption, connectionOf, withConnection } from '../../connection.ts';
import type { Context } from '../../context.ts';
import { callApi, methods, type ApiOptions } from './call.ts';
import { readField, type FieldOption } from './fields.ts';
import { fieldsHelp, findOperation, listOperations, pathNames, unknownOperation } from './operations.ts';

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
      .usage([named.id, ...pathNames(named), '[options]'].join(' '))
      .description(`${named.doc}.`)
      .addHelpText('after', fieldsHelp(named));
  else command.usage(usage).addHelpText('after', notes(...explanations));
  return withConnection(
    command
      .argument('[operation]', 'an operation such as subscriptions.list, or a path that begins with /')
      .argument('[arguments...]', 'the ids in the path of the operation, in order')
      .option('--list', 'list all operations')
      .option(
        '-f, --raw-field <key=value>',
        'set a field of the query or body; with a path, the value is always a string; repeatable',
        collect(false),
      )
      .option(
        '-F, --field <key=value>',
        'like -f, but converts true, false, null and numbers, and reads the value of @FILE from a file and of @- from stdin; repeatable',
        collect(true),
      )
      .option('--input <file>', 'file with the body as JSON, or - for stdin; fields are added to it')
      .addOption(
        new Option('-X, --method <method>', 'HTTP method for a path (default: GET; POST with fields or a body)')
          .choices(methods)
          .hideHelp(named !== undefined),
      )
      .option('-H, --header <name: value>', 'add a header to the request; repeatable', collectHeader)
      .option('-i, --include', 'also print the status and headers of the response')
      .addOption(
        new Option('--paginate', 'read all pages of a list and print one record per line as JSON').hideHelp(isNoList),
      )
      .addOption(new Option('--slurp', 'with --paginate: print the records as one JSON array').hideHelp(isNoList))
      .addOption(appUrlOption()),
  ).action(async (name, args, options, self) => {
    if (options.list) return await context.run(listOperations, undefined);
    await context.run(callApi, {
      connection: connectionOf(self),
      target: readTarget(name, options),
      args,
      request: { fields, input: options.input, headers: options.header ?? {}, method: options.method },
      paginate: options.paginate === true,
      output: { include: options.include === true, slurp: options.slurp === true },
    });
  });
}

const usage = 'OPERATION [ARGUMENTS] [options]\n       newsletter api /PATH [options]\n       newsletter api --list';
const explanations = [
  'Keys nest with brackets: -f "custom_fields[0][name]=City"; [] appends to a list. For an operation, values are converted to the types of its fields. For a path, -f always sends a string; GET sends fields in the query, other methods in a JSON body. {publicationId} in a path stands for the publication of the connection.',
  'newsletter api OPERATION --help prints the fields of an operation, and --list all operations.',
  '  newsletter api subscriptions.list -f status=active --paginate\n  newsletter api subscriptions.create -f email=ada@example.com\n  newsletter api /publications/{publicationId}/posts -f limit=5',
];

/** The operation, or the path. @throws UsageError */
function readTarget(
  name: string | undefined,
  { slurp, paginate, method }: { readonly slurp?: true; readonly paginate?: true; readonly method?: string },
): ApiOptions['target'] {
  if (name === undefined) throw new UsageError('Name an operation or a path: newsletter api --list shows all.');
  if (slurp && !paginate) throw new UsageError('--slurp needs --paginate.');
  const operation = findOperation(name);
  if (!operation && !name.startsWith('/')) throw unknownOperation(name);
  if (operation && method !== undefined)
    throw new UsageError(`--method is only for paths; ${operation.id} is a ${operation.method} request.`);
  return operation ?? name;
}

/** @throws UsageError */
function collectHeader(text: string, previous?: Readonly<Record<string, string>>): Readonly<Record<string, string>> {
  const [, name, value] = /^([\w!#$%&'*+.^`|~-]+):\s*(.*)$/.exec(text) ?? [];
  if (name === undefined || value === undefined)
    throw new UsageError('A header is written "Name: value", for example -H "X-Request-Id: 7".');
  return { ...previous, [name]: value };
}

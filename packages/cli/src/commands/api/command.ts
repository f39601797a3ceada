/** `newsletter api`: calls an operation of the contract, or any path of the API. */
import { Option, type Command } from '@commander-js/extra-typings';
import { UsageError, notes } from '#command-line';
import { appUrlOption, connectionOf, withConnection } from '../../connection.ts';
import type { Context } from '../../context.ts';
import { callApi, methods } from './call.ts';
import { readField, type FieldOption } from './fields.ts';
import { fieldsHelp, findOperation, isListId, listOperations, pathNames, unknownOperation } from './operations.ts';

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
  return withConnection(
    command
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
      .addOption(new Option('--slurp', 'with --paginate: print the records as one JSON array').hideHelp(isNoList)),
    appUrlOption(),
  )
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
    .action(async (name, args, options, self) => {
      if (options.list) return await context.run(listOperations, undefined);
      if (name === undefined) throw new UsageError('Name an operation or a path: newsletter api --list shows all.');
      if (options.slurp && !options.paginate) throw new UsageError('--slurp needs --paginate.');
      const target = findOperation(name) ?? name;
      if (typeof target !== 'string' && options.method !== undefined)
        throw new UsageError(`--method is only for paths; ${target.id} is a ${target.method} request.`);
      if (typeof target === 'string' && !target.startsWith('/')) throw unknownOperation(target);
      await context.run(callApi, {
        connection: connectionOf(self),
        target,
        args,
        request: { fields, input: options.input, headers: options.header ?? {}, method: options.method },
        paginate: options.paginate === true,
        output: { include: options.include === true, slurp: options.slurp === true },
      });
    });
}

/** @throws UsageError */
function readHeader(text: string): Readonly<Record<string, string>> {
  const [, name, value] = /^([\w!#$%&'*+.^`|~-]+):\s*(.*)$/.exec(text) ?? [];
  if (name === undefined || value === undefined)
    throw new UsageError('A header is written "Name: value", for example -H "X-Request-Id: 7".');
  return { [name]: value };
}

/** Calls an operation or a path, and prints what it answers. */
import process from 'node:process';
import type { Client, ResponseInfo } from '@newsletter-kit/core';
import { UsageError, quote } from '#command-line';
import { isListId, isRecord, readPage, startTrail, type Arguments } from '@newsletter-kit/core/engine';
import { connect, type ConnectionOptions } from '../../connection.ts';
import { exitCodes, type ExitCode, type Session } from '../../context.ts';
import { writeToStdout } from '../../output.ts';
import { requireJson } from '../../require-json.ts';
import { fieldsToArguments, readInput, type FieldOption } from './fields.ts';
import { pathNames, shapeOf, type NamedOperation } from './operations.ts';

export const methods = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE', 'HEAD'] as const;

export interface ApiOptions {
  readonly connection: ConnectionOptions;
  /** An operation, or a path. */
  readonly target: NamedOperation | string;
  /** Ids in the path of an operation, in order. */
  readonly args: readonly string[];
  readonly request: RequestOptions;
  /** Reads all pages of a list. */
  readonly paginate: boolean;
  readonly output: { readonly include: boolean; readonly slurp: boolean };
}

interface RequestOptions {
  readonly fields: readonly FieldOption[];
  /** The file with the body; `-` for stdin. */
  readonly input: string | undefined;
  readonly headers: Readonly<Record<string, string>>;
  /** Of a path. */
  readonly method: (typeof methods)[number] | undefined;
}

/** Operations and paths are called with the same options. */
interface ApiCall extends Omit<RequestOptions, 'input'>, Pick<ApiOptions, 'args' | 'paginate'> {
  readonly client: Client;
  /** The body of `--input`. */
  readonly input: unknown;
  readonly signal: AbortSignal;
}

/** One response, or one page of a list. */
interface Received {
  readonly value: unknown;
  readonly response: Pick<ResponseInfo, 'status' | 'headers'>;
}

export async function callApi(options: ApiOptions, session: Session): Promise<ExitCode> {
  const { target, args, request, paginate } = options;
  const input =
    request.input === undefined
      ? undefined
      : requireJson(
          await readInput(request.input, session.interrupted),
          request.input === '-' ? 'stdin' : request.input,
        );
  const { client, appUrl } = await connect(options.connection, session);
  const call: ApiCall = { ...request, client, args, input, paginate, signal: session.interrupted };
  if (typeof target === 'string') await print(callPath(target, call), options);
  else {
    if (target.base === 'app' && appUrl === undefined)
      throw new UsageError(`NEWSLETTER_APP_URL is missing: ${target.id} needs the base URL of the app (or --app-url).`);
    await print(callOperation(target, call), options);
  }
  return exitCodes.done;
}

/** @throws UsageError, and what the client throws */
async function* callOperation(
  operation: NamedOperation,
  { client, args, fields, input, headers, paginate, signal }: ApiCall,
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
  const callArguments = { ...input, ...(await fieldsToArguments(fields, shapeOf(operation))), ...path };
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
  path: string,
  { client, args, fields, input, headers, paginate, signal, ...given }: ApiCall,
): AsyncGenerator<Received> {
  if (args.length > 0) throw new UsageError(`${quote(args[0])} is one argument too many: a path contains its ids.`);
  const method = given.method ?? (input === undefined && (fields.length === 0 || paginate) ? 'GET' : 'POST');
  const hasBody = method !== 'GET' && method !== 'HEAD';
  if (input !== undefined && !hasBody) throw new UsageError(`--input: a ${method} request has no body.`);
  if (paginate && method !== 'GET') throw new UsageError('--paginate reads lists: it needs --method GET.');
  const values = await fieldsToArguments(fields);
  if (input !== undefined && fields.length > 0 && !isRecord(input))
    throw new UsageError('--input: fields can be added to a JSON object only.');
  const body = fields.length === 0 ? input : { ...(isRecord(input) ? input : {}), ...values };
  refuseReactivation(body);
  const query = hasBody ? {} : toQuery(values);
  const request = (place: object) =>
    client
      .request(method, path, { query: { ...query, ...place }, ...(hasBody && { body }), headers, signal })
      .withResponse();
  if (paginate) {
    yield* pagesOf(request);
    return;
  }
  const { data, ...response } = await request({});
  yield { value: data, response };
}

/** The pages of a list at a path. @throws UsageError for what is no list */
async function* pagesOf(
  request: (place: object) => Promise<ResponseInfo & { readonly data: unknown }>,
): AsyncGenerator<Received> {
  let trail = startTrail();
  for (let place = {}; ;) {
    const { data, ...response } = await request(place);
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

async function print(pages: AsyncIterable<Received>, { paginate, output }: ApiOptions): Promise<void> {
  const { include, slurp } = output;
  let separator = slurp ? '[\n' : '';
  for await (const { value, response } of pages) {
    if (include) await writeToStdout(head(response));
    if (paginate && Array.isArray(value)) {
      for (const item of value) {
        await writeToStdout(`${separator}${JSON.stringify(item)}${slurp ? '' : '\n'}`);
        if (slurp) separator = ',\n';
      }
    } else if (typeof value === 'string') await writeToStdout(`${value}\n`);
    else if (value !== null) await writeToStdout(`${JSON.stringify(value, null, process.stdout.isTTY ? 2 : 0)}\n`);
  }
  if (slurp) await writeToStdout(separator === '[\n' ? '[]\n' : '\n]\n');
}

function head({ status, headers }: Received['response']): string {
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}`);
  return `${[`HTTP ${status}`, ...lines].join('\n')}\n\n`;
}

/**
 * Reads the query and the body of a request, for the API and for the control endpoints. Keeps each text that was read,
 * so that the request log need not read it again.
 */
import { isUtf8 } from 'node:buffer';
import type { Operation } from '@newsletter-kit/core/contract';
import { ApiError, apiError } from './errors.ts';
import type * as z from 'zod';
import { check } from './validation.ts';

/** Largest body, in bytes: a thousand subscriptions with long custom fields fit several times. */
const bodyLimit = 8 * 1024 * 1024;

/**
 * The query parameters of the operation, lists without their `[]`, and the unknown names, which are ignored.
 *
 * @throws ApiError 400 where the query is not percent-encoded UTF-8 and the operation documents a 400, and where
 *   `limit` or `page` is not written in digits
 */
export function readQuery(
  operation: Operation,
  search: string,
): { readonly query: Record<string, string | string[]>; readonly ignored: readonly string[] } {
  const query: Record<string, string | string[]> = {};
  const ignored = new Set<string>();
  if (search.includes('%') && operation.errors.includes(400)) refuseBrokenEncoding(operation, search);
  for (const [name, value] of new URLSearchParams(search)) {
    if (!operation.query.includes(name)) ignored.add(name);
    else if (name.endsWith('[]')) {
      const plain = name.slice(0, -2);
      const list = query[plain];
      if (Array.isArray(list)) list.push(value);
      else query[plain] = [value];
    } else {
      if (name === 'limit' || name === 'page') requireDigits(name, value);
      query[name] = value;
    }
  }
  return { query, ignored: [...ignored] };
}

/** The schemas also accept other JavaScript number literals such as `1e1` and ` 10`. */
function requireDigits(name: 'limit' | 'page', value: string): void {
  if (/^-?\d+$/.test(value)) return;
  const message = `"${name}" must be a whole number.`;
  throw new ApiError(400, [{ message, code: 'VALIDATE_ERROR' }], {}, [{ field: name, to: name === 'page' ? 1 : 10 }]);
}

function refuseBrokenEncoding({ query }: Operation, search: string): void {
  for (const part of search.slice(1).split('&')) {
    try {
      decodeURIComponent(part);
    } catch {
      const name = query.find((known) => part.startsWith(`${known}=`));
      throw apiError(
        400,
        'INVALID_QUERY',
        `${name === undefined ? 'The query' : `"${name}"`} is not valid percent-encoded UTF-8.`,
      );
    }
  }
}

/** The text without its percent-encoding; where that is broken, as it is. */
export function decoded(text: string, encoding: 'path' | 'form' = 'path'): string {
  try {
    return decodeURIComponent(encoding === 'form' ? text.replaceAll('+', ' ') : text);
  } catch {
    return text;
  }
}

/** The parsed JSON body. @throws ApiError 400 where it is not JSON, 413 where it is too large */
export async function readJson(request: Request): Promise<unknown> {
  const text = await readText(request);
  if (text.trim() === '') throw apiError(400, 'NOT_EXIST_REQUIRED_KEY', 'The body is empty; send a JSON object.');
  const type = request.headers.get('content-type');
  if (type === null || !/^application\/json\s*(?:;|$)/i.test(type)) {
    throw apiError(
      400,
      'INVALID_CONTENT_TYPE',
      `The Content-Type must be application/json${type === null ? '; the request has none' : `, not "${type.slice(0, 100)}"`}.`,
    );
  }
  return parseJson(text);
}

/** The body as text. @throws ApiError 413 where it is longer than `limit`, in bytes; 400 where it is not UTF-8 */
export async function readText(request: Request, limit = bodyLimit): Promise<string> {
  if (Number(request.headers.get('content-length') ?? 0) > limit) throw tooLarge(limit);
  // Over HTTP every body announces its length or is chunked; only a chunked one has to be counted while it is read.
  const bytes = request.headers.has('transfer-encoding')
    ? await readChunks(request, limit)
    : Buffer.from(await request.arrayBuffer());
  if (bytes.length > limit) throw tooLarge(limit);
  const text = bytes.toString('utf8');
  noteText(request, text);
  if (!isUtf8(bytes)) throw apiError(400, 'INVALID_ENCODING', 'The body is not valid UTF-8.');
  return text;
}

async function readChunks(request: Request, limit: number): Promise<Buffer> {
  const chunks: Uint8Array[] = [];
  let size = 0;
  const body: ReadableStream<Uint8Array> | null = request.body;
  for await (const chunk of body ?? []) {
    size += chunk.byteLength;
    if (size > limit) throw tooLarge(limit);
    chunks.push(chunk);
  }
  return Buffer.concat(chunks, size);
}

const tooLarge = (limit: number) =>
  apiError(413, 'PAYLOAD_TOO_LARGE', `The body is larger than ${limit / 1024 / 1024} MiB; send fewer items at once.`);

/**
 * The texts of requests that were read and of answers that were made, for the request log: it neither reads a request
 * a second time nor copies an answer.
 */
const texts = new WeakMap<Request | Response, string>();

/** Notes the text of a body. */
export function noteText<Message extends Request | Response>(message: Message, text: string): Message {
  texts.set(message, text);
  return message;
}

export const notedText = (message: Request | Response): string | undefined => texts.get(message);

/** The text of an answer, which can still be sent. */
export const responseText = async (response: Response): Promise<string> =>
  notedText(response) ?? (response.body === null ? '' : response.clone().text());

/**
 * The checked body of a control request; an empty one counts as `{}`. The Content-Type does not matter, since `curl -d`
 * sends another one. Unlike the API, control endpoints refuse unknown keys: a misspelt one would do nothing.
 *
 * @throws ApiError 400 that names each problem
 */
export async function readBody<Schema extends z.ZodType>(request: Request, schema: Schema): Promise<z.output<Schema>> {
  const { value, ignored } = check(schema, await readControlJson(request));
  const [unknown] = ignored;
  if (unknown !== undefined)
    throw apiError(400, 'UNKNOWN_KEY', `"${unknown.slice(0, 100)}" is not known here. Check its spelling.`);
  return value;
}

/** The body as parsed, `{}` where there is none. @throws ApiError 400 where it is not JSON */
export async function readControlJson(request: Request): Promise<unknown> {
  const text = await readText(request);
  return text.trim() === '' ? {} : parseJson(text);
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    // The parser's own message quotes the body, which may hold an address.
    throw apiError(400, 'INVALID_JSON', 'The body is not valid JSON.');
  }
}

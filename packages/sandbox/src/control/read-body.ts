/**
 * Reads the JSON body of a control request, whatever its Content-Type says: `curl -d` names another. Unlike the API,
 * control takes no key it does not know: a mistyped one would do nothing.
 */
import type * as z from 'zod';
import { apiError } from '../api/errors.ts';
import { readText } from '../api/read-request.ts';
import { check } from '../api/validation.ts';

/** The checked body; an empty one counts as `{}`. @throws ApiError 400 that names each problem */
export async function readBody<Schema extends z.ZodType>(request: Request, schema: Schema): Promise<z.output<Schema>> {
  const { value, ignored } = check(schema, await readControlJson(request));
  const [unknown] = ignored;
  if (unknown !== undefined) throw apiError(400, 'UNKNOWN_KEY', `"${unknown.slice(0, 100)}" is not known here.`);
  return value;
}

/** The body as parsed, `{}` where there is none. @throws ApiError 400 where it is not JSON */
export async function readControlJson(request: Request): Promise<unknown> {
  const text = await readText(request);
  try {
    return text.trim() === '' ? {} : JSON.parse(text);
  } catch {
    // The parser's own message quotes the body, which may hold an address.
    throw apiError(400, 'INVALID_JSON', 'The body is not valid JSON.');
  }
}

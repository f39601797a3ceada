/** Reads the JSON body of a control request. Unlike the API, control takes no key it does not know: a mistyped one would do nothing. */
import type * as z from 'zod';
import { apiError } from '../api/errors.ts';
import { readOptionalJson } from '../api/reading.ts';
import { check } from '../api/validation.ts';

/** The checked body; an empty one counts as `{}`. @throws ApiError 400 that names each problem */
export async function readBody<Schema extends z.ZodType>(request: Request, schema: Schema): Promise<z.output<Schema>> {
  const { value, ignored } = check(schema, (await readOptionalJson(request)) ?? {});
  const [unknown] = ignored;
  if (unknown !== undefined) throw apiError(400, 'UNKNOWN_KEY', `"${unknown.slice(0, 100)}" is not known here.`);
  return value;
}

/** A request that the contract does not describe, in the terms of the contract. */
import type { RetryClass } from '../contract/types.ts';
import { InvalidRequestError, type CallName, type RequestMethod } from './errors.ts';
import type { CalledOperation, RequestOptions } from './options.ts';
import { isPublicationId, pathParameter, withRequest, type PreparedCall, type RequestSettings } from './prepare.ts';
import { redact } from './redact.ts';

const retryClasses: Readonly<Record<RequestMethod, RetryClass>> = {
  GET: 'safe',
  HEAD: 'safe',
  PUT: 'upsert',
  DELETE: 'upsert',
  POST: 'once',
  PATCH: 'once',
};

/** What the contract would say of it. */
const undescribed = {
  base: 'api',
  scope: null,
  query: [],
  expand: [],
  body: { encoding: 'json', fields: [], required: [] },
  success: 200,
  errors: [],
  content: 'object',
  pagination: 'none',
  doc: '',
} as const satisfies Partial<CalledOperation>;

/**
 * Prepares a request that the contract does not describe.
 *
 * @throws InvalidRequestError where the method is unknown or the path would leave the base URL
 */
export function prepareRaw(
  settings: RequestSettings,
  method: RequestMethod,
  path: string,
  { query = {}, body, headers: extraHeaders, retryClass, publicationId, ...options }: RequestOptions,
): PreparedCall {
  const retry = Object.hasOwn(retryClasses, method) ? (retryClass ?? retryClasses[method]) : undefined;
  const [plain = ''] = path.split(/[?#]/);
  const below = plain.replace(/^\/+/, '');
  const id: CallName = `${method} /${redact(below)}`;
  const publication = publicationId ?? settings.publicationId;
  const problems: string[] = [];
  if (retry === undefined) problems.push(`the method must be one of ${Object.keys(retryClasses).join(', ')}`);
  if ((method === 'GET' || method === 'HEAD') && body !== undefined) problems.push(`a ${method} request has no body`);
  const filled = path.replace(pathParameter, (placeholder, name: string) => {
    if (name !== 'publicationId') problems.push(`"${placeholder}" in the path has no value: write the value itself`);
    else if (publication === undefined) problems.push('"publicationId" is missing');
    else if (!isPublicationId(publication)) problems.push('"publicationId" must look like pub_<uuid>');
    return encodeURIComponent(publication ?? '');
  });
  if (problems.length === 0 && !isBelow(settings.roots.api, filled)) {
    problems.push(
      'the path must begin with one "/" and stay below the base URL: no other address, no "..", no fragment',
    );
  }
  if (retry === undefined || problems.length > 0) throw new InvalidRequestError(id, problems);
  const operation: CalledOperation = { ...undescribed, id, method, path: `/${below}`, retry };
  const parts = { path: filled, query };
  const call = { operation, args: {}, parts, options: { ...options, extraHeaders }, deviations: [] };
  return withRequest(settings, call, body === undefined ? undefined : JSON.stringify(body));
}

/** Whether a path, read as every URL parser reads it, stays below a root address. */
function isBelow(root: string, path: string): boolean {
  if (!/^\/(?!\/)[^\s#\\]*$/.test(path) || !URL.canParse(root + path)) return false;
  const [base, whole] = [new URL(root), new URL(root + path)];
  // A parser resolves "." and "..", also percent-encoded ones; the path must come through unchanged.
  const written = `${base.pathname}${path.split('?')[0] ?? ''}`;
  return whole.origin === base.origin && whole.pathname.split('/').length === written.split('/').length;
}

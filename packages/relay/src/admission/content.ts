/** The two encodings of a post: how each is recognised and parsed. */
import { formToObject } from '@newsletter-kit/core/signup';

/** How a body is encoded. */
export type ContentKind = 'json' | 'form';

const kinds: Readonly<Record<string, ContentKind>> = {
  'application/json': 'json',
  'application/x-www-form-urlencoded': 'form',
};

const parsers: Readonly<Record<ContentKind, (text: string) => unknown>> = {
  json: (text) => JSON.parse(text) as unknown,
  form: (text) => formToObject(new URLSearchParams(text)),
};

/** The encoding a request states, or null where it is none of ours. */
export function contentKind(request: Request): ContentKind | null {
  const [type = '', ...parameters] = (request.headers.get('content-type') ?? '').toLowerCase().split(';');
  const charset = parameters.map((each) => each.trim()).find((each) => each.startsWith('charset='));
  if (charset !== undefined && !/^charset="?utf-?8"?$/.test(charset)) return null;
  return kinds[type.trim()] ?? null;
}

/** The body as a value. @throws where it is not UTF-8 or not of this encoding */
export function parseContent(kind: ContentKind, body: Uint8Array): unknown {
  return parsers[kind](new TextDecoder('utf-8', { fatal: true }).decode(body));
}

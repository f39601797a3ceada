/** The two encodings of a post: how each is recognised and parsed, and what answer its sender waits for. */
import { formToObject } from '../signup/submission.ts';

/** How a body is encoded. */
export type ContentKind = 'json' | 'form';

/** The headers of a post that say so; null where the post has none of that name. */
export interface ContentHeaders {
  readonly contentType: string | null;
  readonly contentEncoding?: string | null;
  readonly accept?: string | null;
}

const kinds: ReadonlyMap<string, ContentKind> = new Map([
  ['application/json', 'json'],
  ['application/x-www-form-urlencoded', 'form'],
]);

const parsers: Readonly<Record<ContentKind, (text: string) => unknown>> = {
  json: (text) => JSON.parse(text) as unknown,
  form: (text) => formToObject(new URLSearchParams(text)),
};

/**
 * The encoding a post states, or null where it is none of ours: another type, another charset than UTF-8, or
 * compressed.
 */
export function contentKind({ contentType, contentEncoding }: ContentHeaders): ContentKind | null {
  if ((contentEncoding ?? 'identity') !== 'identity') return null;
  const plain = kinds.get(contentType ?? '');
  if (plain) return plain;
  const [type = '', ...parameters] = (contentType ?? '').toLowerCase().split(';');
  const charset = parameters.map((each) => each.trim()).find((each) => each.startsWith('charset='));
  if (charset !== undefined && !/^charset="?utf-?8"?$/.test(charset)) return null;
  return kinds.get(type.trim()) ?? null;
}

/** Made when the first body comes: loading this asks nothing of the program around it. */
let utf8: InstanceType<typeof TextDecoder> | undefined;

/** The body as a value. @throws where it is not UTF-8 or not of this encoding */
export function parseContent(kind: ContentKind, body: Uint8Array): unknown {
  utf8 ??= new TextDecoder('utf-8', { fatal: true });
  return parsers[kind](utf8.decode(body));
}

/**
 * Whether a person sees the answer: a browser that navigates asks for HTML, a script that posts a form asks for JSON.
 */
export function wantsPage(headers: ContentHeaders): boolean {
  const accept = headers.accept ?? '';
  return accept.includes('text/html') || (contentKind(headers) === 'form' && !accept.includes('application/json'));
}

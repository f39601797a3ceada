/** The two encodings of a signup post, and whether its sender expects a page or JSON. */
import { formToObject } from '../signup/submission.ts';

/** Reads a request header by its lower-case name; null where it was not sent. */
export type ReadHeader = (this: void, name: string) => string | null;

/** The encoding of a body. */
export type ContentKind = 'json' | 'form';

const kinds: ReadonlyMap<string, ContentKind> = new Map([
  ['application/json', 'json'],
  ['application/x-www-form-urlencoded', 'form'],
]);

/** The encoding by the headers; null for any other type, a charset other than UTF-8, or a compressed body. */
export function contentKind(header: ReadHeader): ContentKind | null {
  if ((header('content-encoding') ?? 'identity') !== 'identity') return null;
  const contentType = header('content-type') ?? '';
  const plain = kinds.get(contentType);
  if (plain) return plain;
  const [type = '', ...parameters] = contentType.toLowerCase().split(';');
  const charset = parameters.map((each) => each.trim()).find((each) => each.startsWith('charset='));
  if (charset !== undefined && !/^charset="?utf-?8"?$/.test(charset)) return null;
  return kinds.get(type.trim()) ?? null;
}

/** The fields of a form post, in their order. */
export type Entered = Iterable<readonly [name: string, value: string]>;

/** A parsed body; `entered` is given for a form post. */
export interface Content {
  readonly value: unknown;
  readonly entered?: Entered;
}

/** Created with the first body, so that loading the module runs no code of the host. */
let utf8: InstanceType<typeof TextDecoder> | undefined;

/** Parses a body. @throws where it is not UTF-8 or not in this encoding */
export function parseContent(kind: ContentKind, body: Uint8Array): Content {
  utf8 ??= new TextDecoder('utf-8', { fatal: true });
  const text = utf8.decode(body);
  if (kind === 'json') return { value: JSON.parse(text) as unknown };
  const entered = new URLSearchParams(text);
  return { value: formToObject(entered), entered };
}

/**
 * Whether the sender expects a page: a browser that navigates accepts HTML, a script that posts a form accepts JSON.
 */
export function wantsPage(header: ReadHeader): boolean {
  const accept = header('accept') ?? '';
  return accept.includes('text/html') || (contentKind(header) === 'form' && !accept.includes('application/json'));
}

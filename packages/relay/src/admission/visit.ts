/** A post on its way in, as every part of admission sees it: headers and origin, whatever server it came through. */
import type { ContentHeaders } from '@newsletter-kit/core/endpoint';
import type { Form } from './form.ts';

/** A post on its way in. */
export interface Visit {
  /** A header by its lower-case name; null where it was not sent. */
  header(this: void, name: string): string | null;
  readonly form: Form;
  /** Address of the visitor, behind whatever proxies are trusted; null where it is not known. */
  readonly client: string | null;
}

/** What an answer depends on. */
export type Asker = Pick<Visit, 'header'> & { readonly form: Form | null };

/** The headers that say how a body is encoded and what answer its sender waits for. */
export function contentHeaders({ header }: Pick<Visit, 'header'>): ContentHeaders {
  return { contentType: header('content-type'), contentEncoding: header('content-encoding'), accept: header('accept') };
}

/**
 * Whether the page that posts is the relay's own, which asked the visitor to press a button once more. Browsers say so
 * in a header that no page can set; those that do not (Safari before 16.4) name the host they post to as the origin.
 */
export function isOwnPage({ header }: Pick<Visit, 'header'>): boolean {
  const site = header('sec-fetch-site');
  if (site !== null) return site === 'same-origin';
  const origin = header('origin');
  return origin !== null && URL.canParse(origin) && new URL(origin).host === header('host');
}

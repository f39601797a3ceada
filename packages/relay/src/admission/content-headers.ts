/** The headers of a request that say how its body is encoded and what answer its sender waits for. */
import type { ContentHeaders } from '@newsletter-kit/core/signup';

export function contentHeaders({ headers }: Request): ContentHeaders {
  return { contentType: headers.get('content-type'), contentEncoding: headers.get('content-encoding'), accept: headers.get('accept') };
}

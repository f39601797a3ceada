/** A signup post at the relay, made from a Fetch request, and the Response made from its answer. */
import { collectBody, type Answer, type Post, type ReadHeader } from '@newsletter-kit/core/endpoint';
import type { Form } from './form.ts';

/** A post to a form whose body is not read yet. */
export interface SignupPost extends Post {
  readonly form: Form;
  /** The visitor's IP address, behind trusted proxies; null where it is unknown. */
  readonly client: string | null;
}

/** The post in a request. @param client - the visitor's IP address; null where it is unknown */
export function signupPost(request: Request, header: ReadHeader, form: Form, client: string | null): SignupPost {
  return { header, form, client, body: (limit) => readBody(request, limit) };
}

/** Reads headers of a request. */
export function headerOf({ headers }: Request): ReadHeader {
  return (name) => headers.get(name);
}

/** The answer as a Response. */
export function toResponse({ status, headers, body }: Answer): Response {
  return new Response(body, { status, headers });
}

async function readBody(request: Request, limit: number): Promise<Uint8Array | null> {
  if (request.headers.has('content-length') && !request.headers.has('transfer-encoding')) {
    // The HTTP parser ends such a body at its stated length, which admission has checked. Reading it at once is five
    // times as fast as reading its chunks.
    const body = new Uint8Array(await request.arrayBuffer());
    return body.byteLength > limit ? null : body;
  }
  return collectBody((request.body as ReadableStream<Uint8Array> | null) ?? [], limit);
}

/** The request as n8n hands it over, reduced to what admission reads. */
import type { Posted } from './admit.ts';

/** What we use of Node's request, and of what n8n adds to it. */
export interface IncomingPost {
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  /** The body, where n8n has read it already. */
  readonly rawBody?: Uint8Array;
  iterator(options: { readonly destroyOnReturn: boolean }): AsyncIterable<Uint8Array>;
}

export function toPosted(request: IncomingPost): Posted {
  const header = (name: string): string | null => {
    const value = request.headers[name];
    return (Array.isArray(value) ? value[0] : value) ?? null;
  };
  return {
    origin: header('origin'),
    contentType: header('content-type'),
    contentEncoding: header('content-encoding'),
    contentLength: header('content-length'),
    accept: header('accept'),
    idempotencyKey: header('idempotency-key')?.trim() || null,
    body: (limit) => readBody(request, limit),
  };
}

/** Not a chunk more than is allowed. The stream is left open, for the answer goes out by the same connection. */
async function readBody(request: IncomingPost, limit: number): Promise<Uint8Array | null> {
  const chunks: Uint8Array[] = [];
  let size = 0;
  for await (const chunk of request.rawBody === undefined
    ? request.iterator({ destroyOnReturn: false })
    : [request.rawBody]) {
    size += chunk.byteLength;
    if (size > limit) return null;
    chunks.push(chunk);
  }
  const body = new Uint8Array(size);
  let at = 0;
  for (const chunk of chunks) {
    body.set(chunk, at);
    at += chunk.byteLength;
  }
  return body;
}

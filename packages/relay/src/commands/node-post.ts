/** A POST straight from `node:http` and back: the way that nearly every signup goes. */
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Answer } from '../admission/answers.ts';
import type { Posted } from '../app.ts';

/** Path and headers at once, the body when it is asked for. */
export function toPosted(incoming: IncomingMessage): Posted {
  const { url = '/', headers, socket } = incoming;
  const query = url.indexOf('?');
  return {
    path: query < 0 ? url : url.slice(0, query),
    header(name) {
      const value = headers[name];
      return value === undefined ? null : typeof value === 'string' ? value : value.join(', ');
    },
    peer: socket.remoteAddress ?? null,
    readBody: (limit) => readBody(incoming, limit),
  };
}

/** Reads no byte more than is allowed. */
function readBody(incoming: IncomingMessage, limit: number): Promise<Uint8Array | null> {
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = [];
    let size = 0;
    incoming.on('data', (chunk: Buffer) => {
      size += chunk.byteLength;
      if (size <= limit) chunks.push(chunk);
      else {
        incoming.pause();
        resolve(null);
      }
    });
    incoming.on('end', () => resolve(chunks.length === 1 && chunks[0] ? chunks[0] : Buffer.concat(chunks)));
    incoming.on('error', reject);
  });
}

/** Sends the answer. What was not read of the post is not waited for: the connection ends with the answer. */
export function sendAnswer(
  incoming: IncomingMessage,
  outgoing: ServerResponse,
  { status, headers, body }: Answer,
): void {
  if (!incoming.complete) outgoing.setHeader('connection', 'close');
  outgoing.writeHead(
    status,
    body === null ? { ...headers } : { ...headers, 'content-length': Buffer.byteLength(body) },
  );
  outgoing.end(body);
}

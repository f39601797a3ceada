/** Carries the sandbox's answers onto a port; refuses foreign requests, breaks connections where a fault says so. */
import { ServerResponse } from 'node:http';
import type { Http2Bindings, HttpBindings } from '@hono/node-server';
import { RESPONSE_ALREADY_SENT } from '@hono/node-server/utils/response';
import type { Sandbox } from '../app.ts';
import { createGuard, type Access } from '../control/access.ts';
import { ConnectionLost, CutResponse } from '../control/faults/effects.ts';

export function listener(
  sandbox: Sandbox,
  access: Access,
): (request: Request, bindings: HttpBindings | Http2Bindings) => Promise<Response> {
  const refused = createGuard(access);
  return async (request, { incoming, outgoing }) => {
    try {
      const response = refused(request) ?? (await sandbox.fetch(request));
      if (!(response instanceof CutResponse) || !(outgoing instanceof ServerResponse)) return response;
      outgoing.writeHead(response.status, Object.fromEntries(response.headers));
      // Closed only once the first half has left.
      outgoing.write(response.part, () => incoming.socket.destroy());
      return RESPONSE_ALREADY_SENT;
    } catch (error) {
      // Where the caller went away while its request waited, nobody is left to answer either.
      if (!(error instanceof ConnectionLost) && !request.signal.aborted) throw error;
      incoming.socket.resetAndDestroy();
      return RESPONSE_ALREADY_SENT;
    }
  };
}

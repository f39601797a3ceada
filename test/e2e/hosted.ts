/** Serves a site on this machine for a browser. */
import { serve } from '@hono/node-server';

export interface Hosted {
  /** `http://127.0.0.1:<port>` */
  readonly origin: string;
  close(): void;
}

/** @param port - default: a free port */
export async function hosted(
  { fetch }: { fetch(request: Request): Response | Promise<Response> },
  port = 0,
): Promise<Hosted> {
  return new Promise((resolve) => {
    const server = serve({ fetch: (request) => fetch(request), port, hostname: '127.0.0.1' }, (address) =>
      resolve({
        origin: `http://127.0.0.1:${address.port}`,
        close() {
          server.close();
          if ('closeAllConnections' in server) server.closeAllConnections();
        },
      }),
    );
  });
}

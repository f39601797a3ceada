/** Starts the demo site. */
import { fileURLToPath } from 'node:url';
import { serve } from '@hono/node-server';
import { createSite } from './site.ts';

const port = Number(process.env['DEMO_PORT'] ?? 4000);
const sandboxUrl = process.env['SANDBOX_URL'] ?? 'http://127.0.0.1:4010';
const signupEndpoint = process.env['SIGNUP_ENDPOINT'] ?? 'http://127.0.0.1:4020/signup';
const receiver = process.env['SIGNUP_RECEIVER'] ?? 'relay';
const command = process.env['STARTED_BY'];
const site = createSite({
  sandboxUrl,
  signupEndpoint,
  receiver,
  ...(command && {
    started: {
      command,
      folder: fileURLToPath(new URL('../..', import.meta.url)).replace(/[/\\]$/, ''),
      pid: process.ppid,
      addresses: [
        `Demo site http://127.0.0.1:${port}`,
        `sandbox ${sandboxUrl}`,
        `signups ${new URL(signupEndpoint).origin}`,
      ],
    },
  }),
});

const server = serve({ fetch: site.fetch, port, hostname: '127.0.0.1' });
server.on('error', (error: NodeJS.ErrnoException) => {
  console.error(
    error.code === 'EADDRINUSE'
      ? `Port ${port} is in use by another program. Stop it or choose another port: DEMO_PORT=${port + 1}.`
      : `The demo site cannot listen on port ${port}: ${error.message}`,
  );
  process.exit(1);
});

for (const signal of ['SIGINT', 'SIGTERM'] as const) {
  process.on(signal, () => {
    server.close(() => process.exit(0));
    // The event streams of open pages never end by themselves.
    if ('closeAllConnections' in server) server.closeAllConnections();
  });
}

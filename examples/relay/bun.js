/** The relay on Bun. */
import process from 'node:process';
import { answer, open, stop } from './relay.ts';

// Wrong settings end it at once.
await open();
const server = Bun.serve({
  port: Number(process.env.PORT ?? 8000),
  // A call of /cron takes longer than the ten seconds after which Bun ends a request.
  idleTimeout: 255,
  fetch: (request) => answer(request, server.requestIP(request)?.address ?? null),
});
console.log(`Listening on ${server.url}`);

for (const signal of ['SIGINT', 'SIGTERM'])
  process.once(signal, () => void Promise.all([server.stop(), stop()]).then(() => process.exit()));

/** The relay on Deno. */
import process from 'node:process';
import { answer, open, stop } from './relay.ts';

// Wrong settings end it at once.
await open();
const server = Deno.serve({ port: Number(process.env.PORT ?? 8000) }, (request, { remoteAddr }) =>
  answer(request, remoteAddr.hostname),
);

for (const signal of ['SIGINT', 'SIGTERM'])
  process.once(signal, () => void Promise.all([server.shutdown(), stop()]).then(() => process.exit()));

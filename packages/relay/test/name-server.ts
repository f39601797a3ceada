/** A name server on loopback that knows some TXT records, and a resolver that asks it. */
import { createSocket } from 'node:dgram';
import { once } from 'node:events';
import { Resolver } from 'node:dns/promises';
import { onTestFinished } from 'vitest';

/** TXT records by the name in lower case; `fails` makes every answer a failure of the server. */
export type Zone = Readonly<Record<string, readonly string[]>>;

/** The question of a query: its bytes, and the name in it. */
function questionOf(query: Buffer): { readonly bytes: Buffer; readonly name: string } {
  const labels: string[] = [];
  let at = 12;
  for (let length = query[at] ?? 0; length > 0; length = query[at] ?? 0) {
    labels.push(query.toString('latin1', at + 1, at + 1 + length));
    at += 1 + length;
  }
  return { bytes: query.subarray(12, at + 5), name: labels.join('.').toLowerCase() };
}

/** A record of the type TXT, whose name is that of the question. */
function recordOf(text: string): Buffer {
  const data = Buffer.concat([Buffer.from([text.length]), Buffer.from(text, 'latin1')]);
  return Buffer.concat([Buffer.from([0xc0, 12, 0, 16, 0, 1, 0, 0, 0, 60, 0, data.length]), data]);
}

export async function nameServer(zone: Zone): Promise<Resolver> {
  const socket = createSocket('udp4');
  socket.on('message', (query, { port, address }) => {
    const { bytes, name } = questionOf(query);
    const records = (zone[name] ?? []).map(recordOf);
    const code = 'fails' in zone ? 2 : name in zone ? 0 : 3;
    const head = Buffer.from([query[0] ?? 0, query[1] ?? 0, 0x81, 0x80 + code, 0, 1, 0, records.length, 0, 0, 0, 0]);
    socket.send(Buffer.concat([head, bytes, ...records]), port, address);
  });
  socket.bind(0, '127.0.0.1');
  await once(socket, 'listening');
  onTestFinished(() => void socket.close());
  const resolver = new Resolver({ timeout: 500, tries: 1 });
  resolver.setServers([`127.0.0.1:${socket.address().port}`]);
  return resolver;
}

/**
 * Webhooks of a relay that is killed again and again, to a receiver that fails, hangs, breaks connections and loses
 * answers, and to one that works. Each message arrives at both, those of a signup in their order.
 *
 * `CHAOS_SIGNUPS=100 CHAOS_KILLS=2 npm test -- test/chaos/webhooks` runs a part of it.
 */
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { writeFileSync } from 'node:fs';
import { expect, it, onTestFinished } from 'vitest';
import type { WebhookBody } from '../../packages/relay/src/index.ts';
import { run, serve, type ServingRelay } from '../../packages/relay/test/commands/relay-process.ts';
import { waitUntil } from '../support/waits.ts';
import { onPort, sandboxApi } from '../../packages/relay/test/sandbox-api.ts';
import { secret, verify } from '../../packages/relay/test/webhooks/receiver.ts';
import { scratchFolder } from '../support/scratch-folder.ts';
import { Crowd, seeded, timeLimitOf } from './crowd.ts';

const signups = Number(process.env['CHAOS_SIGNUPS'] ?? 500);
const kills = Number(process.env['CHAOS_KILLS'] ?? 10);

/** Shares of one of the requests that go wrong; `lost`: received, but the answer never arrives. */
interface Weather {
  readonly failing: number;
  readonly reset: number;
  readonly lost: number;
  readonly hanging: number;
}
const storm: Weather = { failing: 0.2, reset: 0.1, lost: 0.1, hanging: 0.02 };
const calm: Weather = { failing: 0, reset: 0, lost: 0, hanging: 0 };

/** A receiver that records what it accepted, in order, once for each id. */
async function startReceiver(random: () => number, first: Weather) {
  const accepted = new Map<string, WebhookBody>();
  const receiver = { url: '', accepted, weather: first, repeated: 0 };
  const server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      const { failing, reset, lost, hanging } = receiver.weather;
      const luck = random();
      if (luck < failing) return void response.writeHead(luck < failing / 2 ? 503 : 500).end();
      if (luck < failing + reset) return void request.socket.destroy();
      // Hangs until the relay gives up.
      if (luck < failing + reset + hanging) return;
      const id = String(request.headers['webhook-id']);
      const body = Buffer.concat(chunks).toString();
      const message = verify(body, request.headers as Record<string, string>);
      if (accepted.has(id)) receiver.repeated += 1;
      else accepted.set(id, message);
      if (luck < failing + reset + hanging + lost) return void request.socket.destroy();
      response.writeHead(204).end();
    });
    request.on('error', () => request.socket.destroy());
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => void (server.closeAllConnections(), server.close()));
  receiver.url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/`;
  return receiver;
}

it(
  'every webhook arrives, in the order of its signup, however often the relay is killed',
  async () => {
    const random = seeded();
    // Each address is refused at its first delivery where its number ends with 7.
    const api = sandboxApi({ seed: 'empty', profile: 'unlimited' });
    let refuses = true;
    const apiUrl = await onPort(async (request) => {
      const text = await request.clone().text();
      if (!refuses || !/person-\d*7@/.test(text)) return api.fetch(request);
      return Response.json(
        { status: 400, statusText: 'bad_request', errors: [{ message: 'Not yet.', code: 'NOT_YET' }] },
        { status: 400 },
      );
    });
    const [stormy, steady] = [await startReceiver(random, storm), await startReceiver(random, calm)];
    const folder = scratchFolder();
    writeFileSync(
      join(folder, 'relay.yaml'),
      `webhook_secret: ${secret}
webhook_private_network: true
webhook_events: [signup.delivered, signup.refused]
webhooks:
  stormy: { url: '${stormy.url}' }
  steady: { url: '${steady.url}' }
`,
    );
    const variables = { NEWSLETTER_API_URL: `${apiUrl}/v2`, RELAY_CONFIG: join(folder, 'relay.yaml') };
    const alive: ServingRelay[] = [await serve(folder, variables)];
    const crowd = new Crowd(() => alive, random, {}, signups);
    const running = crowd.run();
    for (let killed = 0; killed < kills; killed += 1) {
      await crowd.grows((signups / (kills + 1)) * (0.5 + random()));
      alive[0]?.child.kill('SIGKILL');
      await alive[0]?.ended;
      alive.splice(0, 1, await serve(folder, variables));
    }
    await running;
    const [relay] = alive;
    const command = (...args: string[]) =>
      run(args, { RELAY_STORE: `sqlite:${folder}/relay.db`, RELAY_PORT: new URL(relay?.address ?? '').port });
    const emails = (type: string, { accepted }: typeof steady): readonly string[] =>
      [...accepted.values()].flatMap((each) => (each.type === type ? [each.data.email ?? ''] : [])).toSorted();
    const all = [...crowd.acknowledged].toSorted();
    const refusedOnes = all.filter((email) => /7@/.test(email));
    expect(all).toHaveLength(signups);

    // The steady receiver has everything while the other one still fails.
    await waitUntil('the steady receiver has everything', () => steady.accepted.size === signups, timeLimitOf(signups));
    expect(emails('signup.refused', steady)).toEqual(refusedOnes);
    refuses = false;
    expect((await command('redrive', '--all')).stdout).toBe(`${refusedOnes.length} queued again.\n`);
    stormy.weather = calm;
    // What waits for its next attempt is sent now.
    await waitUntil(
      'both receivers have everything',
      async () => {
        await command('webhooks', 'resume', 'stormy');
        const { accepted } = stormy;
        return accepted.size === signups + refusedOnes.length && steady.accepted.size === accepted.size;
      },
      timeLimitOf(signups),
    );
    for (const receiver of [stormy, steady]) {
      expect(emails('signup.refused', receiver)).toEqual(refusedOnes);
      expect(emails('signup.delivered', receiver)).toEqual(all);
      const order = new Map<string, string[]>();
      for (const { type, data } of receiver.accepted.values())
        order.set(data.signup, [...(order.get(data.signup) ?? []), type]);
      for (const types of order.values())
        if (types.length > 1) expect(types).toEqual(['signup.refused', 'signup.delivered']);
    }
    // Only what was in flight when the relay was killed arrives twice where no answer was lost.
    expect(steady.repeated).toBeLessThanOrEqual(kills * 4);
  },
  2 * timeLimitOf(signups),
);

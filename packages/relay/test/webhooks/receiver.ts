/** A receiver of webhooks for tests, on a port: verifies every signature and records the messages. */
import { onTestFinished } from 'vitest';
import { Webhook } from 'standardwebhooks';
import type { WebhookBody } from '../../src/index.ts';
import { type Handler, onPort } from '../sandbox-api.ts';

export const secret = `whsec_${Buffer.from('a secret of 32 characters, ASCII').toString('base64')}`;

/** The message, if one of its signatures is valid. @throws an error of the library otherwise */
export function verify(body: string, headers: Readonly<Record<string, string>>, key = secret): WebhookBody {
  return new Webhook(key).verify(body, { ...headers }) as WebhookBody;
}

/** A message that was received. */
export interface Received extends WebhookBody {
  readonly id: string;
}

export interface Receiver {
  readonly url: string;
  /** Messages with a valid signature, in order of their arrival, also those that were not accepted. */
  readonly received: Received[];
  /** Number of requests with an invalid signature. */
  invalid: number;
  /** Answers in place of 204, while set. */
  instead: Handler | null;
}

/** @param key - the secret that it knows @param ignoresTime - whether it accepts webhooks of any time */
export async function startReceiver(key = secret, ignoresTime = false): Promise<Receiver> {
  const receiver = { received: [] as Received[], invalid: 0, instead: null as Handler | null };
  const address = await onPort(async (request) => {
    const body = await request.text();
    try {
      const headers = Object.fromEntries(request.headers);
      const id = headers['webhook-id'] ?? '';
      const webhook = new Webhook(key);
      if (ignoresTime) {
        const now = new Date();
        const time = new Date(Number(headers['webhook-timestamp']) * 1000);
        if (headers['webhook-signature'] !== webhook.sign(id, time, body)) throw new Error('The signature is wrong.');
        headers['webhook-timestamp'] = String(Math.floor(now.getTime() / 1000));
        headers['webhook-signature'] = webhook.sign(id, now, body);
      }
      receiver.received.push({ ...verify(body, headers, key), id });
    } catch {
      receiver.invalid += 1;
      return new Response(null, { status: 401 });
    }
    return receiver.instead ? receiver.instead(request) : new Response(null, { status: 204 });
  });
  onTestFinished(() => void (receiver.instead = null));
  return Object.assign(receiver, { url: `${address}/hooks/secret-path` });
}

/** Settings of a relay that sends everything to this receiver. */
export function webhookSettings({ url }: Pick<Receiver, 'url'>): Readonly<Record<string, string>> {
  return { RELAY_WEBHOOK_URL: url, RELAY_WEBHOOK_SECRET: secret, RELAY_WEBHOOK_PRIVATE_NETWORK: 'true' };
}

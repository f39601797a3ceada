/** A sender of webhooks for tests, with a clock that the test sets and answers that it gives. */
import { join } from 'node:path';
import { onTestFinished } from 'vitest';
import { scratchFolder } from '../../../../test/support/scratch-folder.ts';
import { LoopGroup } from '../../src/queue/worker.ts';
import { createContext } from '../../src/context.ts';
import { createLog, readConfig, webhookTypes } from '../../src/index.ts';
import type { RelayEvent } from '../../src/events.ts';
import { openSqliteStore } from '../../src/store/sqlite/open-database.ts';
import type { WebhookAnswer, WebhookRequest } from '../../src/webhooks/post.ts';
import { WebhookSender } from '../../src/webhooks/queue.ts';
import { changedStore } from '../changed-store.ts';
import { newSignup } from '../new-signup.ts';
import { environment } from '../running-relay.ts';
import { secret } from './receiver.ts';

/** The time at the start of a test, in milliseconds since the Unix epoch. */
export const start = Date.UTC(2026, 10, 20, 12);
export const hourMs = 3_600_000;

/** Answers a request. */
export type Answer = () => WebhookAnswer | Promise<WebhookAnswer>;

export const status = (code: number, headers: Readonly<Record<string, string>> = {}): Answer => {
  return () => ({ status: code, headers });
};
export const failing = (error: unknown): Answer => {
  return () => {
    throw error;
  };
};
export const withCode = (code: string): Error =>
  Object.assign(new Error('to https://crm.example/secret-path'), { code });
export const named = (name: string): Error => Object.assign(new Error('it ended'), { name });

/**
 * A sender to one destination, whose answers come from `answer`.
 *
 * @param options - `shared`: whether other processes use the store, too
 */
export function startSender({
  destinations = ['crm'],
  shared = false,
}: { readonly destinations?: readonly string[]; readonly shared?: boolean } = {}) {
  const store = openSqliteStore(join(scratchFolder(), 'relay.db'));
  onTestFinished(() => store.close());
  const events: RelayEvent[] = [];
  const posted: WebhookRequest[] = [];
  const logged: Record<string, unknown>[] = [];
  const test = { now: start, answer: status(204), random: 0.5 };
  const log = createLog({
    level: 'debug',
    destination: { write: (line) => void logged.push(JSON.parse(line) as Record<string, unknown>) },
  });
  const config = readConfig(environment);
  const open = (names = destinations) =>
    new WebhookSender(
      createContext(
        {
          config: {
            ...config,
            webhooks: names.map((name) => ({
              name,
              types: webhookTypes,
              url: `https://${name}.example/secret-path`,
              secrets: [secret],
              allowsPrivateNetwork: false,
            })),
          },
          store: changedStore(store, { shared }),
          log,
          onEvent: (event) => void events.push(event),
          timing: { now: () => test.now, random: () => test.random },
        },
        new AbortController().signal,
      ),
      (request) =>
        new Promise((resolve, reject) => {
          posted.push(request);
          request.signal.addEventListener('abort', () => reject(named('AbortError')));
          Promise.resolve().then(test.answer).then(resolve, reject);
        }),
    );
  const sender = open();
  onTestFinished(() => sender.stop(0));
  let people = 0;
  return Object.assign(test, {
    store,
    sender,
    open,
    events,
    posted,
    logged,
    /** Sends what is due. @returns milliseconds until the next message is due; null if none waits */
    async deliver(): Promise<number | null> {
      await sender.deliver(new AbortController().signal, new LoopGroup());
      const at = await store.webhooks.nextDueAt('crm');
      return at === null ? null : at - test.now;
    },
    /** Adds the message of a delivered signup, `form` its form. */
    async add(count = 1, form = 'default'): Promise<void> {
      await sender.prepare();
      for (; count > 0; count -= 1) {
        const id = await store.accept(newSignup(`p${(people += 1)}@example.com`, { form, receivedAt: start }));
        await store.claim({ forms: [form], limit: 1, now: test.now });
        await store.settle([id], { state: 'delivered', at: test.now });
      }
    },
    backlog: async () => (await store.webhooks.overview())[0],
    /** The messages of the log since the last call, each with its level. */
    lines: () => logged.splice(0).map(({ level, msg }) => `${String(level)}: ${String(msg)}`),
  });
}

/** The store in a Durable Object: the conformance suite, run in workerd. */
import { Agent, fetch } from 'undici';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { bundleWorker, startWorkerd } from '../../../../scripts/workerd.ts';
import { type SignupStore, StoreUnavailableError } from '../../src/index.ts';
import { steps } from '../../src/store/sqlite/schema.ts';
import { expectOnePerson, spelledSignups } from '../store/spelled-signups.ts';
import { newSignup } from '../new-signup.ts';
import { describeSignupStore } from '../store/conformance.ts';
import { describeCounters } from '../store/counter-conformance.ts';
import { describeMailboxes } from '../store/mailbox-conformance.ts';
import { describeFlood } from '../store/mailbox-flood.ts';
import { describeWebhookQueue } from '../store/webhook-conformance.ts';
import type { StoreCall } from './store-worker.ts';

/** workerd resets connections where a thousand arrive at once, and closes idle ones: few, and each for one request. */
const dispatcher = new Agent({ connections: 32, pipelining: 0 });

let running: Awaited<ReturnType<typeof startWorkerd>>;
beforeAll(async () => {
  const script = await bundleWorker('packages/relay/test/worker/store-worker.ts');
  running = await startWorkerd(script, { className: 'StoreObject' });
});
afterAll(() => Promise.all([dispatcher.close(), running?.workerd.dispose()]));

let objects = 0;
let instances = 0;

async function call(object: string, instance: string, method: string, ...parameters: unknown[]): Promise<unknown> {
  const request: StoreCall = { instance, method, parameters };
  const answer = await fetch(`${running.url}/${object}`, {
    method: 'POST',
    body: JSON.stringify(request),
    dispatcher,
  });
  const { value, error } = (await answer.json()) as {
    readonly value?: unknown;
    readonly error?: { readonly name: string; readonly message: string };
  };
  if (error?.name === 'StoreUnavailableError') throw new StoreUnavailableError(error.message);
  if (error) throw Object.assign(new Error(error.message), { name: error.name });
  return value;
}

/** A storage of its own. */
function freshObject() {
  objects += 1;
  const object = `object-${objects}`;
  return {
    sql: (text: string) => call(object, 'sql', 'sql', text),
    /** Opens the store in it again, as after a restart. */
    open(): Promise<SignupStore> {
      instances += 1;
      const instance = `instance-${instances}`;
      const pending = new Set<Promise<unknown>>();
      const send = (method: string, parameters: readonly unknown[]): Promise<unknown> => {
        const sent = call(object, instance, method, ...parameters);
        pending.add(sent);
        void sent.catch(() => null).finally(() => pending.delete(sent));
        return sent;
      };
      // Every method returns a promise; awaiting the store itself calls none.
      const remote = <T extends object>(own: Partial<T>, prefix: string): T =>
        new Proxy(own as T, {
          get: (target, name) =>
            name === 'then'
              ? undefined
              : Reflect.has(target, name)
                ? Reflect.get(target, name)
                : (...parameters: unknown[]) => send(`${prefix}${String(name)}`, parameters),
        });
      const store = remote<SignupStore>(
        {
          shared: false,
          webhooks: remote<SignupStore['webhooks']>({}, 'webhooks.'),
          counters: remote<SignupStore['counters']>({}, 'counters.'),
          async close() {
            await Promise.allSettled(pending);
            await send('close', []);
          },
        },
        '',
      );
      return Promise.resolve(store);
    },
  };
}

describe('a signup store in a Durable Object', () => {
  describeSignupStore(() => Promise.resolve(freshObject()));
  describeWebhookQueue(() => Promise.resolve(freshObject()));
  describeCounters(() => Promise.resolve(freshObject()));
  describeMailboxes(() => Promise.resolve(freshObject()));
  describeFlood(() => Promise.resolve(freshObject()));

  it('refuses the storage of a newer relay', async () => {
    const object = freshObject();
    await (await object.open()).accept(newSignup('ada@example.com'));
    await object.sql(`UPDATE setting SET value = '99' WHERE name = 'version'`);
    await expect((await object.open()).counts()).rejects.toThrow(
      'This Durable Object was written by a newer relay (version 99): deploy that version again.',
    );
  });

  it('migrates the storage of an earlier relay', async () => {
    const object = freshObject();
    for (const step of steps.slice(0, 5)) await object.sql(String(step).replaceAll('person_of(', 'quote('));
    await object.sql(`INSERT INTO setting VALUES ('version', '5')`);
    for (const statement of spelledSignups()) await object.sql(statement);
    const store = await object.open();
    await store.accept(newSignup('ada@example.com'));
    expect(await store.counts()).toMatchObject({ waiting: 1 });
    await expectOnePerson(store);
    expect(await object.sql(`SELECT value FROM setting WHERE name = 'version'`)).toEqual([
      { value: String(steps.length) },
    ]);
  });

  it('selects more signups by their ids than a query takes values', async () => {
    const store = await freshObject().open();
    const ids = await Promise.all(
      Array.from({ length: 150 }, (_, i) =>
        store.accept(newSignup(`p${i}@example.com`, { suspected: 'the honeypot was filled in' })),
      ),
    );
    expect(await store.redrive({ ids: ids.slice(1) }, Date.now())).toBe(149);
  });
});

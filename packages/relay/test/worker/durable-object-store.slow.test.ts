/** The store in a Durable Object: the conformance suite, run in workerd. */
import { describe, expect, it } from 'vitest';
import { newSignup } from '../new-signup.ts';
import { describeSignupStore } from '../store/conformance.ts';
import { describeCounters } from '../store/counter-conformance.ts';
import { describeMailboxes } from '../store/mailbox-conformance.ts';
import { describeFlood } from '../store/mailbox-flood.ts';
import { describeWebhookQueue } from '../store/webhook-conformance.ts';
import { freshObject, storeObjects } from './store-objects.ts';

storeObjects();

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
      'This Durable Object was written by a newer relay (version 99): update this one.',
    );
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

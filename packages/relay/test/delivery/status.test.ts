/** What the API says of a person: kept as it came, asked once more where it was only a beginning, and never guessed. */
import { describe, expect, it } from 'vitest';
import { createSecondLook } from '../../src/delivery/status.ts';
import type { StoredSignup } from '../../src/index.ts';
import { newSignup } from '../new-signup.ts';
import { deliveryParts, listed, listPage, refusal, startAt, type DeliveryParts } from './parts.ts';

const minuteMs = 60_000;

interface Asked extends DeliveryParts {
  /** Runs as a lane does ten minutes after the deliveries, or so much later. */
  look(afterMs?: number): Promise<void>;
  statuses(): Promise<Pick<StoredSignup, 'status' | 'nextAttemptAt'>[]>;
  /** The queries of the list. */
  queries(): string[];
}

/** Signups whose creation was answered with `validating`, or another status. */
async function delivered(
  emails: readonly string[],
  answer: (query: URLSearchParams) => Response | Promise<Response>,
  status = 'validating',
): Promise<Asked> {
  const parts = deliveryParts(async (request) => answer(new URL(request.url).searchParams));
  for (const email of emails) await parts.store.accept(newSignup(email, { receivedAt: startAt }));
  const claimed = await parts.store.claim({ forms: ['default'], limit: 100, now: startAt });
  const ids = claimed.map(({ id }) => id);
  await parts.store.settle(ids, { state: 'delivered', at: startAt, status, askAgainAt: startAt + 10 * minuteMs });
  const look = createSecondLook(parts.lane);
  return {
    ...parts,
    async look(afterMs = 10 * minuteMs) {
      parts.clock.now = startAt + afterMs;
      await look.run();
    },
    async statuses() {
      const all = await parts.store.list({}, { limit: 100 });
      return all.toReversed().map(({ status: word, nextAttemptAt }) => ({ status: word, nextAttemptAt }));
    },
    queries: () => parts.requests.map(({ url }) => new URL(url).search),
  };
}

const is = (email: string, status: unknown): Record<string, unknown> => ({ ...listed(email, 0), status });
const known = (status: string | null) => ({ status, nextAttemptAt: null });

describe('ten minutes after the delivery', () => {
  it('asks for one signup by its address, and not before', async () => {
    const test = await delivered(['ada@example.com'], () => listPage([is('ada@example.com', 'active')]));
    await test.look(9 * minuteMs);
    expect(test.requests).toEqual([]);
    await test.look();
    expect(test.queries()).toEqual([expect.stringContaining('email=ada%40example.com')]);
    expect(await test.statuses()).toEqual([known('active')]);
    expect(test.events).toEqual([{ type: 'statusKnown', form: 'default', status: 'active' }]);
    await test.look(60 * minuteMs);
    expect(test.requests).toHaveLength(1);
  });

  it('asks for many with one page of the newest, and for those that it lacks one by one', async () => {
    const emails = ['a@example.com', 'B@Example.com', 'old@example.com', 'gone@example.com'];
    const test = await delivered(emails, (query) => {
      const email = query.get('email');
      if (email === null) return listPage([is('b@example.com', 'pending'), is('a@example.com', 'a new word')]);
      return listPage(email === 'old@example.com' ? [is(email, 'inactive')] : []);
    });
    await test.look();
    expect(test.requests).toHaveLength(3);
    // What the API has lost is unknown: it may be there a moment later.
    expect(await test.statuses()).toEqual([known('a new word'), known('pending'), known('inactive'), known(null)]);
  });

  it.each([
    ['may not read', () => refusal(403)],
    ['finds a record without a status', () => listPage([is('ada@example.com', null)])],
    ['finds a record with a status of another type', () => listPage([is('ada@example.com', 7)])],
  ])('knows nothing if the key %s', async (_, answer) => {
    const test = await delivered(['ada@example.com'], answer);
    await test.look();
    expect(await test.statuses()).toEqual([known(null)]);
    expect(test.events).toEqual([{ type: 'statusKnown', form: 'default', status: null }]);
  });

  it('does not keep an old word while the API fails, asks every ten minutes, and gives up after a day', async () => {
    const test = await delivered(['ada@example.com'], () => refusal(503));
    await test.look();
    expect(await test.statuses()).toEqual([{ status: null, nextAttemptAt: startAt + 20 * minuteMs }]);
    await test.look(19 * minuteMs);
    expect(test.requests).toHaveLength(1);
    await test.look(24 * 60 * minuteMs);
    expect(await test.statuses()).toEqual([known(null)]);
    expect(test.events).toEqual([{ type: 'statusKnown', form: 'default', status: null }]);
  });

  it('leaves due what no call is left for', async () => {
    const test = await delivered(['a@example.com', 'b@example.com', 'c@example.com'], (query) =>
      listPage(query.has('email') ? [is(query.get('email') ?? '', 'active')] : []),
    );
    test.lane.calls.begin(2, () => undefined);
    await test.look();
    expect((await test.statuses()).map(({ status }) => status)).toEqual(['active', 'validating', 'validating']);
    expect(await test.store.openStatuses(['default'], test.clock.now, 9)).toHaveLength(2);
  });
});

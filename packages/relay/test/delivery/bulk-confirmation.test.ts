/** The confirmation of bulk creations: which subscriptions a scan reads, and what becomes of the signups. */
import { describe, expect, it, vi } from 'vitest';
import { createBulkConfirmation } from '../../src/delivery/bulk-confirmation.ts';
import { type SignupStore, type StoredSignup } from '../../src/index.ts';
import { newSignup } from '../new-signup.ts';
import { publicationId } from '../running-relay.ts';
import { deliveryParts, listed, listPage, refusal, startAt, type DeliveryParts } from './parts.ts';

const lookAfterMs = 30_000;
const batchId = '018f0000-0000-7000-8000-000000000001';

function parts(pages: readonly (() => Response)[] = [], change: Partial<SignupStore> = {}) {
  const left = [...pages];
  const all = deliveryParts(() => Promise.resolve((left.shift() ?? (() => listPage([])))()), change);
  const confirmation = createBulkConfirmation(all.lane, lookAfterMs);
  return { ...all, confirmation, left };
}

/** Stores signups and sends them as one batch, now. */
async function sendBatch(
  { store, clock }: DeliveryParts,
  emails: readonly string[],
  { id = batchId, isAnswered = true, sendingMs = 0 } = {},
): Promise<void> {
  for (const email of emails) await store.accept(newSignup(email, { receivedAt: clock.now }));
  await store.claim({ forms: ['default'], limit: 10, now: clock.now, batch: { id, publicationId } });
  clock.now += sendingMs;
  if (isAnswered) await store.batchSent(id, clock.now);
}

/** Emails of the stored signups, by state. */
async function states({ store }: DeliveryParts): Promise<Record<string, string[]>> {
  const signups = await store.list({}, { limit: 100 });
  const groups = Object.groupBy(signups, ({ state }) => state) as Record<string, StoredSignup[]>;
  return Object.fromEntries(
    Object.entries(groups).map(([state, found]) => [
      state,
      found.map(({ submission }) => submission?.email ?? '').toSorted(),
    ]),
  );
}

async function storedScan({ store, clock }: DeliveryParts) {
  return (await store.leaseScan(publicationId, clock.now, clock.now))?.scan;
}

const queries = ({ requests }: DeliveryParts): (string | null)[][] =>
  requests.map(({ url }) => {
    const { searchParams } = new URL(url);
    return ['order_by', 'direction', 'limit', 'cursor'].map((name) => searchParams.get(name));
  });

describe('before the first batch', () => {
  it('stores the newest subscription, at which the scan ends', async () => {
    const test = parts([() => listPage([listed('old@example.com', -100)], 'c2')]);
    await test.confirmation.begin();
    expect(queries(test)).toEqual([['created', 'desc', '1', null]]);
    expect(await storedScan(test)).toEqual({
      until: startAt / 1000 - 100,
      newest: null,
      cursor: null,
      startedAt: null,
    });
  });

  it('stores the beginning of time for a publication without subscriptions', async () => {
    const test = parts();
    await test.confirmation.begin();
    expect(await storedScan(test)).toMatchObject({ until: 0 });
  });

  it('reads the newest subscription in the background, and ends with the relay', async () => {
    const test = parts();
    const list = vi.spyOn(test.lane.client.subscriptions, 'list');
    await test.confirmation.begin();
    expect(list).toHaveBeenCalledExactlyOnceWith(expect.anything(), {
      signal: test.giveUp.signal,
      background: true,
      reader: 'relay',
    });
  });

  it('keeps the end of an earlier scan while batches are open', async () => {
    const test = parts([() => listPage([listed('old@example.com', -100)])]);
    await test.confirmation.begin();
    await sendBatch(test, ['ada@example.com']);
    await test.confirmation.begin();
    expect(test.requests).toHaveLength(1);
  });

  it('replaces the end of an earlier scan once no batch is open', async () => {
    const test = parts([
      () => listPage([listed('old@example.com', -100)]),
      () => listPage([listed('new@example.com', -50)]),
    ]);
    await test.confirmation.begin();
    await test.confirmation.begin();
    expect(await storedScan(test)).toMatchObject({ until: startAt / 1000 - 50 });
  });

  it('stores an end for open batches without one', async () => {
    const test = parts();
    await sendBatch(test, ['ada@example.com']);
    await test.confirmation.begin();
    expect(test.requests).toHaveLength(1);
  });

  it('leaves the scan to another relay that holds the lease', async () => {
    const leaseScan = vi.fn<SignupStore['leaseScan']>(() => Promise.resolve(null));
    const test = parts([], { leaseScan });
    await test.confirmation.begin();
    expect(test.requests).toEqual([]);
    expect(leaseScan).toHaveBeenCalledExactlyOnceWith(publicationId, startAt, startAt + 120_000);
  });
});

describe('a confirmation', () => {
  it('reads nothing without an open batch', async () => {
    const test = parts();
    expect(await test.confirmation.run(new Set())).toBeNull();
    expect(test.requests).toEqual([]);
  });

  it('does not wait for a batch that is being sent', async () => {
    const test = parts();
    await sendBatch(test, ['ada@example.com']);
    expect(await test.confirmation.run(new Set([batchId]))).toBeNull();
  });

  it('is due half a minute after the answer to the batch, also with the end of an earlier scan', async () => {
    const test = parts();
    await test.confirmation.begin();
    await sendBatch(test, ['ada@example.com'], { sendingMs: 5_000 });
    test.clock.now = startAt + lookAfterMs;
    expect(await test.confirmation.run(new Set())).toBe(startAt + 5_000 + lookAfterMs);
    expect(test.requests).toHaveLength(1);
  });

  it('is due half a minute after the earliest of several batches', async () => {
    const test = parts();
    await sendBatch(test, ['ada@example.com']);
    test.clock.now += 10_000;
    await sendBatch(test, ['bob@example.com'], { id: '018f0000-0000-7000-8000-000000000002' });
    expect(await test.confirmation.run(new Set())).toBe(startAt + lookAfterMs);
    test.clock.now = startAt + lookAfterMs;
    expect(await test.confirmation.run(new Set())).toBe(startAt + 10_000 + lookAfterMs);
  });

  it('runs again soon while another relay scans, not after the whole lease of that relay', async () => {
    const leaseScan = vi.fn<SignupStore['leaseScan']>(() => Promise.resolve(null));
    const test = parts([], { leaseScan });
    await sendBatch(test, ['ada@example.com']);
    test.clock.now += lookAfterMs;
    const { now } = test.clock;
    expect(await test.confirmation.run(new Set())).toBe(now + lookAfterMs);
    expect(test.requests).toEqual([]);
    expect(leaseScan).toHaveBeenCalledExactlyOnceWith(publicationId, now, now + 120_000);
  });

  it('marks the signups as delivered whose address is listed since the last scan', async () => {
    const test = parts([
      () => listPage([listed('old@example.com', -100)]),
      () => listPage([listed('other@example.com', 9), listed('ADA@example.com', 5)], 'c2'),
      () => listPage([listed('bob@example.com', 5), listed('old@example.com', -100), listed('eve@example.com', -101)]),
    ]);
    await test.confirmation.begin();
    await sendBatch(test, ['ada@example.com', 'bob@example.com', 'eve@example.com']);
    test.clock.now += lookAfterMs;
    expect(await test.confirmation.run(new Set())).not.toBeNull();
    expect(await states(test)).toEqual({
      delivered: ['ada@example.com', 'bob@example.com'],
      sent: ['eve@example.com'],
    });
    expect(queries(test).slice(1)).toEqual([
      ['created', 'desc', '100', null],
      ['created', 'desc', '100', 'c2'],
    ]);
    expect(test.events).toEqual([
      { type: 'delivered', form: 'default', waitedMs: lookAfterMs, status: 'active' },
      { type: 'delivered', form: 'default', waitedMs: lookAfterMs, status: 'active' },
    ]);
    expect(test.logged.join()).toContain('"confirmed":2,"missing":1');
    // The next scan ends where this one began.
    expect(await storedScan(test)).toEqual({ until: startAt / 1000 + 9, newest: null, cursor: null, startedAt: null });
  });

  it('ends with the page on which the last open signup is found', async () => {
    const test = parts([() => listPage([listed('ada@example.com', 5)], 'c2')]);
    await sendBatch(test, ['ada@example.com']);
    test.clock.now += lookAfterMs;
    expect(await test.confirmation.run(new Set())).toBeNull();
    expect(test.requests).toHaveLength(1);
    expect(await test.store.openBatches(publicationId)).toEqual([]);
    expect(test.logged.map((line) => JSON.parse(line) as unknown)).toMatchObject([
      { confirmed: 1, missing: 0, msg: 'read the list of subscriptions to confirm what was sent in bulk' },
    ]);
  });

  it('reads the list in the background and ends with the relay', async () => {
    const test = parts([() => listPage([listed('ada@example.com', 5)])]);
    const list = vi.spyOn(test.lane.client.subscriptions, 'list');
    await sendBatch(test, ['ada@example.com']);
    test.clock.now += lookAfterMs;
    await test.confirmation.run(new Set());
    expect(list).toHaveBeenCalledExactlyOnceWith(expect.anything(), {
      signal: test.giveUp.signal,
      background: true,
      reader: 'relay',
    });
  });

  it('ends five minutes before the oldest batch where no end is stored', async () => {
    const test = parts([
      () => listPage([listed('other@example.com', -299)], 'c2'),
      () => listPage([listed('other@example.com', -300)], 'c3'),
      () => listPage([listed('other@example.com', -301)], 'c4'),
    ]);
    await sendBatch(test, ['ada@example.com']);
    test.clock.now += 10_000;
    await sendBatch(test, ['bob@example.com'], { id: '018f0000-0000-7000-8000-000000000002' });
    test.clock.now += lookAfterMs;
    await test.confirmation.run(new Set());
    expect(queries(test).map(([, , , cursor]) => cursor)).toEqual([null, 'c2', 'c3']);
  });

  it('continues an interrupted scan at its page, without waiting', async () => {
    const test = parts([
      () => listPage([listed('ada@example.com', 5)], 'c2'),
      () => refusal(403),
      () => listPage([listed('bob@example.com', 4)]),
    ]);
    await sendBatch(test, ['ada@example.com', 'bob@example.com']);
    test.clock.now += lookAfterMs;
    const first = test.clock.now;
    await expect(test.confirmation.run(new Set())).rejects.toThrow('403');
    expect(await storedScan(test)).toMatchObject({ cursor: 'c2', newest: startAt / 1000 + 5, startedAt: first });
    test.clock.now -= lookAfterMs;
    expect(await test.confirmation.run(new Set())).toBeNull();
    expect(queries(test).at(-1)).toEqual(['created', 'desc', '100', 'c2']);
    expect(await states(test)).toEqual({ delivered: ['ada@example.com', 'bob@example.com'] });
    expect(await storedScan(test)).toMatchObject({ until: startAt / 1000 + 5 });
  });

  it.each([400, 404])('scans from the top again after its cursor was answered with %i', async (status) => {
    const test = parts([
      () => listPage([listed('ada@example.com', 5)], 'c2'),
      () => refusal(status),
      () => listPage([listed('newer@example.com', 8), listed('ada@example.com', 5), listed('bob@example.com', 4)]),
    ]);
    await sendBatch(test, ['ada@example.com', 'bob@example.com']);
    test.clock.now += lookAfterMs;
    expect(await test.confirmation.run(new Set())).toBeNull();
    expect(queries(test).map(([, , , cursor]) => cursor)).toEqual([null, 'c2', null]);
    expect(await storedScan(test)).toMatchObject({ until: startAt / 1000 + 8 });
  });

  it('fails where the first page is answered with 404', async () => {
    const test = parts([() => refusal(404)]);
    await sendBatch(test, ['ada@example.com']);
    test.clock.now += lookAfterMs;
    await expect(test.confirmation.run(new Set())).rejects.toThrow('404');
    expect(test.requests).toHaveLength(1);
  });

  it('releases the scan for other relays once it has ended', async () => {
    const releaseScan = vi.fn<SignupStore['releaseScan']>(() => Promise.resolve());
    const test = parts([() => listPage([listed('ada@example.com', 5)])], { releaseScan });
    await sendBatch(test, ['ada@example.com']);
    test.clock.now += lookAfterMs;
    await test.confirmation.run(new Set());
    expect(releaseScan).toHaveBeenCalledExactlyOnceWith(publicationId);
  });
});

describe('a signup that a scan does not find', () => {
  it('stays sent after the first scan, and waits to be sent alone after the scan a minute later', async () => {
    const test = parts();
    await sendBatch(test, ['ada@example.com']);
    test.clock.now += 2 * lookAfterMs - 1;
    await test.confirmation.run(new Set());
    expect(await states(test)).toEqual({ sent: ['ada@example.com'] });
    test.clock.now += 1;
    expect(await test.confirmation.run(new Set())).toBeNull();
    const [signup] = await test.store.list({}, { limit: 1 });
    expect(signup).toMatchObject({
      state: 'waiting',
      tried: true,
      nextAttemptAt: test.clock.now,
      reason: 'Sent in bulk; not among the newest subscriptions of the API.',
    });
    expect(test.logged.join()).toContain('"signups":1,"msg":"sent in bulk and not found; each goes alone now"');
  });

  it('is looked for again half a minute after the first scan, not without pause', async () => {
    const test = parts();
    await sendBatch(test, ['ada@example.com']);
    test.clock.now += lookAfterMs + 1;
    expect(await test.confirmation.run(new Set())).toBe(startAt + 2 * lookAfterMs);
    test.clock.now += 1;
    expect(await test.confirmation.run(new Set())).toBe(startAt + 2 * lookAfterMs);
    expect(test.requests).toHaveLength(1);
  });

  it('may be part of the next batch where its batch was interrupted', async () => {
    const test = parts();
    await sendBatch(test, ['ada@example.com'], { isAnswered: false });
    test.clock.now += 2 * lookAfterMs;
    await test.confirmation.run(new Set());
    expect(await test.store.backlog(['default'], 10)).toBe(1);
    const [signup] = await test.store.list({}, { limit: 1 });
    expect(signup).toMatchObject({ state: 'waiting', tried: true, reason: 'The bulk creation was interrupted.' });
    expect(test.logged.join()).toContain('the bulk creation was interrupted; sends it again');
  });

  it('waits to be sent alone after the clock was set back by more than half a minute', async () => {
    const test = parts();
    await sendBatch(test, ['ada@example.com']);
    test.clock.now -= lookAfterMs;
    expect(await test.confirmation.run(new Set())).toBe(startAt + lookAfterMs);
    expect(await states(test)).toEqual({ sent: ['ada@example.com'] });
    test.clock.now -= 1;
    expect(await test.confirmation.run(new Set())).toBeNull();
    expect(await states(test)).toEqual({ waiting: ['ada@example.com'] });
  });
});

/** When the confirmation of bulk creations runs again. */
import { pino } from 'pino';
import { expect, it, vi } from 'vitest';
import { createClient } from '@newsletter-kit/core';
import { BulkConfirmation } from '../../src/delivery/bulk-confirmation.ts';
import { StoreWriter } from '../../src/delivery/loop.ts';
import { StoreHealth } from '../../src/ops/health.ts';
import { noTracing } from '../../src/ops/tracing.ts';
import type { SignupStore } from '../../src/index.ts';
import { changedStore } from '../changed-store.ts';
import { runRelay } from '../running-relay.ts';

const publicationId = 'pub_00000000-0000-4000-8000-000000000001';
const now = Date.UTC(2026, 10, 23);
const lookAfterMs = 30_000;

function confirmation(changes: Partial<SignupStore>, list: () => Promise<Response>): BulkConfirmation {
  const store = changedStore(runRelay().store, changes);
  const log = pino({ level: 'silent' });
  const health = new StoreHealth({ store, log, onEvent: () => {}, now: () => now });
  const { signal } = new AbortController();
  return new BulkConfirmation({
    publicationId,
    store,
    client: createClient({ baseUrl: 'http://127.0.0.1:9/v2', token: 'a-key', fetch: list }),
    log,
    onEvent: () => {},
    tracing: noTracing,
    writer: new StoreWriter({ health, stopping: signal }),
    lookAfterMs,
    now: () => now,
    signal,
  });
}

const batch = { id: '018f0000-0000-7000-8000-000000000001', claimedAt: now, sentAt: now, open: 1 };

it('runs again soon while another relay scans, not after the whole lease of that relay', async () => {
  const bulkConfirmation = confirmation(
    { openBatches: () => Promise.resolve([batch]), leaseScan: () => Promise.resolve(null) },
    () => Promise.reject(new Error('There is nothing to list.')),
  );
  expect(await bulkConfirmation.run(new Set())).toBe(now + lookAfterMs);
});

it('releases the scan for other relays once it has ended', async () => {
  const releaseScan = vi.fn<SignupStore['releaseScan']>(() => Promise.resolve());
  const scan = { until: 0, newest: null, cursor: null, startedAt: now };
  const bulkConfirmation = confirmation(
    {
      openBatches: () => Promise.resolve([batch]),
      leaseScan: () => Promise.resolve({ scan }),
      confirm: () => Promise.resolve([]),
      releaseScan,
    },
    () => Promise.resolve(Response.json({ data: [], limit: 100, has_more: false, next_cursor: null })),
  );
  await bulkConfirmation.run(new Set());
  expect(releaseScan).toHaveBeenCalledExactlyOnceWith(publicationId);
});

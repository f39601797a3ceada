/** The state of a sync between runs, read from a store. */
import { readSyncState, startSync, SyncStateError } from '@newsletter-kit/core/sync';
import { describe, expect, it } from 'vitest';

describe('readSyncState', () => {
  it.each([undefined, null])('starts an empty state where %s is stored', (stored) => {
    expect(readSyncState(stored)).toEqual({
      version: 4,
      watermark: null,
      seenUntil: null,
      missing: [],
      erased: [],
      attempts: {},
      kept: [],
      updates: {},
      created: [],
      outage: 0,
      asked: [],
      contacts: null,
      seen: [],
      accepted: [],
      optOut: null,
      statuses: [],
      reported: [],
    });
  });

  it('reads its own state back from JSON', () => {
    const state = { ...startSync(), watermark: 7, seenUntil: 9, missing: ['a'], attempts: { b: 2 } };
    expect(readSyncState(JSON.parse(JSON.stringify(state)))).toEqual(state);
    expect(readSyncState(JSON.parse(JSON.stringify(startSync())))).toEqual(startSync());
  });

  it.each([
    {},
    [],
    'state',
    { ...startSync(), version: 1 },
    { ...startSync(), missing: [1] },
    { ...startSync(), erased: 'a' },
    { ...startSync(), reported: [null] },
    { ...startSync(), watermark: '7' },
    { ...startSync(), seenUntil: 1.5 },
    { ...startSync(), attempts: { a: 1, b: '1' } },
    { ...startSync(), attempts: [] },
    { ...startSync(), updates: { a: { runs: 1.5, tokens: [] } } },
    { ...startSync(), updates: { a: { runs: 1, tokens: [1] } } },
    { ...startSync(), contacts: 'many' },
    { ...startSync(), outage: null },
    { ...startSync(), created: ['a'] },
    { ...startSync(), asked: [7] },
  ])('rejects %j', (stored) => {
    expect(() => readSyncState(stored)).toThrow(SyncStateError);
    expect(() => readSyncState(stored)).toThrow('Remove it');
  });

  it('names the error after its class', () => {
    expect(new SyncStateError().name).toBe('SyncStateError');
  });
});

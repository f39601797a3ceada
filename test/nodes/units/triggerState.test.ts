/** Units of the trigger's state: where it is kept, when it is loaded from which copy, and when n8n must save it. */
import type { WatchState } from '@newsletter-kit/core/watch';
import type { IPollFunctions } from 'n8n-workflow';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import type { Settings } from '../../../nodes/Newsletter/trigger/settings.ts';
import { WatchStateStore } from '../../../nodes/Newsletter/trigger/state.ts';

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

describe('the stored state', () => {
  const settings = { chosen: 'subscriptionCreated', filter: {}, since: undefined } as unknown as Settings;
  let node: Record<string, unknown>;
  let workflow: Record<string, unknown>;
  beforeEach(() => {
    node = {};
    workflow = {};
  });

  function openStore(id = 'n1', budgetMs = 300_000): WatchStateStore {
    return new WatchStateStore({
      getNode: () => ({ id }),
      getWorkflowStaticData: (kind: string) => (kind === 'node' ? node : workflow),
      getPollBudgetMs: () => budgetMs,
    } as unknown as IPollFunctions);
  }
  const load = (changes: object = {}, id?: string) => openStore(id).load('pub_1', { ...settings, ...changes });

  /** Saves a state of this revision. */
  function save(revision: number, { reports = false, budgetMs = 300_000, id = 'n1' } = {}): void {
    const store = openStore(id, budgetMs);
    const loaded = store.load('pub_1', settings);
    store.save({ ...loaded.state, revision }, loaded, reports);
  }

  it('is new without any, and starts at the date of the settings', () => {
    expect(load()).toMatchObject({ from: 'new', state: { revision: 0 } });
    expect(load({ since: 1_000 }).state).not.toEqual(load({ since: 2_000 }).state);
  });

  it('is kept in the workflow under the ID of the node until a poll reports', () => {
    save(1);
    expect(load()).toMatchObject({ from: 'workflow', state: { revision: 1 } });
    expect(load({}, 'n2')).toMatchObject({ from: 'new' });
    expect(Object.keys(node)).toEqual(['newsletterSaved']);
    save(2);
    expect(load()).toMatchObject({ from: 'workflow', state: { revision: 2 } });
    save(3, { reports: true });
    expect(load()).toMatchObject({ from: 'node', state: { revision: 3 } });
    save(4);
    expect(load()).toMatchObject({ from: 'node', state: { revision: 4 } });
    expect(workflow).toEqual({});
  });

  it('stays in the workflow until the copy of the node was loaded, as n8n may be killed before', () => {
    save(1);
    save(2, { reports: true });
    node = {};
    expect(load()).toMatchObject({ from: 'workflow', state: { revision: 1 } });
    save(2, { reports: true });
    save(3, { reports: true });
    expect(workflow).toEqual({});
  });

  it('is kept in the node under the durable scheduler', () => {
    save(1, { budgetMs: 36_000 });
    expect(load()).toMatchObject({ from: 'node', state: { revision: 1 } });
  });

  it('is taken from the node before the workflow', () => {
    save(1);
    const [slot = ''] = Object.keys(workflow);
    node['newsletter'] = workflow[slot];
    save(2);
    workflow[slot] = '{}';
    expect(load()).toMatchObject({ from: 'node', state: { revision: 2 } });
  });

  it('is only deleted from the workflow where it is there, because n8n saves the workflow then', () => {
    const deleteProperty = vi.fn<() => boolean>(() => true);
    workflow = new Proxy({}, { deleteProperty });
    save(1, { reports: true });
    expect(load().from).toBe('node');
    save(2, { reports: true });
    expect(deleteProperty).not.toHaveBeenCalled();
  });

  it.each([
    ['publication', { publication: 'pub_2' }],
    ['event', { chosen: 'subscriptionUpdated' }],
    ['filter', { filter: { utm_source: ['pier'] } }],
    ['date', { since: 1_000 }],
  ])('is new with another %s', (what, changes) => {
    save(1);
    const loaded = openStore().load(what === 'publication' ? 'pub_2' : 'pub_1', { ...settings, ...changes });
    expect(loaded.from).toBe('new');
  });

  it('notes the time and the revision of a state that n8n saves', () => {
    vi.setSystemTime(1_000_000);
    save(1);
    expect(node['newsletterSaved']).toBe('{"at":1000000,"revision":1}');
    vi.setSystemTime(2_000_000);
    save(2);
    expect(node['newsletterSaved']).toBe('{"at":1000000,"revision":1}');
    save(3, { reports: true });
    expect(node['newsletterSaved']).toBe('{"at":2000000,"revision":3}');
    vi.setSystemTime(3_000_000);
    save(4, { budgetMs: 36_000 });
    expect(node['newsletterSaved']).toBe('{"at":2000000,"revision":3}');
    save(4);
    expect(node['newsletterSaved']).toBe('{"at":2000000,"revision":4}');
    delete node['newsletterSaved'];
    save(5);
    expect(node['newsletterSaved']).toBe('{"at":3000000,"revision":5}');
  });

  it.each([false, true])('detects another poll that saved first, in the node: %s', (reports) => {
    const slower = openStore();
    expect(slower.wasOvertaken()).toBe(false);
    save(1, { reports });
    expect(slower.wasOvertaken()).toBe(true);
    expect(openStore().wasOvertaken()).toBe(false);
  });
});

describe('whether the state must be saved without a report', () => {
  const minutes = (count: number): number => count * 60_000;
  const seen = { seen: 1 };

  /** A state with the parts that the decision depends on. */
  function stateOf({ pass = 1, reached = null as string | null, created = seen, revision = 7, scan = true } = {}) {
    return { scan: scan ? { pass, reached } : null, created, revision } as unknown as WatchState;
  }

  interface Poll {
    readonly before?: WatchState;
    readonly after?: WatchState;
    readonly from?: 'node' | 'workflow' | 'new';
    readonly type?: 'created' | 'became_active' | 'status_changed' | 'updated';
    readonly reads?: 'newest' | 'all';
    readonly scheduled?: boolean;
    /** Minutes since the state was saved, and the saved revision. */
    readonly saved?: readonly [minutes: number, revision: number] | string | null;
  }

  function mustSave({ before, after, from = 'node', type = 'became_active', reads = 'all', ...poll }: Poll): boolean {
    const { scheduled = false, saved = [0, 7] } = poll;
    const text = Array.isArray(saved)
      ? JSON.stringify({ at: Date.now() - minutes(saved[0]), revision: saved[1] })
      : saved;
    const node = text === null ? {} : { newsletterSaved: text };
    const context = {
      getNode: () => ({ id: '1' }),
      getWorkflowStaticData: (kind: string) => (kind === 'node' ? node : {}),
      getPollBudgetMs: () => (scheduled ? 36_000 : 300_000),
    } as unknown as IPollFunctions;
    const state = before ?? stateOf();
    const event = { name: '', action: '', description: '', type, reads };
    return new WatchStateStore(context).mustSave({ state, from }, after ?? stateOf(), event);
  }

  const midway = stateOf({ reached: 'sub_1' });
  const unchanged = stateOf();
  const cases: readonly (readonly [what: string, poll: Poll, needed: boolean])[] = [
    ['an unchanged state', { before: unchanged, after: unchanged, from: 'new', scheduled: true }, false],
    ['an activation', { from: 'new', before: stateOf({ scan: false }) }, false],
    ['an activation by the durable scheduler', { from: 'new', scheduled: true }, true],
    ['an event that reads the newest subscriptions', { reads: 'newest', before: stateOf({ pass: 0 }) }, false],
    ['a state without a scan', { after: stateOf({ scan: false }), before: stateOf({ pass: 0 }) }, false],
    ['the start of the first scan', { before: stateOf({ scan: false }) }, true],
    ['the first scan', { before: stateOf({ pass: 0 }) }, true],
    ['a later scan', { before: stateOf({ pass: 1 }) }, false],
    [
      'a new subscription, for status changes',
      { type: 'status_changed', after: stateOf({ created: { seen: 2 } }) },
      true,
    ],
    ['a new subscription, for updates', { type: 'updated', after: stateOf({ created: { seen: 2 } }) }, true],
    ['a new subscription, for activations', { after: stateOf({ created: { seen: 2 } }) }, false],
    ['no new subscription', { type: 'status_changed' }, false],
    ['a position after six hours', { after: midway, saved: [360, 7] }, true],
    ['a position just before six hours', { after: midway, saved: [359.9, 7] }, false],
    ['the end of a scan after six hours', { before: midway, saved: [360, 7] }, true],
    ['no position after six hours', { saved: [360, 7] }, false],
    ['a scheduled position after ten minutes', { after: midway, scheduled: true, saved: [10, 7] }, true],
    ['a scheduled position just before ten minutes', { after: midway, scheduled: true, saved: [9.9, 7] }, false],
    ['a scheduled position with durable cursors', { after: midway, scheduled: true, saved: [10, 6] }, false],
    [
      'a scheduled position after an activation',
      { after: midway, scheduled: true, saved: [10, 6], from: 'workflow' },
      true,
    ],
    ['a position without anything saved', { after: midway, saved: null }, false],
    ['a position without a time of saving', { after: midway, saved: '{}' }, false],
    ['a position with a damaged time of saving', { after: midway, saved: '{"at":0,"revision":"7"}' }, false],
    ['a position with a damaged revision', { after: midway, saved: '{"at":"0","revision":7}' }, false],
  ];
  it.each(cases.map(([what, given, needed]) => ({ what, given, needed })))('$what: $needed', ({ given, needed }) => {
    expect(mustSave(given)).toBe(needed);
  });
});

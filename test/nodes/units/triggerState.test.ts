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

  function openStore(id = 'n1'): WatchStateStore {
    return new WatchStateStore({
      getNode: () => ({ id }),
      getWorkflow: () => ({ id: 'w1' }),
      getActivationMode: () => 'activate',
      getWorkflowStaticData: (kind: string) => (kind === 'node' ? node : workflow),
    } as unknown as IPollFunctions);
  }
  const load = (changes: object = {}, id?: string) => openStore(id).load('pub_1', { ...settings, ...changes });

  /** Saves a state of this revision. */
  function save(revision: number, { reports = false, id = 'n1' } = {}): void {
    const store = openStore(id);
    const loaded = store.load('pub_1', settings);
    store.save({ ...loaded.state, revision }, loaded, reports);
  }

  it('is new without any, and starts at the date of the settings', () => {
    expect(load()).toMatchObject({ from: 'new', state: { revision: 0 } });
    expect(load({ since: 1_000 }).state).not.toEqual(load({ since: 2_000 }).state);
  });

  it('is kept in the workflow under the ID of the node, and in the node after the next poll', () => {
    save(1);
    expect(load()).toMatchObject({ from: 'workflow', state: { revision: 1 } });
    expect(load({}, 'n2')).toMatchObject({ from: 'new' });
    expect(Object.keys(node)).toEqual(['newsletterSaved']);
    save(2);
    expect(load()).toMatchObject({ from: 'node', state: { revision: 2 } });
    save(3);
    expect(load()).toMatchObject({ from: 'node', state: { revision: 3 } });
    expect(workflow).toEqual({});
  });

  it('is new, and kept in the node alone, where the first poll reports', () => {
    save(1, { reports: true });
    expect(load()).toMatchObject({ from: 'node', state: { revision: 1 } });
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

  it('is taken from the node before the workflow', () => {
    save(1);
    const [slot = ''] = Object.keys(workflow);
    node['newsletter'] = workflow[slot];
    save(2);
    workflow[slot] = '{}';
    expect(load()).toMatchObject({ from: 'node', state: { revision: 2 } });
  });

  it.each([
    [undefined, '["pub_1","subscriptionCreated",{"status":["active"]}]'],
    [1_000, '["pub_1","subscriptionCreated",{"status":["active"]},1000]'],
  ])('is found by a scope that every version of the package writes alike, with the date %j', (since, scope) => {
    const created = { version: 1, seen: null, walk: null };
    node['newsletter'] = JSON.stringify({ version: 2, scope, revision: 3, created, scan: null });
    expect(load({ since, filter: { status: ['active'] } })).toMatchObject({ from: 'node', state: { revision: 3 } });
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

  it('is stored with the time at which n8n saves it', () => {
    vi.setSystemTime(1_000_000);
    save(1);
    expect(node['newsletterSaved']).toBe(1_000_000);
    vi.setSystemTime(2_000_000);
    save(2);
    expect(node['newsletterSaved']).toBe(1_000_000);
    save(3, { reports: true });
    expect(node['newsletterSaved']).toBe(2_000_000);
    delete node['newsletterSaved'];
    vi.setSystemTime(3_000_000);
    save(4);
    expect(node['newsletterSaved']).toBe(3_000_000);
    // Another publication begins anew.
    vi.setSystemTime(4_000_000);
    const other = openStore();
    other.save({ ...other.load('pub_2', settings).state, revision: 1 }, other.load('pub_2', settings), false);
    expect(node['newsletterSaved']).toBe(4_000_000);
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
    readonly activation?: 'activate' | 'update';
    /** The revision after the last poll; a higher one than that of the state was not saved by n8n. */
    readonly last?: number;
    /** Workflow and node of another trigger, whose last poll had revision 9. */
    readonly other?: [workflow: string, id: string];
    /** Minutes since the state was saved. */
    readonly saved?: number | string | null;
  }

  function mustSave({ before, after, from = 'node', type = 'became_active', reads = 'all', ...poll }: Poll): boolean {
    const { activation = 'activate', last = 7, saved = 0, other } = poll;
    const open = (node: object, [workflow, id] = ['w1', '1']) =>
      new WatchStateStore({
        getNode: () => ({ id }),
        getWorkflow: () => ({ id: workflow }),
        getActivationMode: () => activation,
        getWorkflowStaticData: (kind: string) => (kind === 'node' ? node : {}),
      } as unknown as IPollFunctions);
    const state = before ?? stateOf();
    open({}).save(stateOf({ revision: last }), { state, from }, false);
    if (other) open({}, other).save(stateOf({ revision: 9 }), { state, from }, false);
    const savedAt = typeof saved === 'number' ? Date.now() - minutes(saved) : saved;
    const event = { name: '', action: '', description: '', type, reads };
    return open({ newsletterSaved: savedAt }).mustSave({ state, from }, after ?? stateOf(), event);
  }

  const midway = stateOf({ reached: 'sub_1' });
  const unchanged = stateOf();
  const cases: readonly (readonly [what: string, poll: Poll, needed: boolean])[] = [
    ['an unchanged state', { before: unchanged, after: unchanged, from: 'new', activation: 'update' }, false],
    ['an activation', { from: 'new', before: stateOf({ scan: false }) }, false],
    ['a changed node, or the durable scheduler', { from: 'new', activation: 'update' }, true],
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
    ['a position after six hours', { after: midway, saved: 360 }, true],
    ['a position just before six hours', { after: midway, saved: 359.9 }, false],
    ['the end of a scan after six hours', { before: midway, saved: 360 }, true],
    ['no position after six hours', { saved: 360 }, false],
    ['a forgotten position after ten minutes', { after: midway, last: 8, saved: 10 }, true],
    ['a forgotten position just before ten minutes', { after: midway, last: 8, saved: 9.9 }, false],
    ['a remembered position after ten minutes', { after: midway, last: 7, saved: 10 }, false],
    ['a position beside another node', { after: midway, saved: 10, other: ['w1', '2'] }, false],
    ['a position beside another workflow', { after: midway, saved: 10, other: ['w2', '1'] }, false],
    ['a position without anything saved', { after: midway, saved: null }, false],
    ['a position with a damaged time of saving', { after: midway, saved: '0' }, false],
  ];
  it.each(cases.map(([what, given, needed]) => ({ what, given, needed })))('$what: $needed', ({ given, needed }) => {
    expect(mustSave(given)).toBe(needed);
  });
});

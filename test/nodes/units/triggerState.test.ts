/** Units of the trigger's state: where it is kept, when it is loaded from which copy, and when n8n must save it. */
import type { WatchState } from '@newsletter-kit/core/watch';
import type { IPollFunctions } from 'n8n-workflow';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import type { EventName } from '../../../nodes/Newsletter/trigger/events.ts';
import type { Settings } from '../../../nodes/Newsletter/trigger/settings.ts';
import { WatchStateStore } from '../../../nodes/Newsletter/trigger/state.ts';

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

describe('the stored state', () => {
  const settings = { events: ['subscriptionCreated'], scans: false, since: undefined } as unknown as Settings;
  let node: Record<string, unknown>;
  let workflow: Record<string, unknown>;
  /** The memory of a process belongs to a workflow; another one is a process that has started anew. */
  let workflowId = '';
  const restart = () => void (workflowId = crypto.randomUUID());
  beforeEach(() => {
    restart();
    node = {};
    workflow = {};
  });

  const named = { id: 'n1', name: 'Trigger' };
  function openStore(identity = named, activation = 'update'): WatchStateStore {
    return new WatchStateStore({
      getNode: () => identity,
      getWorkflow: () => ({ id: workflowId }),
      getActivationMode: () => activation,
      getWorkflowStaticData: (kind: string) => (kind === 'node' ? node : workflow),
    } as unknown as IPollFunctions);
  }
  const load = (changes: object = {}, identity = named) =>
    openStore(identity).load('pub_1', { ...settings, ...changes });
  const revision = (identity = named) => load({}, identity).state.revision;

  /** Saves a state of this revision. */
  function save(saved: number, { reports = false, identity = named, since = undefined as number | undefined } = {}) {
    const store = openStore(identity);
    const loaded = store.load('pub_1', { ...settings, since });
    store.save({ ...loaded.state, revision: saved }, loaded, { ...settings, since }, reports);
  }

  it('is new without any, and starts at the date of the settings', () => {
    expect(load()).toMatchObject({ stored: null, state: { revision: 0, scope: 'pub_1' } });
    expect(load({ since: 1_000 }).state.created.seen).toEqual({ created: 1_000, ids: [] });
  });

  it('is kept as one text under the ID of the node, and in the node where n8n may save that alone', () => {
    save(1);
    expect(Object.keys(node)).toEqual(['newsletter']);
    expect(workflow).toEqual({ 'newsletter:n1': node['newsletter'] });
    const store = openStore(named, 'init');
    const loaded = store.load('pub_1', settings);
    expect(loaded.state.revision).toBe(1);
    store.save({ ...loaded.state, revision: 2 }, loaded, settings, true);
    expect(node['newsletter']).toBe(workflow['newsletter:n1']);
    expect(revision()).toBe(2);
  });

  it.each([
    { what: 'of the node, where the workflow has none', node: 5, expected: 5 },
    { what: 'of the workflow, where the node has none', workflow: { revision: 5 }, expected: 5 },
    { what: 'of the node after a crash between both', node: 4, workflow: { revision: 5 }, expected: 4 },
    { what: 'of the node with durable cursors', node: 9, workflow: { revision: 5 }, expected: 9 },
    {
      what: 'of the workflow where the node had another name meanwhile',
      node: 4,
      workflow: { revision: 5, name: 'Readers' },
      expected: 5,
    },
    {
      what: 'of the node with durable cursors after a rename',
      node: 9,
      workflow: { revision: 5, name: 'Readers' },
      expected: 9,
    },
    {
      what: 'of the workflow where the node belonged to another one of this name',
      node: 9,
      nodeId: 'n0',
      workflow: { revision: 5 },
      expected: 5,
    },
    { what: 'of another node of this name, where this one has none', node: 9, nodeId: 'n0', expected: 9 },
  ])('is the copy $what', ({ node: own, nodeId = 'n1', workflow: shared, expected }) => {
    const text = (saved: number, identity: typeof named): unknown => {
      [node, workflow] = [{}, {}];
      save(saved, { identity });
      return node['newsletter'];
    };
    const kept = own === undefined ? {} : { newsletter: text(own, { ...named, id: nodeId }) };
    const other =
      shared === undefined
        ? {}
        : { 'newsletter:n1': text(shared.revision, { ...named, ...('name' in shared && { name: shared.name }) }) };
    [node, workflow] = [kept, other];
    restart();
    expect(revision()).toBe(expected);
  });

  it('is that of the node which this one has replaced under its name, and of no other', () => {
    save(1);
    node = {};
    workflow['newsletter:n3'] = '{"name":';
    expect(revision({ id: 'n2', name: 'Trigger' })).toBe(1);
    restart();
    expect(load({}, { id: 'n2', name: 'Trigger1' }).stored).toBeNull();
  });

  it('begins at another date of the settings again, and only once', () => {
    save(1);
    const seen = (since: number) => load({ since }).state.created.seen?.created;
    expect(seen(1_000)).toBe(1_000);
    const before = openStore().load('pub_1', { ...settings, since: 1_000 });
    const created = { ...before.state.created, seen: { created: 5_000, ids: [] } };
    openStore().save({ ...before.state, created, revision: 2 }, before, { ...settings, since: 1_000 }, true);
    expect(seen(1_000)).toBe(5_000);
    // Also after a time without the setting.
    save(3);
    expect(seen(1_000)).toBe(5_000);
    expect(seen(2_000)).toBe(2_000);
  });

  it('is stored with the time at which n8n saves it', () => {
    const savedAt = () => load().stored?.savedAt;
    vi.setSystemTime(1_000_000);
    save(1);
    expect(savedAt()).toBe(1_000_000);
    restart();
    vi.setSystemTime(2_000_000);
    save(2);
    expect(savedAt()).toBe(1_000_000);
    save(3, { reports: true });
    expect(savedAt()).toBe(2_000_000);
  });

  it.each([
    { what: 'went on from the same state meanwhile', overtaken: true },
    { what: 'saved that state unchanged', saved: 0, overtaken: false },
    { what: 'watched another publication', publication: 'pub_2', overtaken: false },
    { what: 'went on and was saved before', later: 0, overtaken: false },
    { what: 'has reported within 45 seconds', later: 44_999, reports: true, overtaken: true },
    { what: 'has reported what n8n dropped', later: 45_000, reports: true, overtaken: false },
  ])('is overtaken where another poll $what: $overtaken', ({ overtaken, saved = 1, later, ...given }) => {
    const meanwhile = openStore();
    const loaded = meanwhile.load(given.publication ?? 'pub_1', settings);
    vi.advanceTimersByTime(1);
    save(saved, given);
    vi.advanceTimersByTime(later ?? 0);
    expect((later === undefined ? meanwhile : openStore()).wasOvertaken(loaded)).toBe(overtaken);
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
    readonly isNew?: boolean;
    readonly events?: readonly EventName[];
    readonly activation?: 'activate' | 'update';
    /** The revision after the last poll; a higher one than that of the state was not saved by n8n. */
    readonly last?: number;
    /** Workflow and node of another trigger, whose last poll had revision 9. */
    readonly other?: [workflow: string, id: string];
    /** Minutes since the state was saved. */
    readonly saved?: number;
    /** Whether the process knew a later state than the stored one. */
    readonly isRecovered?: boolean;
  }

  function mustSave({ before, after, isNew = false, events = ['subscriptionBecameActive'], ...poll }: Poll): boolean {
    const { activation = 'activate', last = 7, saved = 0, other, isRecovered = false } = poll;
    const open = ([workflow, id] = ['w1', '1']) =>
      new WatchStateStore({
        getNode: () => ({ id, name: 'Trigger' }),
        getWorkflow: () => ({ id: workflow }),
        getActivationMode: () => activation,
        getWorkflowStaticData: () => ({}),
      } as unknown as IPollFunctions);
    const state = before ?? stateOf();
    const stored = isNew ? null : { state, id: '1', name: 'Trigger', savedAt: Date.now() - minutes(saved) };
    const settings = { events, scans: events[0] !== 'subscriptionCreated' || events.length > 1 } as unknown as Settings;
    const loaded = { state, stored, isRecovered };
    open().save(stateOf({ revision: last }), loaded, settings, false);
    if (other) open(other).save(stateOf({ revision: 9 }), loaded, settings, false);
    return open().mustSave(loaded, after ?? stateOf(), settings);
  }

  const midway = stateOf({ reached: 'sub_1' });
  const unchanged = stateOf();
  const cases: readonly (readonly [what: string, poll: Poll, needed: boolean])[] = [
    ['a state that n8n had lost', { before: unchanged, after: unchanged, isRecovered: true }, true],
    ['an unchanged state', { before: unchanged, after: unchanged, isNew: true, activation: 'update' }, false],
    ['an activation', { isNew: true, before: stateOf({ scan: false }) }, false],
    ['a changed node, or the durable scheduler', { isNew: true, activation: 'update' }, true],
    [
      'an event that reads the newest subscriptions',
      { events: ['subscriptionCreated'], before: stateOf({ pass: 0 }) },
      false,
    ],
    ['a state without a scan', { after: stateOf({ scan: false }), before: stateOf({ pass: 0 }) }, false],
    ['the start of the first scan', { before: stateOf({ scan: false }) }, true],
    ['the first scan', { before: stateOf({ pass: 0 }) }, true],
    ['a later scan', { before: stateOf({ pass: 1 }) }, false],
    [
      'a new subscription, for status changes',
      { events: ['subscriptionStatusChanged'], after: stateOf({ created: { seen: 2 } }) },
      true,
    ],
    [
      'a new subscription, for updates',
      { events: ['subscriptionCreated', 'subscriptionUpdated'], after: stateOf({ created: { seen: 2 } }) },
      true,
    ],
    ['a new subscription, for activations', { after: stateOf({ created: { seen: 2 } }) }, false],
    ['no new subscription', { events: ['subscriptionStatusChanged'] }, false],
    ['a position after six hours', { after: midway, saved: 360 }, true],
    ['a position just before six hours', { after: midway, saved: 359.9 }, false],
    ['the end of a scan after six hours', { before: midway, saved: 360 }, true],
    ['no position after six hours', { saved: 360 }, false],
    ['a forgotten position after ten minutes', { after: midway, last: 8, saved: 10 }, true],
    ['a forgotten position just before ten minutes', { after: midway, last: 8, saved: 9.9 }, false],
    ['a remembered position after ten minutes', { after: midway, last: 7, saved: 10 }, false],
    ['a position beside another trigger', { after: midway, saved: 10, other: ['w1', '2'] }, false],
  ];
  it.each(cases.map(([what, given, needed]) => ({ what, given, needed })))('$what: $needed', ({ given, needed }) => {
    expect(mustSave(given)).toBe(needed);
  });
});

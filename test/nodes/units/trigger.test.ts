/** Units of the trigger: the time limit of a poll, the size check of the list, and the conversion of dates. */
import { createClient } from '@newsletter-kit/core';
import { CapacityError, type WatchState } from '@newsletter-kit/core/watch';
import { createSandbox, publicationId } from '@newsletter-kit/sandbox';
import type { IPollFunctions } from 'n8n-workflow';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { events, eventsWhere, matches, toFilter, toItem } from '../../../nodes/Newsletter/trigger/events.ts';
import { checkSize, timeBudget, usesDurableScheduler } from '../../../nodes/Newsletter/trigger/limits.ts';
import { toTriggerFailure } from '../../../nodes/Newsletter/trigger/poll.ts';
import { readSettings, type Settings, toUnixSeconds } from '../../../nodes/Newsletter/trigger/settings.ts';
import { WatchStateStore } from '../../../nodes/Newsletter/trigger/state.ts';

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

it.each([
  { what: 'n8n', context: { getPollBudgetMs: () => 300_000 }, whole: 45_000 },
  { what: 'the durable scheduler of n8n', context: { getPollBudgetMs: () => 36_000 }, whole: 24_000 },
  { what: 'an older n8n, which reports no budget', context: {}, whole: 45_000 },
])('ends a poll before the next one starts, and before $what abandons it', ({ context, whole }) => {
  const time = timeBudget(context);
  vi.advanceTimersByTime(whole - 1);
  expect(time.hasTime()).toBe(true);
  vi.advanceTimersByTime(1);
  expect(time.hasTime()).toBe(false);
  // A request that starts at the last moment ends within the budget.
  expect(whole + time.requestMs).toBeLessThanOrEqual(context.getPollBudgetMs?.() ?? Number.POSITIVE_INFINITY);
});

it('allows the activation more time within the 84 seconds of n8n, except under the durable scheduler', () => {
  const time = timeBudget({ getPollBudgetMs: () => 300_000 }, true);
  vi.advanceTimersByTime(49_999);
  expect(time.hasTime()).toBe(true);
  expect(50_000 + time.requestMs).toBeLessThan(84_000);
  const scheduled = timeBudget({ getPollBudgetMs: () => 36_000 }, true);
  vi.advanceTimersByTime(24_000);
  expect(scheduled.hasTime()).toBe(false);
});

it.each([
  { budget: 300_000, first: false, requestMs: 22_500 },
  { budget: 300_000, first: true, requestMs: 22_500 },
  { budget: 36_000, first: false, requestMs: 12_000 },
])('limits a request to $requestMs ms with a budget of $budget ms', ({ budget, first, requestMs }) => {
  expect(timeBudget({ getPollBudgetMs: () => budget }, first).requestMs).toBe(requestMs);
});

it('recognizes the durable scheduler by a budget below five minutes', () => {
  expect(usesDurableScheduler({ getPollBudgetMs: () => 299_999 })).toBe(true);
  expect(usesDurableScheduler({ getPollBudgetMs: () => 300_000 })).toBe(false);
  expect(usesDurableScheduler({})).toBe(false);
});

/** A sandbox and the engine of a client of it. */
function openSandbox() {
  const sandbox = createSandbox({ seed: 'demo', seedSize: 20 });
  const { engine } = createClient({
    baseUrl: 'http://sandbox.test/v2',
    token: 'sandbox-key',
    publicationId,
    fetch: sandbox.fetch,
  });
  return { sandbox, engine };
}

it('reads the size of the list with one request, and rejects too many subscriptions with a remedy', async () => {
  const { sandbox, engine } = openSandbox();
  try {
    const refusal: unknown = await checkSize(engine, { reads: 'all' }, 10).catch((error: unknown) => error);
    expect(sandbox.requests()).toHaveLength(1);
    const node = {
      id: '1',
      name: 'Trigger',
      type: 'trigger',
      typeVersion: 1,
      position: [0, 0] as [number, number],
      parameters: {},
    };
    expect(toTriggerFailure(node, refusal)).toMatchObject({
      message: expect.stringMatching(/^This event can watch 10 subscriptions at most, and there are \d+$/),
      description: expect.stringMatching(/"New Subscriber".*"Subscriber Unsubscribed".*newsletter watch/),
      failure: { cause: 'configuration-invalid' },
    });
    await expect(checkSize(engine, { reads: 'all' }, 1_000)).resolves.toBeUndefined();
    await expect(checkSize(engine, { reads: 'newest' }, 1)).resolves.toBeUndefined();
    expect(sandbox.requests()).toHaveLength(2);
    await checkSize(engine, { reads: 'inactive' });
    expect(sandbox.requests().map(({ query }) => [query['status'], query['page'], query['limit']])).toEqual([
      [undefined, '1', '1'],
      [undefined, '1', '1'],
      ['inactive', '1', '1'],
    ]);
  } finally {
    sandbox.close();
  }
});

it('rejects too many subscriptions also where their number is unknown', () => {
  const node = { id: '1', name: 'Trigger', type: 'trigger', typeVersion: 1, parameters: {} };
  expect(toTriggerFailure({ ...node, position: [0, 0] }, new CapacityError(10))).toHaveProperty(
    'message',
    'This event can watch 10 subscriptions at most, and there are more',
  );
});

const seconds = (moment: string): number => Date.parse(moment) / 1000;

it('accepts a list whose size the service does not report, and no other failure', async () => {
  const { sandbox, engine } = openSandbox();
  try {
    const { totalResults: size } = await engine.list('subscriptions.list', { page: 1, limit: 1 });
    if (size === null) throw new Error('The sandbox reports the size.');
    await expect(checkSize(engine, { reads: 'all' }, size)).resolves.toBeUndefined();
    await expect(checkSize(engine, { reads: 'all' }, size - 1)).rejects.toMatchObject({ size });
    sandbox.faults.add({ match: 'subscriptions.list', effect: { status: 400 } });
    await expect(checkSize(engine, { reads: 'all' }, 1)).resolves.toBeUndefined();
    sandbox.faults.clear();
    sandbox.faults.add({ match: 'subscriptions.list', effect: { status: 401 } });
    await expect(checkSize(engine, { reads: 'all' }, 1)).rejects.toMatchObject({ status: 401 });
  } finally {
    sandbox.close();
  }
});

describe('a filter', () => {
  it('has the fields with values, sorted, in lower case', () => {
    const filter = toFilter({ utm_source: [' Harbour', 'PIER '], status: ['active'], tier: [], utm_channel: 'api' });
    expect(JSON.stringify(filter)).toBe('{"status":["active"],"utm_source":["harbour","pier"]}');
    expect(Object.keys(toFilter({ status: ['active'], utm_channel: ['api'], utm_source: ['pier'] }))).toEqual([
      'status',
      'utm_channel',
      'utm_source',
    ]);
  });

  it.each([
    [{}, { status: 'active' }, true],
    [{ utm_source: ['harbour'] }, { utm_source: ' Harbour ' }, true],
    [{ utm_source: ['harbour'] }, { utm_source: 'harbours' }, false],
    [{ utm_source: ['harbour'] }, {}, false],
    [{ utm_source: [''] }, { utm_source: null }, true],
    [{ status: ['active'], utm_source: ['harbour'] }, { status: 'active', utm_source: 'pier' }, false],
    [{}, null, false],
    [{}, ['active'], false],
  ])('%j matches %j: %j', (filter, subscription, expected) => {
    expect(matches(filter, subscription)).toBe(expected);
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

describe('the settings', () => {
  function read(parameters: Readonly<Record<string, unknown>>, zone = 'UTC'): Settings {
    return readSettings({
      getNode: () => ({ id: '1', name: 'Trigger', type: 'trigger', typeVersion: 1, position: [0, 0], parameters }),
      getNodeParameter: (name: string, fallback?: unknown) => parameters[name] ?? fallback,
      getTimezone: () => zone,
    } as unknown as IPollFunctions);
  }

  it('have defaults', () => {
    expect(read({ event: 'subscriptionCreated' })).toMatchObject({
      chosen: 'subscriptionCreated',
      event: { type: 'created' },
      publication: '',
      filter: {},
      form: { output: 'simplified' },
      pages: 20,
      since: undefined,
      expand: ['custom_fields'],
      changes: [],
      customFields: 'none',
    });
  });

  it('have the values of the parameters', () => {
    const options = { pages: 2.9, since: '2026-11-21', expand: ['stats', 'tags'] };
    const parameters = { event: 'subscriptionCreated', publicationId: 'pub_2', output: 'raw', options };
    expect(read({ ...parameters, filters: { status: ['active'] } }, 'Europe/Berlin')).toMatchObject({
      publication: 'pub_2',
      filter: { status: ['active'] },
      form: { output: 'raw' },
      pages: 2,
      since: Date.UTC(2026, 10, 20, 23) / 1000,
      expand: ['stats', 'tags'],
    });
  });

  it.each([
    [{ expand: [] }, { expand: [] }],
    [{ expand: null }, { expand: ['custom_fields'] }],
    [{ since: '' }, { since: undefined }],
    [{ since: null }, { since: undefined }],
    ['', { pages: 20, expand: ['custom_fields'] }],
  ])('read the options %j as %j', (options, expected) => {
    expect(read({ event: 'subscriptionCreated', options })).toMatchObject(expected);
  });

  it('ignore options and filters that are hidden for the event', () => {
    const hidden = { options: { since: 'yesterday' }, filters: { status: ['active'], subscription_tier: ['free'] } };
    expect(read({ event: 'subscriptionUnsubscribed', ...hidden })).toMatchObject({
      since: undefined,
      filter: { subscription_tier: ['free'] },
    });
    expect(() => read({ event: 'subscriptionCreated', options: { since: 'yesterday' } })).toThrow(
      '"Created Since" must be a date such as 2026-11-20 or 2026-11-20T09:30:00',
    );
  });

  it.each([
    [{}, { changes: ['custom_fields', 'tier'], customFields: 'all' }],
    [
      { changes: ['tier'], fieldNames: ['City'] },
      { changes: ['tier'], customFields: 'none' },
    ],
    [
      { changes: ['custom_fields'], fieldNames: [] },
      { changes: ['custom_fields'], customFields: 'all' },
    ],
    [
      { changes: ['custom_fields'], fieldNames: ['City'] },
      { changes: ['custom_fields'], customFields: ['City'] },
    ],
  ])('read the changes %j as %j', (parameters, expected) => {
    expect(read({ event: 'subscriptionUpdated', ...parameters })).toMatchObject(expected);
  });

  it('reject an event that this version does not have', () => {
    expect(() => read({ event: 'subscriptionMoved' })).toThrow(
      expect.objectContaining({
        message: 'This version of the node does not know the event "subscriptionMoved"',
        description: 'Choose an Event from the list, or update the package.',
      }),
    );
  });
});

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

  it('stays in the workflow until that of the node was loaded: n8n saves the workflow before it, and may end', () => {
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

  it.each([
    [undefined, '["pub_1","subscriptionCreated",{"status":["active"]}]'],
    [1_000, '["pub_1","subscriptionCreated",{"status":["active"]},1000]'],
  ])('is found again by the scope that earlier versions of the package wrote, with the date %j', (since, scope) => {
    const created = { version: 1, seen: null, walk: null };
    node['newsletter'] = JSON.stringify({ version: 2, scope, revision: 3, created, scan: null });
    expect(load({ since, filter: { status: ['active'] } })).toMatchObject({ from: 'node', state: { revision: 3 } });
  });

  it.each([
    ['pub_1', 'node'],
    ['pub_2', 'new'],
  ])('of %s in the format with a single event is loaded as: %s', (publicationId, from) => {
    node['newsletter'] = { publicationId, created: { version: 1, seen: { created: 5, ids: [] }, walk: null } };
    expect(load().from).toBe(from);
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

describe('the item of an event', () => {
  const subscription = { id: 'sub_1', email: 'ada@example.com', status: 'active' };
  it.each([
    ['subscriptionCreated', { type: 'created' }, {}],
    [
      'subscriptionStatusChanged',
      { type: 'status_changed', from: 'pending', to: 'active' },
      { previous_status: 'pending' },
    ],
    ['subscriptionUnsubscribed', { type: 'unsubscribed', from: 'active', to: 'inactive' }, {}],
    ['subscriptionUpdated', { type: 'updated', changed: ['tier'] }, { changed: ['tier'] }],
  ])('of %s has the facts of %j', (name, event, facts) => {
    const definition = events[name];
    if (!definition) throw new Error(name);
    const item = toItem({ ...event, subscription } as Parameters<typeof toItem>[0], definition, { output: 'raw' });
    expect(item).toStrictEqual({ ...subscription, ...facts });
  });

  it('is defined for every event', () => {
    expect(eventsWhere(() => true)).toEqual(Object.keys(events));
    expect(eventsWhere(({ reads }) => reads === 'inactive')).toEqual(['subscriptionUnsubscribed']);
  });
});

describe('a date in the editor', () => {
  it.each([
    ['2026-11-21T00:00:00', 'Europe/Berlin', '2026-11-20T23:00:00Z'],
    ['2026-07-21T00:00:00', 'Europe/Berlin', '2026-07-20T22:00:00Z'],
    ['2026-11-21', 'Asia/Kolkata', '2026-11-20T18:30:00Z'],
    ['2026-11-21 09:30:00', 'UTC', '2026-11-21T09:30:00Z'],
    [' 2026-11-21T09:30:00 ', 'UTC', '2026-11-21T09:30:00Z'],
    // An explicit zone takes precedence.
    ['2026-11-21T09:30:00Z', 'America/New_York', '2026-11-21T09:30:00Z'],
    ['2026-11-21T09:30:00.000-05:00', 'Europe/Berlin', '2026-11-21T14:30:00Z'],
    // Around a daylight saving transition.
    ['2026-03-29T01:30:00', 'Europe/Berlin', '2026-03-29T00:30:00Z'],
    ['2026-03-29T03:30:00', 'Europe/Berlin', '2026-03-29T01:30:00Z'],
    ['2026-10-25T03:30:00', 'Europe/Berlin', '2026-10-25T02:30:00Z'],
    ['2026-11-01T03:00:00', 'America/New_York', '2026-11-01T08:00:00Z'],
  ])('%s in %s is %s', (entered, zone, moment) => {
    expect(toUnixSeconds(entered, zone)).toBe(seconds(moment));
  });

  it('is also read from a Date, which expressions return', () => {
    expect(toUnixSeconds(new Date('2026-11-21T09:30:00Z'), 'Europe/Berlin')).toBe(seconds('2026-11-21T09:30:00Z'));
  });

  it.each(['yesterday', '', '2026-13-40', {}])('%j is undefined', (entered) => {
    expect(toUnixSeconds(entered, 'UTC')).toBeUndefined();
  });
});

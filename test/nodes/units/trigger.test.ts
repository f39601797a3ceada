/** Units of the trigger: time limits, filters, settings, items, and the conversion of dates. */
import { CapacityError } from '@newsletter-kit/core/watch';
import type { IPollFunctions } from 'n8n-workflow';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { type EventName, matches, toItem } from '../../../nodes/Newsletter/trigger/events.ts';
import { timeBudget } from '../../../nodes/Newsletter/trigger/limits.ts';
import { toTriggerFailure } from '../../../nodes/Newsletter/trigger/poll.ts';
import { readValue } from '../../../nodes/Newsletter/parameters/read.ts';
import { readSettings, type Settings } from '../../../nodes/Newsletter/trigger/settings.ts';

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

it.each([
  { what: 'n8n', context: { getPollBudgetMs: () => 300_000 }, whole: 45_000 },
  { what: 'the durable scheduler of n8n', context: { getPollBudgetMs: () => 36_000 }, whole: 24_000 },
  { what: 'an older n8n, which reports no budget', context: {}, whole: 45_000 },
])('ends a poll before the next one starts, and before $what abandons it', ({ context, whole }) => {
  const time = timeBudget(context, false);
  vi.advanceTimersByTime(whole - 1);
  expect(time.hasTime()).toBe(true);
  vi.advanceTimersByTime(1);
  expect(time.hasTime()).toBe(false);
  // A request that starts at the last moment ends within the budget.
  expect(whole + time.requestMs).toBeLessThanOrEqual(context.getPollBudgetMs?.() ?? Number.POSITIVE_INFINITY);
});

it('allows the first poll more time within the 84 seconds of an activation, and within its budget', () => {
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

it('rejects too many subscriptions also where their number is unknown', () => {
  const node = { id: '1', name: 'Trigger', type: 'trigger', typeVersion: 1, parameters: {} };
  expect(toTriggerFailure({ ...node, position: [0, 0] }, new CapacityError(10))).toHaveProperty(
    'message',
    'This trigger can watch 10 subscriptions at most, and there are more',
  );
});

const seconds = (moment: string): number => Date.parse(moment) / 1000;

describe('a filter', () => {
  it.each([
    [{}, { status: 'active' }, true],
    [{ utm_source: ['harbour'] }, { utm_source: ' Harbour ' }, true],
    [{ utm_source: [' Pier', 'HARBOUR '] }, { utm_source: 'harbour' }, true],
    [{ utm_source: ['harbour'] }, { utm_source: 'harbours' }, false],
    [{ utm_source: ['harbour'] }, {}, false],
    [{ utm_source: [''] }, { utm_source: null }, true],
    [{ status: ['active'], utm_source: ['harbour'] }, { status: 'active', utm_source: 'pier' }, false],
  ])('%j matches %j: %j', (filter, subscription, expected) => {
    expect(matches(filter, subscription)).toBe(expected);
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
    expect(read({ events: ['subscriptionCreated'] })).toMatchObject({
      events: ['subscriptionCreated'],
      scans: false,
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
    const parameters = { events: ['subscriptionCreated'], publicationId: 'pub_2', output: 'raw', options };
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
    expect(read({ events: ['subscriptionCreated'], options })).toMatchObject(expected);
  });

  it('ignore an option that is hidden for the events', () => {
    const hidden = { options: { since: 'yesterday' }, filters: { subscription_tier: ['free'] } };
    expect(read({ events: ['subscriptionUnsubscribed'], ...hidden })).toMatchObject({
      since: undefined,
      filter: { subscription_tier: ['free'] },
    });
    expect(() => read({ events: ['subscriptionCreated'], options: { since: 'yesterday' } })).toThrow(
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
    expect(read({ events: ['subscriptionUpdated'], ...parameters })).toMatchObject(expected);
  });

  it.each([
    [[], '"Events" is empty'],
    [['subscriptionMoved'], /^"Events" must be one of subscriptionCreated, /],
  ])('reject the events %j', (chosen, message) => {
    expect(() => read({ events: chosen })).toThrow(message);
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
    [
      'subscriptionUnsubscribed',
      { type: 'unsubscribed', from: 'active', to: 'inactive' },
      { previous_status: 'active' },
    ],
    ['subscriptionUnsubscribed', { type: 'unsubscribed', from: null, to: 'inactive' }, { previous_status: null }],
    ['subscriptionUpdated', { type: 'updated', changed: ['tier'] }, { changed: ['tier'] }],
  ])('of %s has the facts of %j', (name, event, facts) => {
    const happened = { ...event, subscription } as Parameters<typeof toItem>[1];
    const item = toItem(name as EventName, happened, { output: 'raw' });
    expect(item).toStrictEqual({ ...subscription, event: name, ...facts });
  });
});

describe('a date in the editor', () => {
  const date = { displayName: 'Since', name: 'since', type: 'dateTime', default: '' } as const;

  it.each([
    ['2026-11-21T00:00:00', 'Europe/Berlin', '2026-11-20T23:00:00Z'],
    ['2026-07-21T00:00:00', 'Europe/Berlin', '2026-07-20T22:00:00Z'],
    ['2026-11-21', 'Asia/Kolkata', '2026-11-20T18:30:00Z'],
    ['2026-11-21 09:30:00', 'UTC', '2026-11-21T09:30:00Z'],
    [' 2026-11-21T09:30:00 ', 'UTC', '2026-11-21T09:30:00Z'],
    // An explicit zone takes precedence.
    ['2026-11-21T09:30:00Z', 'America/New_York', '2026-11-21T09:30:00Z'],
    ['2026-11-21T09:30:00.000-05:00', 'Europe/Berlin', '2026-11-21T14:30:00Z'],
  ])('%s in %s is %s', (entered, zone, moment) => {
    expect(readValue(date, entered, zone)).toBe(seconds(moment));
  });

  it('is also read from a Date, which expressions return', () => {
    expect(readValue(date, new Date('2026-11-21T09:30:00Z'), 'Europe/Berlin')).toBe(seconds('2026-11-21T09:30:00Z'));
  });

  it.each(['yesterday', 'day 3', '2026-13-40', {}])('%j is refused', (entered) => {
    expect(() => readValue(date, entered)).toThrow('"Since" must be a date such as');
  });
});

/** A status that the specification lacks gets no mail, is never raised, and is told: at every door that reads one. */
import { createEngine, type Deviation } from '@newsletter-kit/core/engine';
import { forecastImport } from '@newsletter-kit/core/import';
import { createHistory, createSourceReport } from '@newsletter-kit/core/report';
import { startSync } from '@newsletter-kit/core/sync';
import { subscriptionEventTypes } from '@newsletter-kit/core/watch';
import { getsMail, hasBeenActive, hasLeft, isUnknownStatus } from '../../packages/core/src/facts/subscriber-status.ts';
import { describe, expect, it } from 'vitest';
import { subscriptionStatuses } from '../../packages/core/src/contract/values.ts';
import { json, scriptedHost } from '../../packages/core/test/engine/scripted-host.ts';
import { agreed, contactOf, defaults, plan, subscription, written } from '../../packages/core/test/sync/reconcile.ts';
import { publication, textsOf, Watch } from '../../packages/core/test/watch/watched-list.ts';

const words = [
  ...'complained unsubscribed bounced suppressed archived ACTIVE cleaned deleted snoozed confirmed'.split(' '),
  ...'subscribed abgemeldet désinscrit отписан 退会 on_hold all x'.split(' '),
  ' active',
  '',
];

describe('a status', () => {
  it.each(subscriptionStatuses)('%s is a word of the specification', (status) => {
    expect([isUnknownStatus(status), getsMail(status), hasLeft(status), hasBeenActive(status)]).toEqual([
      false,
      status === 'active',
      status === 'inactive',
      ['active', 'inactive', 'paused'].includes(status),
    ]);
  });

  it.each(words)('%j is none, and counts as having left', (status) => {
    expect([isUnknownStatus(status), getsMail(status), hasLeft(status)]).toEqual([true, false, true]);
  });

  it.each([undefined, null, 7, {}])('%j says nothing, and gets no mail', (status) => {
    expect([isUnknownStatus(status), getsMail(status), hasLeft(status)]).toEqual([false, false, false]);
  });
});

describe.each(words)('the status %j', (status) => {
  it('is told once, with the word and the number of people', async () => {
    const told: Deviation[] = [];
    const page = (records: readonly unknown[]) => json({ data: records, has_more: false, next_cursor: null });
    const records = [
      { id: 'a', status: 'active' },
      { id: 'b', status },
      { id: 'c', status },
    ];
    const engine = createEngine({
      host: scriptedHost([page(records), page(records)]),
      baseUrl: 'https://api.test/v2',
      publicationId: 'pub_1',
      onDeviation: (found) => told.push(found),
    });
    for (let times = 0; times < 2; times += 1) await engine.list('subscriptions.list', {});
    const isWord = /^[\w -]+$/.test(status);
    expect(told.filter(({ field }) => field.includes('status'))).toEqual([
      {
        operation: 'subscriptions.list',
        part: 'answer',
        field: `data[].status${isWord ? `=${status}` : ''}`,
        problem: 'no status of the specification; counts as having left: nobody with it is reactivated',
        records: 2,
      },
    ]);
  });

  it('is an unsubscribe for a watch, once', async () => {
    const { list, rows } = publication(30);
    const [row] = rows;
    const watch = new Watch(list, { events: subscriptionEventTypes });
    await watch.poll();
    const reported: string[] = [];
    for (const next of ['paused', 'active', status, 'inactive', 'active']) {
      list.change(row?.id ?? '', { status: next });
      const { events } = await watch.poll();
      reported.push(
        textsOf(events)
          .filter((text) => !text.startsWith('status_changed'))
          .join(),
      );
    }
    const line = (type: string, change: string): string => `${type} ${row?.id} ${change}`;
    expect(reported).toEqual([
      '',
      line('became_active', 'paused>active'),
      line('unsubscribed', `active>${status}`),
      '',
      line('became_active', 'inactive>active'),
    ]);
  });

  it('is a leaving for a report', () => {
    const history = createHistory({ of: 'here' });
    const scan = { share: 0, passes: 1, stalenessMs: 0, known: 1 };
    const now = Date.UTC(2026, 2, 2);
    const change = (from: string, to: string) => {
      const event = { type: 'status_changed', from, to, subscription: { id: 'a', status: to, created: now / 1000 } };
      return history.record({ events: [{ ...event, type: 'status_changed' }], scan }, now).slice(-1);
    };
    history.record({ events: [], scan }, now);
    expect(
      [change('active', status), change(status, 'active')].flat().map((line) => Object.keys(JSON.parse(line))),
    ).toEqual([
      ['id', 'left'],
      ['id', 'returned'],
    ]);
    const report = createSourceReport({ at: now / 1000, minimum: 1 });
    report.add({ id: 'a', status, created: 0 });
    expect(report.result().total).toMatchObject({ confirmed: { share: 1 }, stillThere: { share: 0 } });
  });

  it('keeps a person away whom an import asks to reactivate', async () => {
    const engine = createEngine({
      host: scriptedHost([
        json({ data: [], total_results: 1, has_more: false }),
        json({ data: [{ id: 'a', email: 'ada@example.com', status }], has_more: false }),
      ]),
      baseUrl: 'https://api.test/v2',
      publicationId: 'pub_1',
    });
    const forecast = await forecastImport({
      engine,
      source: [{ email: 'ada@example.com', reactivate_existing: true }],
      known: true,
    });
    expect(forecast.known).toEqual({ fresh: 0, present: 0, away: 1, returning: 0 });
  });

  it('opts out a contact only once a person has accepted the word, and is never raised', () => {
    const { contacts, subscriptions, state } = agreed(3);
    const away = subscriptions.map((one, index) => (index < 2 ? { ...one, status } : one));
    const held = plan(contacts, away, state);
    expect(held.held?.reasons).toEqual(['status_unknown']);
    expect(held.held?.message).toContain(`"${status.slice(0, 40)}" (2)`);
    expect([held.pairs, held.whole.pairs.length]).toEqual([[], 2]);
    const accepted = plan(contacts, away, held.state, { accept: true });
    expect(accepted.pairs.map(({ contactWrites: [write] }) => write?.changes['do_not_mail'])).toEqual([true, true]);
    expect(accepted.pairs.flatMap(({ subscriptionWrites }) => subscriptionWrites)).toEqual([]);
    const after = written(contacts, accepted);
    expect(plan(after, away, accepted.state)).toMatchObject({ held: null, pairs: [], findings: [] });
    // The answer lasts: one more of the word is no question.
    const all = subscriptions.map((one) => ({ ...one, status }));
    const next = plan(after, all, accepted.state);
    expect([next.held, next.pairs.map(({ contactId }) => contactId)]).toEqual([null, ['c3']]);
  });

  it('gets no contact before the person is active', () => {
    const { contacts, subscriptions, state } = agreed(1);
    const late = { ...subscription(2), created: subscription(2).created + 100, status };
    const first = plan(contacts, [...subscriptions, late], state);
    expect(first).toMatchObject({
      contactCreates: [],
      held: null,
      findings: [],
      counts: { withoutContact: { unknownStatus: 1 } },
    });
    const later = plan(contacts, [...subscriptions, late], first.state);
    const active = plan(contacts, [...subscriptions, { ...late, status: 'active' }], later.state);
    expect(active.contactCreates).toMatchObject([
      { subscriptionId: late.id, changes: { newsletter_status: 'active' } },
    ]);
  });

  it('does not keep an opt-out of the CRM from the newsletter', () => {
    const { contacts, subscriptions, state } = agreed(1);
    const vetoed = contacts.map((contact) => ({ ...contact, do_not_mail: true }));
    const away = subscriptions.map((one) => ({ ...one, status }));
    const made = plan(vetoed, away, state);
    expect(made).toMatchObject({ held: null, pairs: [{ subscriptionWrites: [{ unsubscribe: true }] }] });
  });
});

it('a status that is no question without an opt-out to write holds nothing', () => {
  const mapping = { ...defaults, optOut: { contact: 'do_not_mail', setOnUnsubscribe: false } };
  const contacts = [contactOf(1)];
  expect(plan(contacts, [subscription(1, { status: 'complained' })], startSync(), { mapping }).held).toBeNull();
});

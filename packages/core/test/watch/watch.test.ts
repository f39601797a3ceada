/** Watching the subscriptions of a publication on an engine: requests, budget and repeated polls. */
import { CapacityError, startWatch, watchSubscriptions } from '@newsletter-kit/core/watch';
import { describe, expect, it } from 'vitest';
import { createEngine } from '../../src/engine/index.ts';
import { json, scriptedHost, type Scripted } from '../engine/scripted-host.ts';

describe('the watch of a publication on an engine', () => {
  const row = (id: string, created: number) => ({ id, email: `${id}@example.com`, status: 'active', created });
  const page = (...items: readonly object[]) => json({ data: items, has_more: false });
  function watching(
    options: Partial<Parameters<typeof watchSubscriptions>[0]>,
    ...script: readonly Scripted[]
  ): { watch: ReturnType<typeof watchSubscriptions>; host: ReturnType<typeof scriptedHost>; queries(): string[] } {
    const host = scriptedHost(script);
    const engine = createEngine({ host, baseUrl: 'http://api.test/v2', publicationId: 'pub_1', retry: false });
    const queries = () =>
      host.sent.map(({ url }) => decodeURIComponent(url).replace('http://api.test/v2/publications/', ''));
    return { watch: watchSubscriptions({ engine, ...options }), host, queries };
  }

  it('asks for the newest subscriptions alone where nothing else is watched', async () => {
    const { watch, queries } = watching({}, page(row('sub_a', 5)), page(row('sub_b', 6), row('sub_a', 5)));
    expect((await watch.poll()).events).toEqual([]);
    const { events, state } = await watch.poll();
    expect(events).toMatchObject([{ type: 'created', subscription: { id: 'sub_b' } }]);
    expect(watch.state).toBe(state);
    expect(state.scope).toBe('');
    expect(queries()).toEqual(Array(2).fill('pub_1/subscriptions?order_by=created&limit=100&direction=desc'));
  });

  it('passes its options to every call, and follows cursors', async () => {
    const { watch, queries } = watching(
      { publicationId: 'pub_2', limit: 2, expand: ['stats', 'custom_fields'], customFields: 'all', pages: 3 },
      json({ data: [row('sub_b', 5), row('sub_a', 5)], has_more: true, next_cursor: 'x' }),
      json({ data: [], has_more: false, next_cursor: 'y' }),
    );
    expect(await watch.poll()).toMatchObject({ complete: true });
    expect(watch.state.scope).toBe('pub_2');
    const query = 'order_by=created&limit=2&direction=desc';
    expect(queries().map((each) => each.replace(/expand\[\]=stats&|expand\[\]=custom_fields&/g, ''))).toEqual([
      `pub_2/subscriptions?${query}`,
      `pub_2/subscriptions?${query}&cursor=x`,
    ]);
    for (const each of queries()) expect(each.match(/expand\[\]=/g)).toHaveLength(2);
  });

  it('carries the custom fields only where they are watched, and ends at its budget', async () => {
    const { watch, queries } = watching(
      { customFields: ['Team'], pages: 1 },
      json({ data: [row('sub_a', 5)], has_more: true, next_cursor: 'x' }),
    );
    expect(await watch.poll()).toMatchObject({ complete: false });
    expect(queries()).toEqual([expect.stringContaining('expand[]=custom_fields')]);
  });

  it('continues with the cursor of the last poll, and where it is refused with the day before', async () => {
    const reached = row('sub_a', Date.UTC(2026, 0, 10, 12) / 1000);
    const { watch, queries } = watching(
      { status: 'inactive', events: ['unsubscribed'], pages: 1 },
      json({ data: [reached], has_more: true, next_cursor: 'x' }),
      json({ data: [], has_more: true, next_cursor: 'y' }),
      { status: 400 },
      page(),
    );
    for (let polls = 0; polls < 3; polls += 1) await watch.poll();
    const query = 'pub_1/subscriptions?status=inactive&order_by=created&limit=100&direction=asc';
    expect(queries()).toEqual([query, `${query}&cursor=x`, `${query}&cursor=y`, `${query}&creation_date=2026/01/09`]);
  });

  it('reads the list of one status from its oldest subscription on', async () => {
    const { watch, queries } = watching(
      { status: 'inactive', events: ['unsubscribed'], capacity: 1 },
      page(row('sub_a', 5)),
      page(row('sub_a', 5), row('sub_b', 6)),
    );
    await watch.poll();
    expect(watch.state.scan).toMatchObject({ list: 'inactive' });
    await expect(watch.poll()).rejects.toThrow(CapacityError);
    expect(queries()[0]).toBe('pub_1/subscriptions?status=inactive&order_by=created&limit=100&direction=asc');
  });

  it('has no time for a further page where it is told so', async () => {
    const more = json({ data: [row('sub_a', 5)], has_more: true, next_cursor: 'x' });
    const { watch, host } = watching({ hasTime: () => false }, more);
    expect(await watch.poll()).toMatchObject({ complete: false });
    expect(host.sent).toHaveLength(1);
  });

  it('continues from a state, polls one after the other, and stays at its state after a failure', async () => {
    const state = startWatch('mine', 5);
    const { watch } = watching({ state }, { status: 500 }, page(row('sub_a', 5)), page(row('sub_a', 5)));
    expect(watch.state).toBe(state);
    const polls = [watch.poll(), watch.poll(), watch.poll()];
    const results = await Promise.allSettled(polls);
    expect(results.map((each) => (each.status === 'fulfilled' ? each.value.events.length : 'failed'))).toEqual([
      'failed',
      1,
      0,
    ]);
    expect(watch.state).toMatchObject({ scope: 'mine', revision: 1 });
  });

  it('polls every minute until its signal', async () => {
    const stop = new AbortController();
    const { watch, host } = watching({}, page(), page(row('sub_a', 5)), page());
    const counts: number[] = [];
    for await (const { events } of watch.polls({ signal: stop.signal })) {
      counts.push(events.length);
      if (counts.length === 2) stop.abort();
    }
    expect([counts, host.slept]).toEqual([[0, 1], [60_000]]);
    const other = watching({}, page(), page());
    const polls = other.watch.polls({ everyMs: 7 });
    await polls.next();
    await polls.next();
    await polls.return();
    expect(other.host.slept).toEqual([7]);
    const ended = watching({}).watch.polls({ signal: AbortSignal.abort() });
    expect(await ended.next()).toMatchObject({ done: true });
  });

  it('fails where it cannot wait for another reason than its signal', async () => {
    const host = { ...scriptedHost([page()]), sleep: () => Promise.reject(new Error('no timer')) };
    const engine = createEngine({ host, baseUrl: 'http://api.test/v2', publicationId: 'pub_1', retry: false });
    const polls = watchSubscriptions({ engine }).polls();
    await polls.next();
    await expect(polls.next()).rejects.toThrow('no timer');
  });
});

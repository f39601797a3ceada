/** The fingerprint of custom fields, the numbers of status and tier, the events of a status, and the watermark. */
import { describe, expect, it } from 'vitest';
import { isRemoved, statusEvents } from '../../src/watch/events.ts';
import {
  choiceText,
  fieldsFingerprint,
  hash48,
  statusNumber,
  tierOf,
  type CustomField,
  type StatusAndTier,
  type Watched,
} from '../../src/watch/fingerprint.ts';
import { after, before, lower, raise } from '../../src/watch/watermark.ts';

describe('the fingerprint of custom fields', () => {
  const fingerprintOf = (
    fields: readonly CustomField[] | null | undefined,
    choice: 'none' | 'all' | string[] = 'all',
  ) => fieldsFingerprint({ id: 'sub_a', created: 1, status: 'active', custom_fields: fields }, choice);
  const team = { name: 'Team', value: 'Red' };
  const topics = { name: 'Topics', value: ['boats', 'food'] };

  it('is 0 where none is watched or carried, and otherwise another number', () => {
    expect(fingerprintOf([team], 'none')).toBe(0);
    expect(fingerprintOf(null)).toBe(0);
    expect(fingerprintOf(undefined)).toBe(0);
    expect(fingerprintOf([])).toBeGreaterThan(0);
  });

  it('is the same in any order, and counts a field without a value as absent', () => {
    const both = fingerprintOf([team, topics]);
    expect(fingerprintOf([{ ...topics, value: ['food', 'boats'] }, team])).toBe(both);
    for (const value of [undefined, null, '', []])
      expect(fingerprintOf([team, { name: 'Empty', value }, topics, { value: 'nameless' }])).toBe(both);
    for (const value of [0, false, ' ']) expect(fingerprintOf([team, { name: 'Filled', value }])).not.toBe(both);
    expect(fingerprintOf([team])).not.toBe(both);
    expect(fingerprintOf([{ name: 'Team', value: 'Blue' }, topics])).not.toBe(both);
    expect(fingerprintOf([{ name: 'Club', value: 'Red' }, topics])).not.toBe(both);
    expect(fingerprintOf([{ name: 'Number', value: 1 }])).not.toBe(fingerprintOf([{ name: 'Number', value: '1' }]));
  });

  it('holds the chosen fields alone', () => {
    expect(fingerprintOf([team, topics], ['Team'])).toBe(fingerprintOf([team], ['Team']));
    expect(fingerprintOf([team, topics], ['Team'])).not.toBe(fingerprintOf([team, topics], ['Topics']));
    expect(choiceText(['b', 'a'])).toBe('["a","b"]');
    expect(choiceText('all')).toBe('all');
  });
});

describe('the number of a status and tier', () => {
  it('is that of the first subscription with both', () => {
    const first = statusNumber([], 'active', 'free');
    expect(first).toEqual({ number: 0, conditions: [['active', 'free']] });
    const second = statusNumber(first.conditions, 'active', 'premium');
    expect(second.number).toBe(1);
    const third = statusNumber(second.conditions, 'inactive', 'free');
    expect(third).toEqual({
      number: 2,
      conditions: [
        ['active', 'free'],
        ['active', 'premium'],
        ['inactive', 'free'],
      ],
    });
    expect(statusNumber(third.conditions, 'active', 'free')).toEqual({ number: 0, conditions: third.conditions });
    expect(statusNumber(third.conditions, 'active', 'premium')).toEqual({ number: 1, conditions: third.conditions });
  });

  it('stands for any tier beyond 300, and every status up to 41 more still gets one', () => {
    let conditions: readonly StatusAndTier[] = [];
    for (let tier = 0; tier < 300; tier += 1) ({ conditions } = statusNumber(conditions, 'active', `tier ${tier}`));
    expect(conditions.at(-1)).toEqual(['active', 'tier 299']);
    const more = statusNumber(conditions, 'active', 'tier 300');
    expect(more.conditions.slice(300)).toEqual([['active', null]]);
    expect(statusNumber(more.conditions, 'active', 'tier 301')).toEqual({ number: 300, conditions: more.conditions });
    ({ conditions } = more);
    for (let status = 1; status <= 40; status += 1) ({ conditions } = statusNumber(conditions, `s${status}`, 'free'));
    expect(conditions).toHaveLength(341);
    expect(() => statusNumber(conditions, 'one more', 'free')).toThrow(
      "A publication with more than 41 statuses can't be watched.",
    );
  });

  it('takes premium tiers in any order for the same tier', () => {
    const one = { id: 'sub_a', created: 1, status: 'active', subscription_tier: 'premium' };
    expect(tierOf({ ...one, subscription_premium_tier_names: ['Gold', 'Blue'] })).toBe('premium\nBlue\nGold');
    expect(tierOf({ ...one, subscription_tier: null })).toBe('');
    expect(tierOf(one)).toBe('premium');
  });
});

describe('the events of a status', () => {
  const active: Watched = { id: 'sub_a', created: 1, status: 'active' };
  it('name the change, and the arrival at a status that has an event', () => {
    const typesOf = (from: string | null, status: string) =>
      statusEvents(from, { ...active, status }).map(({ type }) => type);
    expect(typesOf('pending', 'active')).toEqual(['status_changed', 'became_active']);
    expect(typesOf('active', 'inactive')).toEqual(['status_changed', 'unsubscribed']);
    expect(typesOf('active', 'on_hold')).toEqual(['status_changed', 'unsubscribed']);
    expect(typesOf('inactive', 'on_hold')).toEqual(['status_changed']);
    expect(typesOf('active', 'paused')).toEqual(['status_changed']);
    expect(typesOf(null, 'active')).toEqual(['became_active']);
    expect(typesOf(null, 'paused')).toEqual([]);
  });

  it('of a removal fit the subscription alone', () => {
    const unknown = 2 ** 22;
    const event = {
      type: 'removed' as const,
      created: 1,
      hash: Math.floor(hash48('sub_a') / unknown) * unknown,
      bits: 26,
    };
    expect(isRemoved(event, active)).toBe(true);
    expect(isRemoved(event, { ...active, created: 2 })).toBe(false);
    expect(isRemoved(event, { ...active, id: 'sub_b' })).toBe(false);
    expect(isRemoved({ ...event, hash: hash48('sub_a'), bits: 48 }, active)).toBe(true);
    expect(isRemoved({ ...event, hash: hash48('sub_a') + 1, bits: 48 }, active)).toBe(false);
  });
});

describe('a watermark', () => {
  const item = (id: string, created: number) => ({ id, created });
  const watermark = { created: 5, ids: ['b'] };

  it('selects newer and older records, and of its second those that were not seen', () => {
    const records = [item('a', 6), item('b', 5), item('c', 5), item('d', 4)];
    const idsOf = (selects: (record: { id: string; created: number }) => boolean) =>
      records.filter(selects).map(({ id }) => id);
    expect(idsOf(after(watermark))).toEqual(['a', 'c']);
    expect(idsOf(before(watermark))).toEqual(['c', 'd']);
    expect(idsOf(after({ ...watermark, settled: true }))).toEqual(['a']);
  });

  it('is raised to the newest record', () => {
    expect(raise(watermark, [])).toBe(watermark);
    expect(raise(watermark, [item('d', 4)])).toEqual(watermark);
    expect(raise(watermark, [item('c', 5), item('d', 4)])).toEqual({ created: 5, ids: ['b', 'c'] });
    expect(raise(watermark, [item('e', 7), item('f', 7), item('c', 5)])).toEqual({ created: 7, ids: ['e', 'f'] });
  });

  it('is lowered to the oldest record', () => {
    expect(lower(watermark, [])).toBe(watermark);
    expect(lower(null, [item('a', 6), item('d', 4)])).toEqual({ created: 4, ids: ['d'] });
    expect(lower(watermark, [item('a', 6), item('c', 5)])).toEqual({ created: 5, ids: ['b', 'c'] });
    expect(lower(watermark, [item('d', 4)])).toEqual({ created: 4, ids: ['d'] });
  });
});

/** Consent of a pair: every combination of status, opt-out and the consent that was last read. */
import {
  planPair,
  prepareMapping,
  type Base,
  type ConsentRecord,
  type ConsentState,
  type PairPlan,
  type SyncMapping,
} from '@newsletter-kit/core/sync';
import { describe, expect, it } from 'vitest';

const id = 'sub_00000000-0000-4000-8000-00000000000a';
const email = 'ada@example.com';

interface Situation {
  readonly status: 'active' | 'inactive';
  readonly optOut?: unknown;
  /** The consent and the opt-out that were last read; undefined for a contact without token. */
  readonly before?: readonly [consent: ConsentState, optOut?: boolean];
  readonly optOutElsewhere?: boolean;
  readonly mapping?: Partial<SyncMapping>;
  readonly values?: Readonly<Record<string, unknown>>;
}

function plan({ status, optOut, before, optOutElsewhere, mapping, values = {} }: Situation): PairPlan {
  const ready = prepareMapping(
    { fields: [], optOut: { contact: 'do_not_mail' }, ...mapping },
    [{ id: 'f1', display: 'City', kind: 'string' }],
    'pub_1',
  );
  const base: Base | undefined = before && {
    subscriptionId: id,
    address: 0,
    contact: undefined,
    consent: before[0],
    optOut: before[1],
    fields: [],
    reported: 0,
  };
  const contact = { id: 'c1', email, optOut, token: 'some token', values, row: 1 };
  const custom_fields = [{ name: 'City', value: 'inactive' }];
  const subscription = { id, email, status, created: 1, custom_fields };
  return planPair({ subscription, contact, base }, ready, { optOutElsewhere });
}

type Said = readonly [saidBy: ConsentRecord['saidBy'], field: string, written: ConsentRecord['written']];
const unsubscribed = { side: 'newsletter', field: 'status', value: 'inactive' } as const;
const optedOut = { side: 'crm', field: 'do_not_mail', value: true } as const;

describe('the plan of consent', () => {
  it.each<
    readonly [string, Situation, ConsentState, boolean | undefined, { unsubscribe?: true; setOptOut?: true }, Said[]]
  >([
    ['agreement', { status: 'active', optOut: false, before: ['subscribed', false] }, 'subscribed', false, {}, []],
    [
      'a newly set opt-out',
      { status: 'active', optOut: true, before: ['subscribed', false] },
      'opted_out_in_crm',
      true,
      { unsubscribe: true },
      [['crm', 'do_not_mail', unsubscribed]],
    ],
    [
      'an opt-out of a contact without token',
      { status: 'active', optOut: true },
      'opted_out_in_crm',
      true,
      { unsubscribe: true },
      [['crm', 'do_not_mail', unsubscribed]],
    ],
    ['a known opt-out', { status: 'active', optOut: true, before: ['subscribed', true] }, 'subscribed', true, {}, []],
    [
      'a cleared opt-out',
      { status: 'active', optOut: false, before: ['subscribed', true] },
      'subscribed',
      false,
      {},
      [],
    ],
    [
      'the opt-out of another contact',
      { status: 'active', optOut: false, before: ['subscribed', false], optOutElsewhere: true },
      'subscribed',
      true,
      { setOptOut: true },
      [['crm', 'do_not_mail', optedOut]],
    ],
    [
      'an opt-out that another contact has as well',
      { status: 'active', optOut: true, before: ['subscribed', true], optOutElsewhere: true },
      'subscribed',
      true,
      {},
      [],
    ],
    [
      'a new subscription of a person who had left',
      { status: 'active', optOut: false, before: ['left_newsletter', false] },
      'subscribed',
      false,
      {},
      [],
    ],
    [
      'an unsubscribe',
      { status: 'inactive', optOut: false, before: ['subscribed', false] },
      'left_newsletter',
      true,
      { setOptOut: true },
      [['newsletter', 'status', optedOut]],
    ],
    [
      'an unsubscribe that does not set the opt-out',
      {
        status: 'inactive',
        optOut: false,
        before: ['subscribed', false],
        mapping: { optOut: { contact: 'do_not_mail', setOnUnsubscribe: false } },
      },
      'left_newsletter',
      false,
      {},
      [['newsletter', 'status', null]],
    ],
    [
      'an unsubscribe that does not set the opt-out, where another contact is opted out',
      {
        status: 'inactive',
        optOut: false,
        before: ['subscribed', false],
        optOutElsewhere: true,
        mapping: { optOut: { contact: 'do_not_mail', setOnUnsubscribe: false } },
      },
      'left_newsletter',
      true,
      { setOptOut: true },
      [['newsletter', 'status', optedOut]],
    ],
    [
      'an unsubscribe and a newly set opt-out',
      { status: 'inactive', optOut: true, before: ['subscribed', false] },
      'opted_out_in_crm',
      true,
      {},
      [['crm', 'do_not_mail', null]],
    ],
    [
      'an unsubscribe after a known opt-out',
      { status: 'inactive', optOut: true, before: ['subscribed', true] },
      'left_newsletter',
      true,
      {},
      [['newsletter', 'status', null]],
    ],
    [
      'a known unsubscribe',
      { status: 'inactive', optOut: false, before: ['left_newsletter', false] },
      'left_newsletter',
      false,
      {},
      [],
    ],
    [
      'an opt-out after a known unsubscribe',
      { status: 'inactive', optOut: true, before: ['left_newsletter', false] },
      'left_newsletter',
      true,
      {},
      [],
    ],
    [
      'a known opt-out that another contact has, too',
      { status: 'inactive', optOut: false, before: ['opted_out_in_crm', true], optOutElsewhere: true },
      'opted_out_in_crm',
      true,
      { setOptOut: true },
      [['crm', 'do_not_mail', optedOut]],
    ],
    [
      'an unsubscribe without a delivered opt-out',
      { status: 'inactive', before: ['subscribed', false] },
      'left_newsletter',
      true,
      { setOptOut: true },
      [['newsletter', 'status', optedOut]],
    ],
    [
      'a known unsubscribe without a delivered opt-out',
      { status: 'inactive', before: ['left_newsletter', true] },
      'left_newsletter',
      true,
      {},
      [],
    ],
    [
      'a new subscription without a delivered opt-out',
      { status: 'active', before: ['opted_out_in_crm', true] },
      'subscribed',
      true,
      {},
      [],
    ],
    ['agreement without token and opt-out', { status: 'active' }, 'subscribed', undefined, {}, []],
    [
      'an unsubscribe without token and opt-out',
      { status: 'inactive' },
      'left_newsletter',
      true,
      { setOptOut: true },
      [['newsletter', 'status', optedOut]],
    ],
    [
      'an unsubscribe where no opt-out is mapped',
      { status: 'inactive', before: ['subscribed'], mapping: { optOut: undefined } },
      'left_newsletter',
      undefined,
      {},
      [['newsletter', 'status', null]],
    ],
    [
      'a known opt-out where no opt-out is mapped any more',
      { status: 'inactive', before: ['opted_out_in_crm', true], mapping: { optOut: undefined } },
      'opted_out_in_crm',
      true,
      {},
      [],
    ],
    [
      'a new subscription where no opt-out is mapped',
      { status: 'active', before: ['left_newsletter'], mapping: { optOut: undefined } },
      'subscribed',
      undefined,
      {},
      [],
    ],
  ])('records %s', (_, situation, state, optOut, { unsubscribe, setOptOut }, said) => {
    const { base, subscriptionWrites, contactWrite, consent } = plan(situation);
    expect([base.consent, base.optOut]).toEqual([state, optOut]);
    expect(subscriptionWrites).toEqual(unsubscribe ? [{ subscription_id: id, unsubscribe: true }] : []);
    expect(contactWrite?.changes ?? {}).toEqual(setOptOut ? { do_not_mail: true } : {});
    expect(consent).toEqual(
      said.map(([saidBy, field, written]) => ({ saidBy, subscriptionId: id, contactId: 'c1', field, written })),
    );
  });

  it('reports a subscription that is active while its contact is opted out', () => {
    const { findings } = plan({ status: 'active', optOut: true, before: ['subscribed', true] });
    expect(findings.map(({ code }) => code)).toEqual(['active_while_opted_out']);
    expect(plan({ status: 'active', optOut: false, before: ['subscribed', true] }).findings).toEqual([]);
  });

  it('names the copy of the status as written only for an unsubscribe that is written nowhere else', () => {
    const fields: SyncMapping['fields'] = [
      { newsletter: 'f1', contact: 'city', direction: 'to_contact' },
      { newsletter: 'status', contact: 'newsletter_status', direction: 'to_contact' },
    ];
    const written = (situation: Omit<Situation, 'status'>): unknown =>
      plan({ status: 'inactive', values: { city: '', newsletter_status: '' }, ...situation }).consent[0]?.written;
    const copy = { side: 'crm', field: 'newsletter_status', value: 'inactive' };
    expect(written({ mapping: { fields, optOut: undefined } })).toEqual(copy);
    expect(written({ mapping: { fields }, optOut: false })).toEqual(optedOut);
    // The opt-out was set in the CRM.
    expect(written({ mapping: { fields }, optOut: true })).toBeNull();
    // The contact shows the status already.
    const shown = { city: '', newsletter_status: 'inactive' };
    expect(written({ mapping: { fields, optOut: undefined }, values: shown })).toBeNull();
    // Another field of the contact is written with the same text.
    expect(written({ mapping: { fields: fields.slice(0, 1), optOut: undefined } })).toBeNull();
  });
});

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
  readonly before?: readonly [consent: ConsentState, optOut?: boolean] | undefined;
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
  const keepsOptOut = { mapping: { optOut: { contact: 'do_not_mail', setOnUnsubscribe: false } } } as const;
  const unmapped = { mapping: { optOut: undefined } } as const;
  const elsewhere = { optOutElsewhere: true } as const;
  const vetoed: Said = ['crm', 'do_not_mail', unsubscribed];
  const copied: Said = ['crm', 'do_not_mail', optedOut];
  const bothWays: Said = ['crm', 'do_not_mail', null];
  const carried: Said = ['newsletter', 'status', optedOut];
  const alone: Said = ['newsletter', 'status', null];
  const [active, inactive] = ['active', 'inactive'] as const;
  const [seen, left, opted] = ['subscribed', 'left_newsletter', 'opted_out_in_crm'] as const;

  // Status and opt-out now, and what was last read; consent and opt-out from then on; what is recorded and so written.
  it.each<
    readonly [
      string,
      readonly [status: Situation['status'], optOut: unknown, before?: Situation['before'], more?: Partial<Situation>],
      readonly [consent: ConsentState, optOut: boolean | undefined],
      Said | null,
    ]
  >([
    ['agreement', [active, false, [seen, false]], [seen, false], null],
    ['agreement without token and opt-out', [active, undefined], [seen, undefined], null],
    ['a newly set opt-out', [active, true, [seen, false]], [opted, true], vetoed],
    ['an opt-out of a contact without token', [active, true], [opted, true], vetoed],
    ['a known opt-out', [active, true, [seen, true]], [seen, true], null],
    ['a cleared opt-out', [active, false, [seen, true]], [seen, false], null],
    ['the opt-out of another contact', [active, false, [seen, false], elsewhere], [seen, true], copied],
    ['an opt-out that another contact has as well', [active, true, [seen, true], elsewhere], [seen, true], null],
    [
      'a known opt-out that another contact has, too',
      [inactive, false, [opted, true], elsewhere],
      [opted, true],
      copied,
    ],
    ['a new subscription of a person who had left', [active, false, [left, false]], [seen, false], null],
    ['a new subscription without a delivered opt-out', [active, undefined, [opted, true]], [seen, true], null],
    ['a new subscription where no opt-out is mapped', [active, undefined, [left], unmapped], [seen, undefined], null],
    ['an unsubscribe', [inactive, false, [seen, false]], [left, true], carried],
    ['an unsubscribe without a delivered opt-out', [inactive, undefined, [seen, false]], [left, true], carried],
    ['an unsubscribe without token and opt-out', [inactive, undefined], [left, true], carried],
    ['an unsubscribe that sets no opt-out', [inactive, false, [seen, false], keepsOptOut], [left, false], alone],
    [
      'an unsubscribe that sets no opt-out, where another contact is opted out',
      [inactive, false, [seen, false], { ...keepsOptOut, ...elsewhere }],
      [left, true],
      carried,
    ],
    ['an unsubscribe where no opt-out is mapped', [inactive, undefined, [seen], unmapped], [left, undefined], alone],
    ['an unsubscribe and a newly set opt-out', [inactive, true, [seen, false]], [opted, true], bothWays],
    ['an unsubscribe after a known opt-out', [inactive, true, [seen, true]], [left, true], alone],
    ['a known unsubscribe', [inactive, false, [left, false]], [left, false], null],
    ['a known unsubscribe without a delivered opt-out', [inactive, undefined, [left, true]], [left, true], null],
    ['an opt-out after a known unsubscribe', [inactive, true, [left, false]], [left, true], null],
    [
      'a known opt-out where no opt-out is mapped any more',
      [inactive, undefined, [opted, true], unmapped],
      [opted, true],
      null,
    ],
  ])('records %s', (_, [status, optOut, before, more], after, said) => {
    const { base, subscriptionWrites, contactWrite, consent } = plan({ status, optOut, before, ...more });
    expect([base.consent, base.optOut]).toEqual(after);
    const [saidBy, field, written = null] = said ?? [];
    const isUnsubscribed = written?.side === 'newsletter';
    expect(subscriptionWrites).toEqual(isUnsubscribed ? [{ subscription_id: id, unsubscribe: true }] : []);
    expect(contactWrite?.changes ?? {}).toEqual(written?.side === 'crm' ? { do_not_mail: true } : {});
    expect(consent).toEqual(said ? [{ saidBy, subscriptionId: id, contactId: 'c1', field, written }] : []);
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

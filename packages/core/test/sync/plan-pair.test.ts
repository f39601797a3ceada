/** The plan of one pair: fields, address, token, and values that a side does not accept. */
import {
  decodeToken,
  encodeToken,
  planPair,
  prepareMapping,
  withStored,
  type Base,
  type FieldMapping,
  type PairOptions,
  type PairPlan,
  type SyncContact,
  type SyncMapping,
  type SyncSubscription,
} from '@newsletter-kit/core/sync';
import { describe, expect, it } from 'vitest';

const codes = ({ findings }: PairPlan): readonly string[] => findings.map(({ code }) => code);

const id = 'sub_00000000-0000-4000-8000-00000000000a';
const customFields = [
  { id: 'text', display: 'Text', kind: 'string' },
  { id: 'number', display: 'Number', kind: 'integer' },
  { id: 'list', display: 'List', kind: 'list' },
  { id: 'flag', display: 'Flag', kind: 'boolean' },
];
const linked: Base = {
  subscriptionId: id,
  address: 0,
  contact: undefined,
  consent: 'subscribed',
  optOut: undefined,
  fields: [],
  reported: 0,
};

interface Sides {
  readonly fields?: readonly FieldMapping[];
  readonly settings?: Partial<SyncMapping>;
  /** Values of the custom fields by their names, and of the contact's fields by their paths. */
  readonly newsletter?: Readonly<Record<string, unknown>>;
  readonly crm?: Readonly<Record<string, unknown>>;
  readonly base?: Base | undefined;
  readonly subscription?: Partial<SyncSubscription>;
  readonly contact?: Partial<SyncContact>;
  readonly options?: PairOptions;
}

/** Plans a pair whose sides agree on everything that is not stated. */
function planOf({ fields = [], settings, newsletter = {}, crm = {}, ...rest }: Sides): PairPlan {
  const ready = prepareMapping({ fields, ...settings }, customFields, 'pub_1');
  const email = 'ada@example.com';
  const subscription = {
    id,
    email,
    status: 'active',
    created: 1,
    custom_fields: Object.entries(newsletter).map(([name, value]) => ({ name, value })),
    ...rest.subscription,
  };
  const contact = { id: 'c1', email, token: 'some token', values: crm, row: 1, ...rest.contact };
  return planPair({ subscription, contact, base: rest.base }, ready, rest.options);
}

describe('a field', () => {
  const field = (newsletter: string, direction: FieldMapping['direction'], more: Partial<FieldMapping> = {}) => ({
    newsletter,
    contact: newsletter,
    direction,
    ...more,
  });

  it.each([
    ['to_contact', 'Bonn', '', { text: 'Bonn' }, undefined, 'from_newsletter'],
    ['to_contact', '', 'Bonn', { text: null }, undefined, 'from_newsletter'],
    ['to_subscription', '', 'Bonn', {}, [{ name: 'Text', value: 'Bonn' }], 'from_crm'],
    ['to_subscription', 'Bonn', '', {}, [{ name: 'Text', delete: true }], 'from_crm'],
    ['both', 'Bonn', '', { text: 'Bonn' }, undefined, 'only_in_newsletter'],
    ['both', '', 'Bonn', {}, [{ name: 'Text', value: 'Bonn' }], 'only_in_crm'],
    ['both', 'Bonn', 'Bonn', {}, undefined, undefined],
  ] as const)(
    'of direction %s with %j in the newsletter and %j in the CRM',
    (direction, a, b, changes: { text?: string | null }, writes, reason) => {
      const plan = planOf({ fields: [field('text', direction)], newsletter: { Text: a }, crm: { text: b } });
      expect(plan.contactWrite?.changes).toEqual(changes);
      expect(plan.subscriptionWrites).toEqual(writes ? [{ subscription_id: id, custom_fields: writes }] : []);
      const isToContact = changes.text !== undefined;
      const [from, to] = isToContact ? [b, a] : [a, b];
      const shown = (value: string): string | null => (value === '' ? null : value);
      expect(plan.changes).toEqual(
        a === b
          ? []
          : [
              {
                kind: 'update',
                side: isToContact ? 'crm' : 'newsletter',
                field: isToContact ? 'text' : 'Text',
                from: shown(from),
                to: shown(to),
                reason: reason,
              },
            ],
      );
    },
  );

  it.each([
    ['newsletter', { text: 'Bonn' }, undefined],
    ['crm', {}, [{ name: 'Text', value: 'Ulm' }]],
    ['review', {}, undefined],
  ] as const)('that both sides changed follows the rule %s', (conflict, changes, writes) => {
    const fields = [field('text', 'both', { conflict })];
    const plan = planOf({ fields, newsletter: { Text: 'Bonn' }, crm: { text: 'Ulm' } });
    expect(plan.contactWrite?.changes).toEqual(changes);
    expect(plan.subscriptionWrites[0]?.custom_fields).toEqual(writes);
    expect(codes(plan)).toEqual(conflict === 'review' ? ['conflict'] : []);
  });

  it('is written as a list, or as one text where a separator is set', () => {
    const values = { newsletter: { List: ['b', 'a'] }, crm: { list: null } };
    const changesOf = (separator?: string) =>
      planOf({ fields: [field('list', 'to_contact', { separator })], ...values }).contactWrite?.changes;
    expect(changesOf()).toEqual({ list: ['a', 'b'] });
    expect(changesOf(', ')).toEqual({ list: 'a, b' });
    const text = planOf({
      fields: [field('text', 'to_contact', { separator: ',' })],
      newsletter: { Text: 'a' },
      crm: { text: '' },
    });
    expect(text.contactWrite?.changes).toEqual({ text: 'a' });
  });

  it('without a value is written as the empty value of the mapping', () => {
    const cleared = { fields: [field('text', 'to_contact')], newsletter: { Text: '' }, crm: { text: 'Bonn' } };
    expect(planOf(cleared).contactWrite?.changes).toEqual({ text: null });
    expect(planOf({ ...cleared, settings: { emptyValue: '' } }).contactWrite?.changes).toEqual({ text: '' });
  });

  it('that nobody delivers is not changed where the contact’s value counts, and written once where it does not', () => {
    const newsletter = { Text: 'Bonn', Number: 7, Flag: false };
    const both = planOf({ fields: [field('text', 'both'), field('number', 'to_subscription')], newsletter });
    expect([both.contactWrite?.changes, both.subscriptionWrites]).toEqual([{}, []]);
    const oneWay = { fields: [field('text', 'to_contact'), field('flag', 'to_contact')], newsletter };
    const first = planOf(oneWay);
    expect(first.contactWrite?.changes).toEqual({ text: 'Bonn' });
    const { base } = first;
    expect(planOf({ ...oneWay, base }).contactWrite).toBeNull();
    const edited = planOf({ ...oneWay, base, newsletter: { ...newsletter, Text: 'Ulm', Flag: true } });
    expect(edited.contactWrite?.changes).toEqual({ text: 'Ulm', flag: true });
  });

  it.each([
    ['no value', '', undefined, 'both', {}, null],
    ['no', false, undefined, 'both', {}, null],
    ['no', false, undefined, 'to_contact', {}, null],
    ['yes that was never agreed on', true, undefined, 'both', { flag: true }, null],
    ['yes', true, undefined, 'to_contact', { flag: true }, null],
    ['yes that both sides had', true, true, 'both', {}, [{ name: 'Flag', value: false }]],
  ] as const)(
    'box that a CRM leaves out equals %s in the newsletter, or is written',
    (_, here, agreed, way, there, back) => {
      const fields = [field('flag', way)];
      const both = (value: boolean) => planOf({ fields, newsletter: { Flag: value }, crm: { flag: value } }).base;
      const base = agreed === undefined ? undefined : both(agreed);
      const contact = { values: { flag: null }, lacks: ['flag'] };
      const { contactWrite, subscriptionWrites } = planOf({ fields, newsletter: { Flag: here }, base, contact });
      expect([contactWrite?.changes ?? {}, subscriptionWrites[0]?.custom_fields ?? null]).toEqual([there, back]);
    },
  );

  it('whose value does not fit its kind is reported with the side, and not changed', () => {
    const fields = [field('number', 'both')];
    const inNewsletter = planOf({ fields, newsletter: { Number: 'seven' }, crm: { number: 8 } });
    expect(inNewsletter.findings).toMatchObject([{ code: 'wrong_kind', field: 'number', side: 'newsletter' }]);
    const inCrm = planOf({ fields, newsletter: { Number: 7 }, crm: { number: 'eight' } });
    expect(inCrm.findings).toMatchObject([{ code: 'wrong_kind', field: 'number', side: 'crm' }]);
    for (const { subscriptionWrites, contactWrite } of [inNewsletter, inCrm])
      expect([subscriptionWrites, contactWrite?.changes]).toEqual([[], {}]);
  });

  /** Shows what a pair of one field was last given, until something else is stated. */
  const history = (direction: FieldMapping['direction'], newsletterField = 'text') => {
    const name = { text: 'Text', number: 'Number', list: 'List', flag: 'Flag' }[newsletterField] ?? '';
    let base: Base | undefined = linked;
    const shown: Record<'newsletter' | 'crm', unknown> = { newsletter: '', crm: '' };
    return {
      /** @returns what was written where, and the findings */
      run(change: Partial<typeof shown>): string {
        Object.assign(shown, change);
        const fields = [field(newsletterField, direction, { conflict: 'review', separator: ';' })];
        const plan = planOf({
          fields,
          newsletter: { [name]: shown.newsletter },
          crm: { [newsletterField]: shown.crm },
          base,
        });
        const token = plan.contactWrite?.token;
        if (token !== undefined) base = decodeToken(token, prepareMapping({ fields }, customFields, 'pub_1'));
        const [toContact] = Object.values(plan.contactWrite?.changes ?? {});
        const toSubscription = plan.subscriptionWrites[0]?.custom_fields?.[0]?.value;
        if (toContact !== undefined) shown.crm = toContact;
        if (toSubscription !== undefined) shown.newsletter = toSubscription;
        const writes = [
          ...(toContact === undefined ? [] : [`crm ← ${String(toContact)}`]),
          ...(toSubscription === undefined ? [] : [`newsletter ← ${String(toSubscription)}`]),
          ...(token !== undefined && toContact === undefined && toSubscription === undefined ? ['token'] : []),
        ];
        return [...writes, ...plan.findings.map(({ code, isNew }) => `${code}${isNew ? ' (new)' : ''}`)].join(', ');
      },
      /** The CRM answers with what it has stored. */
      answer(contact: object): void {
        const mapping = prepareMapping({ fields: [field(newsletterField, direction)] }, customFields, 'pub_1');
        if (base) base = decodeToken(withStored(encodeToken(base, mapping), { contact }, mapping), mapping);
      },
    };
  };
  it.each([
    ['crm', 'newsletter'],
    ['newsletter', 'crm'],
  ] as const)('that the %s cuts keeps its length in the %s', (cuts, keeps) => {
    const pair = history('both');
    expect(pair.run({ [keeps]: 'Frankfurt am Main' })).toBe(`${cuts} ← Frankfurt am Main`);
    expect(pair.run({ [cuts]: 'Frank' })).toBe(`token, not_accepted (new)`);
    expect(pair.run({})).toBe(`not_accepted`);
    // Both sides go on from what they show.
    expect(pair.run({ [keeps]: 'Mannheim' })).toBe(`${cuts} ← Mannheim`);
    expect(pair.run({ [cuts]: 'Mannh' })).toBe('token, not_accepted (new)');
    expect(pair.run({ [cuts]: 'Mann' })).toBe(`${keeps} ← Mann`);
    expect([pair.run({}), pair.run({})]).toEqual(['token', '']);
  });

  it('that is edited again before its form is known goes on, and tells of what it overwrites', () => {
    const pair = history('both');
    pair.run({ newsletter: 'Frankfurt am Main' });
    expect(pair.run({ newsletter: 'Ulm', crm: 'Frankfurt' })).toBe('crm ← Ulm, not_accepted (new)');
    expect([pair.run({}), pair.run({})]).toEqual(['token', '']);
  });

  it.each([true, false])('whose stored form the answer gave is edited from then on: %s', (isAnswered) => {
    const pair = history('both');
    pair.run({ newsletter: 'R&D' });
    if (isAnswered) pair.answer({ text: 'R&amp;D' });
    expect(pair.run({ crm: 'Research' })).toBe(isAnswered ? 'newsletter ← Research' : 'token, not_accepted (new)');
  });

  it('that goes one way is written twice where the side shows another form', () => {
    const pair = history('to_contact');
    expect(pair.run({ newsletter: 'Bonn' })).toBe('crm ← Bonn');
    expect(pair.run({ crm: 'BONN' })).toBe('crm ← Bonn');
    expect(pair.run({ crm: 'BONN' })).toBe('token, not_accepted (new)');
    expect(pair.run({})).toBe('not_accepted');
    expect(pair.run({ newsletter: 'Ulm' })).toBe('crm ← Ulm');
  });

  it('whose echo came is written again without a finding, however often it is edited', () => {
    const pair = history('to_contact');
    pair.run({ newsletter: 'Bonn' });
    for (let edits = 0; edits < 4; edits += 1) {
      expect(pair.run({ crm: 'Ulm' })).toBe('crm ← Bonn');
      // The second write of a value is forgotten once it arrived.
      expect(pair.run({})).toBe(edits % 2 === 0 ? 'token' : '');
    }
    const twoWay = history('both');
    twoWay.run({ newsletter: 'Bonn', crm: 'Bonn' });
    for (let edits = 0; edits < 4; edits += 1) {
      expect(twoWay.run({ crm: `Ulm` })).toBe('newsletter ← Ulm');
      expect(twoWay.run({})).toMatch(/^(?:token)?$/);
      expect(twoWay.run({ newsletter: 'Bonn' })).toBe('crm ← Bonn');
      expect(twoWay.run({})).toMatch(/^(?:token)?$/);
    }
  });

  it('remembers what was reported of it in whatever row it is', () => {
    const rows = [field('number', 'to_contact'), field('text', 'both')];
    const sides = { newsletter: { Number: 'seven', Text: 'Bonn' }, crm: { number: 8, text: 'Bonn' } };
    const first = planOf({ ...sides, fields: rows, base: linked });
    expect(first.findings).toMatchObject([{ code: 'wrong_kind', isNew: true }]);
    const turned = rows.toReversed();
    const mapping = prepareMapping({ fields: turned }, customFields, 'pub_1');
    const base = decodeToken(first.contactWrite?.token, mapping);
    const second = planOf({ ...sides, fields: turned, base });
    expect(second).toMatchObject({ contactWrite: null, findings: [{ code: 'wrong_kind', isNew: false }] });
  });

  it.each([
    ['to_contact', 'crm'],
    ['to_subscription', 'newsletter'],
  ] as const)('of direction %s is written twice while the %s keeps showing another value', (direction, side) => {
    const run = (base: Base | undefined, value: string): PairPlan => {
      const [newsletter, crm] = side === 'crm' ? [value, 'other'] : ['other', value];
      const fields = [field('text', direction)];
      return planOf({ fields, newsletter: { Text: newsletter }, crm: { text: crm }, base });
    };
    const isWritten = ({ subscriptionWrites, contactWrite }: PairPlan): boolean =>
      subscriptionWrites.length > 0 || Object.keys(contactWrite?.changes ?? {}).length > 0;
    const first = run(linked, 'Bonn');
    expect([isWritten(first), first.findings]).toEqual([true, []]);
    expect(first.base.fields).toEqual([{ agreed: expect.any(Number) as number }]);
    const second = run(first.base, 'Bonn');
    expect([isWritten(second), second.findings]).toEqual([true, []]);
    const third = run(second.base, 'Bonn');
    expect(isWritten(third)).toBe(false);
    expect(third.findings).toMatchObject([{ code: 'not_accepted', field: 'text', side, isNew: true }]);
    expect(third.base.fields).toEqual([{ ...second.base.fields[0], reported: true }]);
    const fourth = run(third.base, 'Bonn');
    expect(fourth).toMatchObject({ contactWrite: null, findings: [{ code: 'not_accepted', side, isNew: false }] });
    const next = run(fourth.base, 'Ulm');
    expect([isWritten(next), next.findings]).toEqual([true, []]);
  });
});

describe('the address', () => {
  const moved = { subscription: { email: 'ada@new.example' } };
  const { base } = planOf({ base: linked });

  it.each([
    ['write', { email: 'ada@new.example' }, []],
    ['report', {}, ['address_changed_in_newsletter']],
  ] as const)(
    'that changed in the newsletter follows the action %s',
    (addressChangedInNewsletter, changes, reported) => {
      const plan = planOf({ ...moved, base, settings: { situations: { addressChangedInNewsletter } } });
      expect(plan.contactWrite?.changes).toEqual(changes);
      expect(codes(plan)).toEqual(reported);
    },
  );

  it('that changed in the CRM is reported, also with spaces around it, and where it changed on both sides', () => {
    const contact = { email: ' ada@elsewhere.example ' };
    expect(codes(planOf({ contact, base }))).toEqual(['address_changed_in_crm']);
    expect(codes(planOf({ ...moved, contact, base }))).toEqual(['address_changed_on_both_sides']);
  });

  it('is not compared where that of the contact is invalid', () => {
    const plan = planOf({ ...moved, contact: { email: 'nobody' }, base });
    expect([plan.findings, plan.contactWrite, plan.base.address]).toEqual([[], null, base.address]);
  });

  it('is the same in another case', () => {
    expect(planOf({ contact: { email: 'ADA@example.com' }, base })).toMatchObject({ contactWrite: null, findings: [] });
  });
});

describe('the token', () => {
  const both: FieldMapping = { newsletter: 'text', contact: 'text', direction: 'both' };
  const toContact: FieldMapping = { newsletter: 'text', contact: 'text', direction: 'to_contact' };
  const same = { newsletter: { Text: 'Bonn' }, crm: { text: 'Bonn' }, contact: { token: '' } };

  it.each<[string, Sides, boolean]>([
    ['where a field goes both ways', { ...same, fields: [both] }, true],
    ['not where every field goes one way', { ...same, fields: [toContact] }, false],
    ['where the contact has a token already', { ...same, fields: [toContact], contact: { token: 'damaged' } }, true],
    [
      'where the person has left the newsletter',
      { ...same, subscription: { status: 'inactive' }, contact: { token: '', optOut: undefined } },
      true,
    ],
    [
      'where a finding was reported',
      { fields: [{ ...toContact, newsletter: 'number' }], newsletter: { Number: 'seven' }, contact: { token: '' } },
      true,
    ],
    [
      'where the person is opted out',
      {
        settings: { optOut: { contact: 'no_mail', setOnUnsubscribe: false } },
        subscription: { status: 'inactive' },
        contact: { token: '', optOut: true },
      },
      true,
    ],
    ['not where values wait', { ...same, fields: [both], options: { valuesWait: true } }, false],
  ])('is written %s', (_, sides, isWritten) => {
    expect(planOf(sides).contactWrite !== null).toBe(isWritten);
  });

  const settings = { optOut: { contact: 'no_mail' } };
  const current = planOf({ base: linked, settings, contact: { optOut: false } }).base;
  it.each<[string, Base, boolean]>([
    ['not where it would hold the same', current, false],
    ['where the address changed', { ...current, address: 1 }, true],
    ['where the consent changed', { ...current, consent: 'unknown' }, true],
    ['where the opt-out changed', { ...current, optOut: true }, true],
    ['where a finding is over', { ...current, reported: 1 }, true],
  ])('is written %s', (_, base, isWritten) => {
    expect(planOf({ base, settings, contact: { optOut: false } }).contactWrite !== null).toBe(isWritten);
  });

  it('keeps the address and the values it had while values wait', () => {
    const base = { ...linked, address: 7, fields: [{ agreed: 9 }] };
    const plan = planOf({
      fields: [both],
      newsletter: { Text: 'Bonn' },
      crm: { text: '' },
      base,
      options: { valuesWait: true },
    });
    expect(plan).toMatchObject({
      subscriptionWrites: [],
      contactWrite: null,
      base: { ...base, contact: expect.any(Number) },
    });
  });

  it('that is not written records no consent', () => {
    const left = { subscription: { status: 'inactive' }, contact: { token: '' } };
    expect(planOf(left).consent).toHaveLength(1);
    expect(planOf({ ...left, options: { valuesWait: true } })).toMatchObject({ contactWrite: null, consent: [] });
  });
});

describe('an erased person', () => {
  const erased = { subscription: { email: ' redacted@redacted.INVALID ', status: 'inactive' }, base: linked };

  it('is reported, and nothing is copied', () => {
    const plan = planOf({
      ...erased,
      fields: [{ newsletter: 'text', contact: 'text', direction: 'both' }],
      crm: { text: 'a' },
    });
    expect(plan).toMatchObject({
      subscriptionWrites: [],
      contactWrite: { id: 'c1', changes: {} },
      consent: [],
      changes: [],
    });
    expect(codes(plan)).toEqual(['erased']);
    const token = plan.contactWrite?.token;
    expect(planOf({ ...erased, base: plan.base, contact: { token } }).contactWrite).toBeNull();
  });

  it('is not one whose address only contains .invalid', () => {
    const plan = planOf({ ...erased, subscription: { email: 'ada@mail.invalid.example', status: 'active' } });
    expect(codes(plan)).not.toContain('erased');
  });
});

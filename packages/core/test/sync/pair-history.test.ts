/** One pair over several runs: the worked example, consent, addresses and conflicts. */
import {
  decodeToken,
  planPair,
  prepareMapping,
  type PairPlan,
  type SyncContact,
  type SyncMapping,
  type SyncSubscription,
} from '@newsletter-kit/core/sync';
import { describe, expect, it } from 'vitest';

const city = 'c0000000-0000-4000-8000-000000000001';
const mapping: SyncMapping = {
  fields: [
    { newsletter: city, contact: 'city', direction: 'both', conflict: 'crm' },
    { newsletter: 'status', contact: 'newsletter_status', direction: 'to_contact' },
  ],
  optOut: { contact: 'do_not_mail' },
};

/** A newsletter and a CRM that store what they are given. */
class Pair {
  fieldName = 'City';
  subscription = {
    id: 'sub_00000000-0000-4000-8000-00000000000a',
    email: 'ada@example.com',
    status: 'active',
    created: 1,
  };
  city: string | null = null;
  contact: Record<string, unknown> = {
    id: 'c1',
    email: 'ada@example.com',
    city: '',
    newsletter_status: '',
    do_not_mail: false,
    token: null,
  };

  plan(settings: SyncMapping = mapping): PairPlan {
    const ready = prepareMapping(settings, [{ id: city, display: this.fieldName, kind: 'string' }], 'pub_1');
    const { id, email, do_not_mail: optOut, token, ...values } = this.contact;
    const contact: SyncContact = { id: String(id), email: String(email), optOut, token, values, row: 1 };
    const subscription: SyncSubscription = {
      ...this.subscription,
      custom_fields: this.city === null ? [] : [{ name: this.fieldName, value: this.city }],
    };
    return planPair({ subscription, contact, base: decodeToken(token, ready) }, ready);
  }

  /** @param parts - which of the two writes are made */
  apply({ subscriptionWrites, contactWrite }: PairPlan, parts: 'both' | 'newsletter' = 'both'): void {
    if (subscriptionWrites[0]?.unsubscribe) this.subscription.status = 'inactive';
    for (const field of subscriptionWrites[0]?.custom_fields ?? [])
      this.city = field.delete ? null : String(field.value);
    if (contactWrite && parts === 'both')
      Object.assign(this.contact, contactWrite.changes, { token: contactWrite.token });
  }

  run(parts?: 'both' | 'newsletter'): PairPlan {
    const plan = this.plan();
    this.apply(plan, parts);
    return plan;
  }
}

const codes = ({ findings }: PairPlan): readonly string[] => findings.map(({ code }) => code);

describe('planPair', () => {
  it('follows the worked example of the design', () => {
    const pair = new Pair();
    pair.city = 'Bonn';
    expect(pair.run().contactWrite?.changes).toEqual({ city: 'Bonn', newsletter_status: 'active' });
    // The next reading shows what the CRM has stored.
    expect(pair.run().contactWrite?.changes).toEqual({});
    expect(pair.run().contactWrite).toBeNull();

    pair.city = 'Köln';
    expect(pair.run().contactWrite?.changes).toEqual({ city: 'Köln' });
    pair.run();

    pair.contact['city'] = 'Cologne';
    const killed = pair.run('newsletter');
    expect(killed.subscriptionWrites[0]?.custom_fields).toEqual([{ name: 'City', value: 'Cologne' }]);
    const resumed = pair.run();
    expect(resumed.subscriptionWrites).toEqual([]);
    expect(resumed.contactWrite?.changes).toEqual({});

    pair.city = 'Trier';
    pair.contact['city'] = 'Aachen';
    expect(pair.run().subscriptionWrites[0]?.custom_fields).toEqual([{ name: 'City', value: 'Aachen' }]);

    pair.subscription.status = 'inactive';
    pair.contact['city'] = 'Jena';
    const left = pair.run();
    expect(left.contactWrite?.changes).toEqual({ do_not_mail: true, newsletter_status: 'inactive' });
    // The leave travels alone.
    expect([left.subscriptionWrites, pair.run().subscriptionWrites]).toEqual([
      [],
      [{ subscription_id: pair.subscription.id, custom_fields: [{ name: 'City', value: 'Jena' }] }],
    ]);
    pair.run();

    pair.subscription.status = 'active';
    const back = pair.run();
    expect(codes(back)).toEqual(['active_while_opted_out']);
    expect(back.subscriptionWrites).toEqual([]);
    expect(back.findings[0]?.isNew).toBe(true);
    const again = pair.run();
    expect(codes(again)).toEqual(['active_while_opted_out']);
    expect(again.findings[0]?.isNew).toBe(false);
    expect(again.contactWrite).toBeNull();

    pair.contact['do_not_mail'] = false;
    const cleared = pair.run();
    expect(cleared.subscriptionWrites).toEqual([]);
    expect(cleared.contactWrite?.changes).toEqual({});

    pair.fieldName = 'Town';
    const renamed = pair.run();
    expect([renamed.subscriptionWrites, renamed.contactWrite]).toEqual([[], null]);

    pair.contact['email'] = 'ada@new.example';
    expect(codes(pair.run())).toEqual(['address_changed_in_crm']);
  });

  it('remembers on which side the person opted out', () => {
    const pair = new Pair();
    pair.run();
    pair.contact['do_not_mail'] = true;
    const optedOut = pair.run();
    expect(optedOut.subscriptionWrites[0]?.unsubscribe).toBe(true);
    expect(optedOut.consent).toEqual([
      {
        saidBy: 'crm',
        subscriptionId: pair.subscription.id,
        contactId: 'c1',
        field: 'do_not_mail',
        written: { side: 'newsletter', field: 'status', value: 'inactive' },
      },
    ]);
    expect(pair.run().base.consent).toBe('opted_out_in_crm');
    pair.contact['do_not_mail'] = false;
    expect(pair.run().subscriptionWrites).toEqual([]);
  });

  it('copies an unsubscribe once, also where the opt-out is not delivered', () => {
    const pair = new Pair();
    pair.run();
    pair.subscription.status = 'inactive';
    pair.contact['do_not_mail'] = undefined;
    const carried = pair.run();
    expect(carried.contactWrite?.changes).toEqual({ do_not_mail: true, newsletter_status: 'inactive' });
    expect(carried.consent).toMatchObject([{ saidBy: 'newsletter', field: 'status', written: { side: 'crm' } }]);
    pair.contact['do_not_mail'] = undefined;
    expect(pair.run().contactWrite).toBeNull();
  });

  it('writes the subscription’s new address to the contact', () => {
    const pair = new Pair();
    pair.run();
    pair.subscription.email = 'ada@new.example';
    expect(pair.run().contactWrite?.changes).toEqual({ email: 'ada@new.example' });
    expect(pair.run().contactWrite).toBeNull();
    pair.subscription.email = 'ada@newer.example';
    pair.contact['email'] = 'ada@elsewhere.example';
    expect(codes(pair.run())).toEqual(['address_changed_on_both_sides']);
  });

  it('leaves a conflict to a person where the rule is review', () => {
    const pair = new Pair();
    pair.run();
    [pair.city, pair.contact['city']] = ['Ulm', 'Trier'];
    const fields = mapping.fields.map((field) => ({ ...field, conflict: 'review' as const }));
    const plan = pair.plan({ ...mapping, fields });
    expect(plan).toMatchObject({ subscriptionWrites: [], findings: [{ code: 'conflict', field: 'city' }] });
    expect(plan.contactWrite?.changes).toEqual({});
  });
});

/** One pair over several runs: the worked example of the design. */
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

  plan(): PairPlan {
    const ready = prepareMapping(mapping, [{ id: city, display: this.fieldName, kind: 'string' }], 'pub_1');
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
});

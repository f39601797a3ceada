/**
 * Contact sync never takes one person for another: copies, merges, swapped and sorted columns, further addresses,
 * people who came back after they were erased, overlapping runs. `histories.slow.test.ts` plays many more.
 */
import * as fc from 'fast-check';
import { expect, it } from 'vitest';
import { rightPerson } from './people.ts';
import { fieldIds, World } from './world.ts';

it('reaches the right person in 500 histories', () => {
  fc.assert(rightPerson(), { numRuns: 500 });
});

it('joins the twins of two runs that overlap, and goes on with one of each', () => {
  const word = fc.constantFrom('Ulm', 'Bonn', 'Jena');
  fc.assert(
    fc.property(fc.integer({ min: 1, max: 12 }), word, word, fc.boolean(), (count, before, after, isPerson) => {
      const world = new World({}, { newsletter: 'as given', crm: 'as given' });
      for (let number = 0; number < count; number += 1)
        world.editPerson(world.subscribe(`reader-${number}@example.com`), 'city', before);
      world.overlap();
      expect(world.contacts).toHaveLength(2 * count);
      const { findings } = world.run().plan;
      expect(findings.map(({ code }) => code)).toEqual(Array(count).fill('twin'));
      const twins = new Set(findings.map(({ contactId }) => contactId));
      const kept = world.contacts.filter(({ id }) => !twins.has(id));
      for (const person of world.persons) if (isPerson) world.editPerson(person, 'city', after);
      for (const contact of kept) if (!isPerson) world.editContact(contact, 'city', after);
      world.run();
      for (const contact of kept) expect(contact.values['city']).toBe(after);
      for (const person of world.persons) expect(person.fields.get(fieldIds.city.id)).toBe(after);
      // What the CRM has stored is known from its next list.
      world.run();
      expect(world.run().writes).toBe(0);
    }),
    { numRuns: 200 },
  );
});

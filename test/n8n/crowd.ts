/** A seed with more than one page of each kind of record. */
import type { Seed } from '@newsletter-kit/sandbox';
import { publicationId } from '@newsletter-kit/sandbox';

/** Two and a half pages. */
export const crowdSize = 250;

/** The name to search, in the middle of the list, so that it is on no first page in any order. */
export const sought = 'Größe & Gewicht';

/** Numbered names, with {@link sought} in the middle. */
const names = Array.from({ length: crowdSize }, (_, index) => (index === crowdSize / 2 ? sought : `Number ${index}`));
const addresses = names.map((_, index) => `person.${index}@example.com`);
const created = 1_700_000_000;

export const crowd: Seed = {
  publications: [
    {
      id: publicationId,
      name: 'The Crowd',
      tiers: [{ name: 'Patron' }],
      custom_fields: names.map((display) => ({ display, kind: 'string' })),
      subscriptions: addresses.map((email, index) => ({ email, created: created + index })),
      automations: [
        ...names.slice(1).map((name) => ({ name, trigger_events: ['api' as const] })),
        {
          name: 'Everybody',
          trigger_events: ['api'],
          journeys: addresses.map((email) => ({ email, status: 'completed' as const })),
        },
      ],
      authors: names.map((name, index) => ({ name, created: created + index })),
      complimentary_access: names.map((description) => ({
        tier: 'Patron',
        duration: null,
        time_unit: 'forever' as const,
        description,
      })),
      condition_sets: names.map((name) => ({
        name,
        conditions: { all: [{ attribute: 'utm_source', in: ['podcast'] }] },
      })),
    },
  ],
};

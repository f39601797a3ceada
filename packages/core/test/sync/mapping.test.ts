/** Validation of a sync's settings. */
import { checkMapping, MappingError, prepareMapping } from '@newsletter-kit/core/sync';
import { describe, expect, it } from 'vitest';

function problemsOf(mapping: unknown): readonly string[] {
  try {
    checkMapping(mapping);
  } catch (error) {
    if (error instanceof MappingError) return error.problems;
    throw error;
  }
  return [];
}

describe('checkMapping', () => {
  it.each([
    [7, 'It must be an object.'],
    [{}, '"fields" must be a list.'],
    [{ fields: [], feilds: [] }, '"feilds" is no setting.'],
    [{ fields: ['city'] }, '"fields[0]" must be an object.'],
    [{ fields: [{ newsletter: '', contact: 'city', direction: 'both' }] }, '"fields[0].newsletter" must be a name.'],
    [
      { fields: [{ newsletter: 'a', contact: 'b', direction: 'both', colour: 'red' }] },
      '"fields[0].colour" is no setting. There are: newsletter, contact, direction, conflict, separator.',
    ],
    [
      { fields: [{ newsletter: 'a', contact: 'b', direction: 'both', separator: '' }] },
      '"fields[0].separator" must be a text that is not empty.',
    ],
    [{ fields: [{ newsletter: 'a', contact: 'b' }] }, '"fields[0].direction" is one of: to_contact'],
    [{ fields: [{ newsletter: 'status', contact: 'b', direction: 'both' }] }, 'the API does not change "status"'],
    [
      {
        fields: [
          { newsletter: 'a', contact: 'x', direction: 'both' },
          { newsletter: 'b', contact: 'x', direction: 'to_contact' },
        ],
      },
      'fields[1]: the contact’s "x" is written by another field already.',
    ],
    [{ fields: [], subscribe: 'always' }, '"subscribe" is one of: never'],
    [{ fields: [], subscribe: 'on_consent' }, 'name the contact’s consent field'],
    [{ fields: [], subscribe: 'on_consent', consent: '' }, '"consent" must be a name.'],
    [{ fields: [], contact: { mail: 'email' } }, '"contact.mail" is no setting. There are: id, email, token.'],
    [{ fields: [], optOut: {} }, '"optOut.contact" must be a name.'],
    [{ fields: [], optOut: { contact: 'x', setOnUnsubscribe: 'no' } }, 'setOnUnsubscribe" must be true or false.'],
    [{ fields: [], emptyValue: 0 }, '"emptyValue" is one of: null, "".'],
    [{ fields: [], missingIsEmpty: 1 }, '"missingIsEmpty" must be true or false.'],
    [{ fields: [], breaker: { most: 3 } }, '"breaker.most" is no setting.'],
    [
      { fields: [{ newsletter: 'status', contact: 'x', direction: 'to_contact' }], optOut: { contact: 'x' } },
      'belongs into a field of its own',
    ],
    [{ fields: [], situations: { lost: 'leave' } }, '"situations.lost" is no setting. There are: newSubscription,'],
    [{ fields: [], situations: { ambiguous: 'guess' } }, '"situations.ambiguous" is one of: wait, use_linked.'],
    [{ fields: [], breaker: { share: 5 } }, '"breaker.share" is a number from 0 to 1.'],
    [
      {
        fields: Array.from({ length: 15 }, (_, index) => ({
          newsletter: `f${index}`,
          contact: `c${index}`,
          direction: 'both',
        })),
      },
      'Map fewer fields',
    ],
  ])('names what is wrong with %j', (mapping, problem) => {
    expect(problemsOf(mapping).join('\n')).toContain(problem);
  });

  it('takes fourteen fields that go both ways', () => {
    const fields = Array.from({ length: 14 }, (_, index) => ({
      newsletter: `f${index}`,
      contact: `c${index}`,
      direction: 'both',
    }));
    expect(problemsOf({ fields })).toEqual([]);
  });
});

it('asks for the id where a mapping names a custom field by its name', () => {
  const mapping = { fields: [{ newsletter: 'City', contact: 'city', direction: 'both' }] } as const;
  expect(() => prepareMapping(mapping, [{ id: 'c0', display: 'City', kind: 'string' }], 'key')).toThrow(
    'use its id, c0',
  );
});

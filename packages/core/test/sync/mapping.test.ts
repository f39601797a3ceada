/** Validation of a sync's settings. */
import { checkMapping, MappingError } from '@newsletter-kit/core/sync';
import { describe, expect, it } from 'vitest';

function problemsOf(mapping: unknown): readonly string[] {
  try {
    checkMapping(mapping);
  } catch (error) {
    if (!(error instanceof MappingError)) throw error;
    expect(error.name).toBe('MappingError');
    return error.problems;
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
    [{ fields: [], subscribe: 'on_consent', consent: '' }, '"consent" must be a name.'],
    [
      { fields: [], contact: { mail: 'email' } },
      '"contact.mail" is no setting. There are: id, email, token, furtherAddresses, mergedInto.',
    ],
    [{ fields: [], optOut: {} }, '"optOut.contact" must be a name.'],
    [{ fields: [], optOut: { contact: 'x', setOnUnsubscribe: 'no' } }, 'setOnUnsubscribe" must be true or false.'],
    [{ fields: [], emptyValue: 0 }, '"emptyValue" is one of: null, "".'],
    [{ fields: [], breaker: { most: 3 } }, '"breaker.most" is no setting.'],
    [{ fields: [], situations: { lost: 'leave' } }, '"situations.lost" is no setting. There are: newSubscription,'],
    [
      { fields: [], situations: { newSubscription: 'guess' } },
      '"situations.newSubscription" is one of: create_contact, leave.',
    ],
    [{ fields: [], breaker: { share: 5 } }, '"breaker.share" is a number from 0 to 1.'],
  ])('names what is wrong with %j', (mapping, problem) => {
    expect(problemsOf(mapping).join('\n')).toContain(problem);
  });

  const field = { newsletter: 'a', contact: 'b', direction: 'both' };
  it.each([
    { fields: [], subscribe: 'never' },
    { fields: [], subscribe: 'with_confirmation' },
    { fields: [], subscribe: 'on_consent', consent: 'agreed' },
    { fields: [], subscribe: undefined, consent: undefined, situations: undefined },
    { fields: [], emptyValue: null },
    { fields: [], emptyValue: '' },
    { fields: [], contact: { id: 'id', email: 'properties.email', token: 'token' } },
    { fields: [], contact: {} },
    { fields: [], optOut: { contact: 'no_mail', setOnUnsubscribe: false } },
    { fields: [], breaker: {} },
    { fields: [], breaker: { share: 0, atLeast: 0 } },
    { fields: [], breaker: { share: 1, atLeast: 1000 } },
    ...['create_contact', 'leave'].map((newSubscription) => ({ fields: [], situations: { newSubscription } })),
    ...['write', 'report'].map((addressChangedInNewsletter) => ({
      fields: [],
      situations: { addressChangedInNewsletter },
    })),
    ...['to_contact', 'to_subscription', 'both'].map((direction) => ({ fields: [{ ...field, direction }] })),
    ...['newsletter', 'crm', 'review'].map((conflict) => ({ fields: [{ ...field, conflict, separator: ';' }] })),
    { fields: [{ ...field, newsletter: 'status', direction: 'to_contact' }], optOut: { contact: 'no_mail' } },
    {
      fields: [
        { ...field, direction: 'to_contact' },
        { ...field, contact: 'c', direction: 'to_subscription' },
      ],
    },
    {
      fields: [
        { ...field, direction: 'to_subscription' },
        { ...field, newsletter: 'c', direction: 'to_subscription' },
      ],
    },
  ])('accepts %j', (mapping) => {
    expect(problemsOf(mapping)).toEqual([]);
  });

  it.each([
    [{ fields: [], optOut: 'no_mail' }, ['"optOut" must be an object.']],
    [{ fields: [], contact: [] }, ['"contact" must be an object.']],
    [{ fields: [], situations: 'leave' }, ['"situations" must be an object.']],
    [{ fields: [], breaker: 5 }, ['"breaker" must be an object.']],
    [
      { fields: [], breaker: { share: -1, atLeast: '3' } },
      ['"breaker.share" is a number from 0 to 1.', '"breaker.atLeast" is a number from 0.'],
    ],
    [
      { fields: [], subscribe: 'on_consent' },
      ['"subscribe" is on_consent: name the contact’s consent field in "consent".'],
    ],
    [
      { fields: [{}] },
      [
        '"fields[0].newsletter" must be a name.',
        '"fields[0].contact" must be a name.',
        '"fields[0].direction" is one of: to_contact, to_subscription, both.',
      ],
    ],
    [
      { fields: [field, { ...field, contact: 'c', direction: 'to_subscription' }] },
      ['fields[1]: the newsletter’s "a" is written by another field already.'],
    ],
    [
      { fields: [{ ...field, newsletter: 'utm_source' }] },
      ['fields[0]: the API does not change "utm_source"; its direction can only be to_contact.'],
    ],
    [
      { fields: [{ ...field, contact: 'no_mail' }], optOut: { contact: 'no_mail' } },
      ['"no_mail" is the opt-out and a mapped field. The status of the subscription belongs into a field of its own.'],
    ],
    [
      { constructor: 1, fields: [] },
      [
        '"constructor" is no setting. There are: fields, contact, optOut, subscribe, consent, situations, emptyValue, breaker, mostWrites.',
      ],
    ],
  ])('lists every problem of %j', (mapping, problems) => {
    expect(problemsOf(mapping)).toEqual(problems);
    expect(() => checkMapping(mapping)).toThrow(`The mapping can't be used:\n- ${problems.join('\n- ')}`);
  });

  it('counts 7 characters of the token for a field that only goes to the contact, and 11 for any other', () => {
    const fieldsOf = (both: number, oneWay: number) => [
      ...Array.from({ length: both }, (_, index) => ({
        newsletter: `f${index}`,
        contact: `c${index}`,
        direction: 'both',
      })),
      ...Array.from({ length: oneWay }, (_, index) => ({
        newsletter: `g${index}`,
        contact: `d${index}`,
        direction: 'to_contact',
      })),
    ];
    expect(problemsOf({ fields: fieldsOf(18, 2) })).toEqual([]);
    expect(problemsOf({ fields: fieldsOf(0, 30) })).toEqual([]);
    expect(problemsOf({ fields: fieldsOf(19, 1) })).toEqual([
      'The fields need a token of 259 characters, and it has 255: 43 without fields, 7 for a field that only goes to the contact, 11 for any other. Map fewer fields.',
    ]);
  });
});

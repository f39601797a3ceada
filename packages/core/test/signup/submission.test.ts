/** Form posts in the shape of JSON posts. */
import { describe, expect, it } from 'vitest';
import { formToObject } from '../../src/signup/index.ts';

describe('formToObject', () => {
  it('makes of a form post what the JSON post would have been', () => {
    const form = new URLSearchParams([
      ['email', 'ada+news@example.com'],
      ['utm_source', 'fair'],
      ['custom_fields[First name]', 'Ada'],
      ['custom_fields[Topics][]', 'ai'],
      ['custom_fields[Topics][]', 'design'],
      ['custom_fields[Colours]', 'red'],
      ['custom_fields[Colours]', 'blue'],
    ]);
    expect(formToObject(form)).toEqual({
      email: 'ada+news@example.com',
      utm_source: 'fair',
      custom_fields: [
        { name: 'First name', value: 'Ada' },
        { name: 'Topics', value: ['ai', 'design'] },
        { name: 'Colours', value: ['red', 'blue'] },
      ],
    });
  });

  it('makes a list of a single choice', () => {
    expect(formToObject([['custom_fields[Topics][]', 'ai']])).toEqual({
      custom_fields: [{ name: 'Topics', value: ['ai'] }],
    });
  });

  it('keeps values that have a type already', () => {
    expect(
      formToObject<string | number | boolean>([
        ['email', 'a@b.co'],
        ['custom_fields[Age]', 42],
        ['custom_fields[Vegan]', false],
      ]),
    ).toEqual({
      email: 'a@b.co',
      custom_fields: [
        { name: 'Age', value: 42 },
        { name: 'Vegan', value: false },
      ],
    });
  });

  it('takes the first of a name that may stand only once', () => {
    expect(
      formToObject([
        ['email', 'a@b.co'],
        ['email', 'c@d.co'],
      ]),
    ).toEqual({ email: 'a@b.co' });
  });

  it('takes hostile names as names', () => {
    const object = formToObject([
      ['__proto__', 'x'],
      ['constructor', 'y'],
      ['custom_fields[__proto__]', 'z'],
    ]);
    expect(Object.getPrototypeOf({})).toBe(Object.prototype);
    expect(({} as Record<string, unknown>)['x']).toBeUndefined();
    expect(object['constructor']).toBe('y');
    expect(object['custom_fields']).toEqual([{ name: '__proto__', value: 'z' }]);
  });
});

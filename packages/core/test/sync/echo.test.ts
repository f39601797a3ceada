/** What a side shows in place of a value that was written to it: another form of the value, or somebody's edit. */
import { prepareMapping, type ValueKind } from '@newsletter-kit/core/sync';
import { describe, expect, it } from 'vitest';
import { readValue } from '../../src/sync/mapping/canonical-value.ts';
import { isEcho } from '../../src/sync/decide/echo.ts';

describe('what a side shows', () => {
  it.each<[written: unknown, shown: unknown, kind: ValueKind, decision: 'echo' | 'edit', what: string]>([
    ['Frankfurt am Main', 'Frank', 'string', 'echo', 'cut'],
    ['Frankfurt am Main', 'frank', 'string', 'echo', 'cut and in lower case'],
    ['Bonn', 'BONN', 'string', 'echo', 'in upper case'],
    ['Bonn', 'bonn', 'string', 'echo', 'in lower case'],
    ['first\nsecond', 'first second', 'string', 'echo', 'on one line'],
    ['a  b', 'a b', 'string', 'echo', 'with single blanks'],
    ['Ｂｏｎｎ', 'Bonn', 'string', 'echo', 'in another Unicode form'],
    ['Ada', '', 'string', 'edit', 'cleared'],
    ['köln', 'Köln', 'string', 'edit', 'corrected'],
    ['Bonn', 'Ulm', 'string', 'edit', 'changed'],
    ['Frank', 'Frankfurt', 'string', 'edit', 'made longer'],
    [['Food; Drink', 'Art'], ['Food', 'Drink', 'Art'], 'list', 'echo', 'split at a separator'],
    [['Food', 'Art'], ['food', 'art'], 'list', 'echo', 'in lower case'],
    [['Art', 'Food', 'Music'], ['Art', 'Fo'], 'list', 'echo', 'cut within a member'],
    [['Art', 'Food'], ['Art'], 'list', 'edit', 'without a member'],
    [['Art', 'Food'], ['Art', 'Food', 'Music'], 'list', 'edit', 'with another member'],
    [['Art', 'Food'], ['Art', 'Books'], 'list', 'edit', 'changed'],
    [['Art', 'Food', 'Music'], ['A', 'Fo'], 'list', 'edit', 'cut in two members'],
    ['1.236', 1.24, 'double', 'echo', 'rounded'],
    ['1.236', 1.23, 'double', 'echo', 'cut'],
    [1.6, 2, 'double', 'echo', 'rounded to an integer'],
    ['12', '1', 'double', 'edit', 'changed'],
    ['9007199254740993', 9_007_199_254_740_992, 'integer', 'echo', 'as a number cannot be kept'],
    [123, 12, 'integer', 'edit', 'changed'],
    ['2024-05-01T08:50:45Z', '2024-05-01T08:50:00Z', 'datetime', 'echo', 'without seconds'],
    ['2024-05-01T08:50:45Z', '2024-05-01', 'datetime', 'echo', 'as a day'],
    ['2024-05-01T08:50:45Z', '2024-05-01T09:00:00Z', 'datetime', 'edit', 'changed'],
    ['2024-05-10T00:00:00Z', '2024-05-01T00:00:00Z', 'datetime', 'edit', 'changed'],
    ['2024-05-01', '2024-04-30', 'date', 'edit', 'changed'],
    ['yes', 'no', 'boolean', 'edit', 'changed'],
  ])('after %j was written, %j of kind %s, is an %s: %s', (written, shown, kind, decision) => {
    const [field] = prepareMapping(
      { fields: [{ newsletter: 'f1', contact: 'field', direction: 'both', separator: ';' }] },
      [{ id: 'f1', display: 'Field', kind }],
      'pub_1',
    ).fields;
    const text = (value: unknown): string => {
      const reading = readValue(kind, value);
      return reading.state === 'value' ? reading.text : '';
    };
    expect(field && isEcho(field, text(written), text(shown))).toBe(decision === 'echo');
  });

  it('of a list that is no single text is no echo where it lost letters', () => {
    const [field] = prepareMapping(
      { fields: [{ newsletter: 'f1', contact: 'field', direction: 'both' }] },
      [{ id: 'f1', display: 'Field', kind: 'list' }],
      'pub_1',
    ).fields;
    expect(field && isEcho(field, 'Art\u001fFood', 'Art\u001fFo')).toBe(false);
  });
});

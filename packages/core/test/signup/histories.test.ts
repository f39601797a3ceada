/** The histories of visits, walked without a browser; `test/widget/histories.test.ts` walks them in the tag. */
import { describe, expect, it, test } from 'vitest';
import { chooseTouch, clickSource, referrerSource } from '../../src/signup/index.ts';
import { histories, links, roads, type Link, type Sent } from './histories/index.ts';
import { generate } from './histories/page.ts';
import { walk, type WalkOptions } from './histories/walk.ts';
import { expectUpToDate } from '../../../../test/support/up-to-date.ts';

/** How a page with these attributes reads its visits. */
function optionsOf({ attributes = {}, details = {} }: Sent): WalkOptions {
  const refIs = attributes['ref-is'];
  return {
    referralParameter: attributes['referral-param'],
    refIs: refIs === undefined || refIs === 'code' || refIs === 'source' ? refIs : 'none',
    details: Object.keys(details),
    sameSite: attributes['same-site']?.split(' '),
    clickSource: 'click-ids' in attributes ? clickSource : undefined,
    referrerSource: 'referrer-medium' in attributes ? referrerSource : undefined,
    remembers: attributes['storage'] !== 'none',
  };
}

const cases = (rows: readonly Link[]): readonly { readonly name: string; readonly row: Link; readonly sent: Sent }[] =>
  rows.flatMap((row) =>
    row.sent.map((sent) => ({ name: [row.title, ...Object.keys(sent.attributes ?? {})].join(' + '), row, sent })),
  );

describe('histories of visits', () => {
  it('are forty, and thirty roads', () => {
    expect([histories, roads].map(({ length }) => length)).toEqual([40, 30]);
  });

  test.each(cases([...histories, ...roads, ...links]))('$name', ({ row, sent }) => {
    const { touches } = walk(row.steps, optionsOf(sent));
    const touch = chooseTouch(touches, sent.attributes?.['attribution'] === 'last' ? 'last' : 'first');
    expect(touch?.attribution ?? {}).toEqual(sent.attribution);
    expect(touch?.details ?? {}).toEqual(sent.details ?? {});
  });
});

it('are in the documentation', () => {
  expectUpToDate(generate());
});

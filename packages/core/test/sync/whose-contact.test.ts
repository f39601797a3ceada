/** Whose contact is this? Each situation with its decision, and what the planner makes of it. */
import { describe, expect, it } from 'vitest';
import { claimTable, oldestOfTwins, whoseContact, type Claim } from '../../src/sync/match/whose-contact.ts';

const parts = {
  token: ['none', 'fits', 'strays', 'foreign'],
  names: ['none', 'living', 'erased', 'gone', 'unread'],
  own: ['none', 'named', 'other'],
  further: [false, true],
  held: [false, true],
} as const satisfies { readonly [Part in keyof Claim]: readonly Claim[Part][] };

/** Every claim that a contact can have. */
const claims = parts.token
  .flatMap((token) =>
    parts.names.flatMap((names) =>
      parts.own.flatMap((own) =>
        parts.further.flatMap((further) => parts.held.map((held): Claim => ({ token, names, own, further, held }))),
      ),
    ),
  )
  .filter(
    ({ token, names, own, held }) =>
      (token === 'none' || token === 'foreign') === (names === 'none') &&
      (own !== 'named' || names === 'living') &&
      (names !== 'none' || !held),
  );

describe('whose contact is this', () => {
  it('is decided by one row for each claim, and each row decides about one', () => {
    const used = new Set(
      claims.map((claim) =>
        claimTable.find(
          (row) =>
            row.whose === whoseContact(claim).whose &&
            Object.entries(row.when).every(([part, value]) => claim[part as keyof Claim] === value),
        ),
      ),
    );
    expect(used.size).toBe(claimTable.length);
    for (const claim of claims) expect(claimTable).toContain(whoseContact(claim));
  });

  it.each<[Partial<Claim>, string]>([
    [{ token: 'fits', names: 'living', own: 'named' }, 'token all'],
    [{ token: 'strays', names: 'living', own: 'named' }, 'token all'],
    [{ token: 'fits', names: 'living' }, 'token all'],
    [{ token: 'fits', names: 'living', own: 'other' }, 'token all'],
    [{ token: 'strays', names: 'living' }, 'token all'],
    [{ token: 'strays', names: 'living', held: true }, 'nobody opt-outs'],
    [{ token: 'strays', names: 'living', held: true, further: true }, 'further opt-outs'],
    [{ token: 'strays', names: 'living', own: 'other' }, 'own opt-outs'],
    [{ token: 'fits', names: 'erased' }, 'token all'],
    [{ token: 'fits', names: 'erased', own: 'other' }, 'own opt-outs'],
    [{ token: 'strays', names: 'erased', held: true }, 'nobody opt-outs'],
    [{ token: 'fits', names: 'gone' }, 'token all'],
    [{ token: 'fits', names: 'gone', own: 'other' }, 'own opt-outs'],
    [{ token: 'fits', names: 'gone', further: true }, 'further opt-outs'],
    [{ token: 'fits', names: 'unread', own: 'other' }, 'nobody nothing'],
    [{ token: 'strays', names: 'unread', own: 'other' }, 'own opt-outs'],
    [{}, 'nobody all'],
    [{ own: 'other' }, 'own all'],
    [{ own: 'other', further: true }, 'own all'],
    [{ further: true }, 'further all'],
    [{ token: 'foreign' }, 'nobody nothing'],
    [{ token: 'foreign', own: 'other' }, 'own nothing'],
    [{ token: 'foreign', further: true }, 'further nothing'],
  ])('%j: %s', (claim, decision) => {
    const { whose, plans } = whoseContact({
      token: 'none',
      names: 'none',
      own: 'none',
      further: false,
      held: false,
      ...claim,
    });
    expect(`${whose} ${plans}`).toBe(decision);
  });

  it('never plans values of a contact whose token is somebody else’s', () => {
    for (const claim of claims)
      if (claim.token === 'strays' && (claim.own === 'other' || (claim.held && claim.own === 'none')))
        expect(whoseContact(claim).plans).not.toBe('all');
  });
});

describe('several contacts of a subscription', () => {
  const twin = { isLinked: true, isUnedited: true };

  it.each([
    [['9', '10'], 0],
    [['10', '9'], 1],
    [['9', '1a'], 0],
    [['b', 'a'], 1],
    [['00Q2', '00Q1', '00Q3'], 1],
    [['9007199254740993', '9007199254740992'], 1],
  ] as const)('are twins of the oldest id: %j', (ids, oldest) => {
    expect(oldestOfTwins(ids.map((id) => ({ id, ...twin })))).toBe(oldest);
  });

  it('may have an oldest that was edited, or found by its address', () => {
    expect(
      oldestOfTwins([
        { id: '1', isLinked: false, isUnedited: false },
        { id: '2', ...twin },
      ]),
    ).toBe(0);
  });

  it.each([{ isLinked: false }, { isUnedited: false }])('are no twins where one of the others is %j', (other) => {
    expect(
      oldestOfTwins([
        { id: '1', ...twin },
        { id: '2', ...twin, ...other },
      ]),
    ).toBeUndefined();
  });
});

/** Whose contact is this? Each situation with its decision. */
import { describe, expect, it } from 'vitest';
import { compareIds } from '../../src/sync/mapping/contact-id.ts';
import { whoseContact, type Claim } from '../../src/sync/match/whose-contact.ts';

describe('whose contact is this', () => {
  it.each<[Partial<Claim>, string]>([
    [{}, 'nobody'],
    [{ own: 'other' }, 'own'],
    [{ own: 'other', further: true }, 'own'],
    [{ further: true }, 'further'],
    [{ token: 'own', names: 'living', fits: true, own: 'named' }, 'token'],
    [{ token: 'own', names: 'living', own: 'named' }, 'token'],
    [{ token: 'own', names: 'living', fits: true }, 'token'],
    [{ token: 'own', names: 'living', fits: true, own: 'other' }, 'token'],
    [{ token: 'own', names: 'living' }, 'token'],
    [{ token: 'own', names: 'living', further: true }, 'token'],
    [{ token: 'own', names: 'living', own: 'other' }, 'own moved'],
    [{ token: 'own', names: 'erased', fits: true }, 'token'],
    [{ token: 'own', names: 'erased', fits: true, own: 'other' }, 'own moved'],
    [{ token: 'own', names: 'gone', fits: true }, 'token'],
    [{ token: 'own', names: 'gone' }, 'token'],
    [{ token: 'own', names: 'gone', fits: true, own: 'other' }, 'own moved'],
    [{ token: 'own', names: 'gone', fits: true, further: true }, 'further moved'],
    [{ token: 'own', names: 'unread', fits: true, own: 'other' }, 'nobody left'],
    [{ token: 'own', names: 'unread', own: 'other' }, 'own moved'],
    [{ token: 'copied', names: 'living', fits: true, own: 'named' }, 'own'],
    [{ token: 'copied', names: 'living', own: 'other' }, 'own'],
    [{ token: 'copied', names: 'living', further: true }, 'further'],
    [{ token: 'copied', names: 'living' }, 'nobody'],
    [{ token: 'copied', names: 'gone' }, 'nobody'],
    [{ token: 'copied', names: 'gone', fits: true }, 'token'],
    [{ token: 'copied', names: 'erased', fits: true }, 'token'],
    [{ token: 'foreign' }, 'nobody left'],
    [{ token: 'foreign', own: 'other' }, 'own left'],
    [{ token: 'foreign', further: true }, 'further left'],
  ])('%j: %s', (claim, decision) => {
    const none = { token: 'none', names: 'none', fits: false, own: 'none', further: false } as const;
    const { whose, isMoved, isLeft } = whoseContact({ ...none, ...claim });
    expect(`${whose}${isMoved ? ' moved' : ''}${isLeft ? ' left' : ''}`).toBe(decision);
  });
});

it.each([
  [['9', '10'], '9'],
  [['9', '1a'], '9'],
  [['b', 'a'], 'a'],
  [['00Q2', '00Q1', '00Q3'], '00Q1'],
  [['9007199254740993', '9007199254740992'], '9007199254740992'],
])('of the contacts %j, %s is the oldest', (ids, oldest) => {
  for (const each of [ids, ids.toReversed()]) expect(each.toSorted(compareIds)[0]).toBe(oldest);
});

/** Claims that the store could not answer in time are repeated with fewer, of every kind. */
import { expect, it } from 'vitest';
import { createLog, type SignupStore, StoreUnavailableError } from '../../src/index.ts';
import { changedStore } from '../changed-store.ts';
import { waitUntil } from '../../../../test/support/waits.ts';
import { newSignup } from '../new-signup.ts';
import { ClaimSize } from '../../src/queue/claim-size.ts';
import { runRelay } from '../running-relay.ts';

it('is halved down to one by failures of the store, which it says, and grows again to its most', async () => {
  const lines: string[] = [];
  const claims = new ClaimSize(5, createLog({ destination: { write: (line) => void lines.push(line) } }));
  const fail = claims.limited(() => Promise.reject(new StoreUnavailableError('too slow')));
  const sizes: number[] = [];
  for (let n = 0; n < 3; n += 1) {
    await expect(fail(9)).rejects.toThrow('too slow');
    sizes.push(claims.size);
  }
  const succeed = claims.limited((limit) => Promise.resolve([limit]));
  for (let n = 0; n < 3; n += 1) sizes.push(...(await succeed(9)));
  expect([sizes, claims.size]).toEqual([[2, 1, 1, 1, 2, 4], 5]);
  expect(lines.map((line) => (JSON.parse(line) as { next: number }).next)).toEqual([2, 1]);
});

it('stays after a failure that is none of the store', async () => {
  const claims = new ClaimSize(5, createLog({ level: 'silent' }));
  await expect(claims.claim(5, () => Promise.reject(new Error('a bug')))).rejects.toThrow('a bug');
  expect(claims.size).toBe(5);
});

it.each([
  ['signups', {}, [5, 2, 1]],
  [
    'confirmation mails',
    {
      RELAY_CONFIRMATION: 'true',
      RELAY_SMTP_URL: 'smtp://127.0.0.1:9',
      RELAY_PUBLIC_URL: 'https://signup.example.com',
      RELAY_MAIL_FROM: 'shop@example.com',
      RELAY_SECRET: 'a-secret-of-24-characters',
    },
    [2, 1],
  ],
] as const)('of %s takes fewer until the store answers', async (_kind, settings, expected) => {
  const { store: real } = runRelay();
  await real.accept(newSignup('ada@example.com', { needsConfirmation: 'RELAY_CONFIRMATION' in settings }));
  const limits: number[] = [];
  const claim: SignupStore['claim'] = (which) => {
    if ((which.mailsOf !== undefined) !== 'RELAY_CONFIRMATION' in settings) return real.claim(which);
    limits.push(which.limit);
    return which.limit > 1 ? Promise.reject(new StoreUnavailableError('too slow')) : real.claim(which);
  };
  const relay = runRelay({ store: changedStore(real, { claim }), settings });
  relay.start();
  await waitUntil('it has claimed one', () => limits.at(-1) === 1);
  expect(limits.slice(0, expected.length)).toEqual(expected);
});

/** The signed link of a confirmation mail. */
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { purposeKey } from '../../src/secrets.ts';
import { signLink, verifyLink } from '../../src/confirmation/mail.ts';
import { signupId } from '../../src/store/signup-identity.ts';

const secret = 'a-secret-of-the-relay-0123456789';
const key = purposeKey(secret, 'confirmation');

it('contains the id of its signup', () => {
  fc.assert(
    fc.property(fc.nat(2 ** 45), (at) => {
      const id = signupId(at);
      const token = signLink(key, id);
      expect(token).toMatch(/^[\w-]{43}$/);
      expect(verifyLink(key, token)).toBe(id);
    }),
  );
});

it('rejects every other text', () => {
  const token = signLink(key, signupId(Date.UTC(2026, 0)));
  fc.assert(
    fc.property(fc.nat(42), fc.constantFrom('a', 'b', 'A', 'B', 'Q', '0', '1', '-', '_'), (at, letter) => {
      const changed = token.slice(0, at) + letter + token.slice(at + 1);
      expect(verifyLink(key, changed) === null).toBe(changed !== token);
    }),
  );
  for (const text of ['', 'a', `${token}a`, token.slice(1), `${token}=`, ` ${token}`])
    expect(verifyLink(key, text)).toBeNull();
});

it('rejects a signature of another secret or purpose', () => {
  const id = signupId(Date.UTC(2026, 0));
  expect(verifyLink(key, signLink(purposeKey(secret, 'form token'), id))).toBeNull();
  expect(verifyLink(key, signLink(purposeKey(`${secret}!`, 'confirmation'), id))).toBeNull();
});

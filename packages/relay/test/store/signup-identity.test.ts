/** Identifiers of signups. */
import { expect, it } from 'vitest';
import { signupId } from '../../src/store/signup-identity.ts';

it('are unique version 7 UUIDs that sort by time', () => {
  const ids = Array.from({ length: 1000 }, (_, i) => signupId(Date.UTC(2026, 10, 20) + i));
  for (const id of ids) expect(id).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/);
  expect(ids.toSorted()).toEqual(ids);
  expect(new Set(Array.from({ length: 1000 }, () => signupId(0).slice(19))).size).toBe(1000);
  const atOnce = Array.from({ length: 1000 }, () => signupId(Date.UTC(2026, 10, 21)));
  expect(atOnce.toSorted()).toEqual(atOnce);
  expect(signupId(Date.UTC(2022, 1, 22, 19, 22, 22)).slice(0, 13)).toBe('017f22e2-79b0'); // the RFC's own example
});

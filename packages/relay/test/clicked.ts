/** Confirms a signup of a store, as its person does on the page of its link. */
import type { Consent, SignupStore } from '../src/index.ts';

const nothing: Consent = { sentence: null, version: null, page: null, visitor: null };

/** @returns whether it became confirmed */
export async function clicked(
  store: SignupStore,
  id: string,
  at: number,
  consent = nothing,
  publications: Readonly<Record<string, string>> = {},
): Promise<boolean> {
  const linked = await store.linked(id, publications);
  const submission = linked?.signup.submission ?? { email: 'nobody@example.com' };
  const confirmed = [{ id, submission, status: null, consent }];
  const click = { at, mailbox: linked?.mailbox ?? null, confirmed, superseded: [], left: [] };
  return (await store.confirmPerson(click)).length === 1;
}

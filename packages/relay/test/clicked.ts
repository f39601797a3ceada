/** Confirms a signup of a store, as its person does on the page of its link. */
import type { Consent, SignupStore } from '../src/index.ts';

const nothing: Consent = { sentence: null, version: null, page: null, visitor: null };

/** @returns whether it became confirmed */
export async function clicked(store: SignupStore, id: string, at: number, consent = nothing): Promise<boolean> {
  const { form = '', submission } = (await store.linked(id))?.signup ?? {};
  const confirmed = [{ id, form, submission: submission ?? { email: 'nobody@example.com' }, status: null, consent }];
  return (await store.confirmPerson({ at, confirmed, superseded: [], left: [] })).length === 1;
}

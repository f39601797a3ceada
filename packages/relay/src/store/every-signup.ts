/** Walks a list to its end, for export: no more than a page is in memory. */
import type { SignupFilter, SignupStore, StoredSignup } from './signup-store.ts';

const pageSize = 500;

/** The signups a filter means, newest first; those that come in meanwhile are left out. */
export async function* everySignup(
  store: Pick<SignupStore, 'list'>,
  filter: SignupFilter = {},
): AsyncGenerator<StoredSignup, void> {
  let after: string | undefined;
  for (;;) {
    const page = await store.list(filter, { after, limit: pageSize });
    yield* page;
    after = page.at(-1)?.id;
    if (page.length < pageSize) return;
  }
}

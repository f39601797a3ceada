/** Whether the relay lives, and whether it can keep a signup right now. */
import { StoreUnavailableError, type SignupStore } from '../store/signup-store.ts';

/** A good result is good for this long, in milliseconds, so that nobody can wear out the disk by asking. */
const freshMs = 1000;

const headers = { 'cache-control': 'no-store' };

/** The process answers. Restart it when it does not. */
export function livez(): Response {
  return Response.json({ status: 'alive' }, { headers });
}

/** Makes the readiness check: it writes and syncs, as a signup would. Send no traffic while it fails. */
export function readiness(
  store: Pick<SignupStore, 'probe'>,
  isDraining: () => boolean,
  now: () => number,
): () => Promise<Response> {
  let probing: Promise<void> | null = null;
  let since = 0;
  const unready = (reason: string): Response => Response.json({ status: 'unready', reason }, { status: 503, headers });
  return async () => {
    if (isDraining()) return unready('The relay is shutting down.');
    if (probing === null || now() - since >= freshMs) {
      since = now();
      probing = store.probe(now());
    }
    try {
      await probing;
      return Response.json({ status: 'ready' }, { headers });
    } catch (error) {
      probing = null;
      if (error instanceof StoreUnavailableError) return unready(error.message);
      throw error;
    }
  };
}

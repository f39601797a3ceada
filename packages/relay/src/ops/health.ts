/** Whether the relay lives, and whether it can keep a signup right now. */
import { StoreUnavailableError } from '../store/signup-store.ts';
import type { StoreHealth } from './store-health.ts';

const headers = { 'cache-control': 'no-store' };

/** The process answers. Restart it when it does not. */
export function livez(): Response {
  return Response.json({ status: 'alive' }, { headers });
}

/** Makes the readiness check: it writes and syncs, as a signup would. Send no traffic while it fails. */
export function readiness(health: Pick<StoreHealth, 'probe'>, isDraining: () => boolean): () => Promise<Response> {
  const unready = (reason: string): Response => Response.json({ status: 'unready', reason }, { status: 503, headers });
  return async () => {
    if (isDraining()) return unready('The relay is shutting down.');
    try {
      await health.probe();
      return Response.json({ status: 'ready' }, { headers });
    } catch (error) {
      if (error instanceof StoreUnavailableError) return unready(error.message);
      throw error;
    }
  };
}

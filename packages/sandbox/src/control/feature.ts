/** A feature: one thing that the sandbox can do beside answering the API. `features.ts` lists all of them. */
import type { Hono } from 'hono';

export interface Feature {
  /** Its endpoints, below `/_sandbox`. */
  routes?(sandbox: WholeSandbox): Hono;
  /**
   * Restores the state that the sandbox was started with.
   *
   * @param seed - name or content of a seed to load in place of the initial one
   */
  reset?(seed?: unknown): void;
}

/** The sandbox as the endpoints of one feature see it. */
export interface WholeSandbox {
  /** Answers a request as it answers a client's. */
  answer(request: Request): Promise<Response>;
  /** Resets every feature. @throws SeedError where the seed cannot be loaded; nothing has changed then */
  reset(seed?: unknown): void;
}

/** What an endpoint of OAuth gets, and how it answers. */
import type { World } from '../world/world.ts';

export interface OauthCall {
  readonly world: World;
  readonly request: Request;
  /** The query with its question mark, or empty. */
  readonly search: string;
  /** Says which operation of the contract this is, where method and path leave it open. */
  readonly name: (operation: 'oauth.exchange' | 'oauth.refresh') => void;
  /** Adds a sentence to the request log. No addresses, no tokens. */
  readonly explain: (reason: string) => void;
}

export type Endpoint = (call: OauthCall) => Response | Promise<Response>;

/** No answer of OAuth may be kept (RFC 6749 §5.1). */
export const uncached = { 'Cache-Control': 'no-store, no-cache', Pragma: 'no-cache' } as const;

export function json(status: number, body: unknown, headers: Readonly<Record<string, string>> = {}): Response {
  return new Response(JSON.stringify(body), {
    status,
    headers: { 'Content-Type': 'application/json; charset=utf-8', ...uncached, ...headers },
  });
}

/** Notes the parameters that mean nothing here. */
export function explainIgnored(call: OauthCall, ignored: readonly string[]): void {
  // A name can be anything, a token in the wrong place too.
  for (const name of ignored)
    call.explain(
      /^[\w.-]{1,30}$/.test(name)
        ? `The parameter "${name}" is not known here and was ignored.`
        : 'A parameter that is not known here was ignored.',
    );
}

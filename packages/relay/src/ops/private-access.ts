/**
 * Who may see the metrics, the details of readiness, and the operator's page and API: whoever sends the operator token,
 * or, without one, whoever reaches the operator's own address. With neither they do not exist.
 */
import { refused } from '@newsletter-kit/core/endpoint';
import type { RelayConfig } from '../config/settings.ts';
import type { Log } from '../log.ts';
import { refuse } from '../pages/page.ts';
import { hasBearerToken } from '../secrets.ts';

/** What decides about a private request. */
export interface PrivateAccess {
  readonly token: string | undefined;
  /** The operator's own address; undefined where the private routes are beside those of visitors. */
  readonly listen?: RelayConfig['operator']['listen'];
}

/** Whether the private routes exist. */
export const isOpen = ({ token, listen }: PrivateAccess): boolean => token !== undefined || listen !== undefined;

/** Logs which settings open the private routes where none does. */
export function noteClosed(access: PrivateAccess, log: Log): void {
  if (isOpen(access)) return;
  log.warn('there is no operator page and no /metrics: RELAY_OPERATOR_TOKEN opens them, or RELAY_OPERATOR_LISTEN');
}

/** The refusal of a private request; null for one that is permitted. */
export function refusePrivate(request: Request, { token, listen }: PrivateAccess): Response | null {
  if (token === undefined)
    return listen === undefined || isOfForeignPage(request, listen.host) ? refuse(notFound) : null;
  if (hasBearerToken(request.headers.get('authorization'), token)) return null;
  const answer = refuse(
    refused(401, 'UNAUTHORIZED', 'The operator token is missing or wrong: send it as "Authorization: Bearer …".'),
  );
  answer.headers.set('www-authenticate', 'Bearer realm="newsletter-relay operator"');
  return answer;
}

const notFound = refused(404, 'NOT_FOUND', 'There is nothing here.');

/**
 * Whether a page of another site may have sent this through the browser of somebody who reaches the operator's address:
 * browsers name the site, or the page gave a public name of its own to the address (DNS rebinding).
 */
function isOfForeignPage({ url, headers }: Request, ownHost: string): boolean {
  const { host, hostname } = new URL(url);
  const origin = headers.get('origin');
  if (origin !== null && URL.parse(origin)?.host !== host) return true;
  const isPublicName = hostname.includes('.') && !/^[\d.]+$/.test(hostname);
  return isPublicName && hostname !== ownHost;
}

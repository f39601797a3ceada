/** Where the OAuth endpoints of an app lie, and whether they may be spoken to. */
import type { AuthorizationServer } from 'oauth4webapi';
import { operation } from '../contract/index.ts';

/** The server's metadata, from the contract: the specification has no discovery document. */
export function authorizationServer(appUrl: string): AuthorizationServer {
  const root = appUrl.replace(/\/+$/, '');
  return {
    issuer: root,
    authorization_endpoint: root + operation('oauth.authorize').path,
    token_endpoint: root + operation('oauth.exchange').path,
    revocation_endpoint: root + operation('oauth.revoke').path,
    introspection_endpoint: root + operation('oauth.introspect').path,
  };
}

/** What is checked of the settings of a login. */
interface Checked {
  readonly appUrl: string;
  readonly clientId: string;
  readonly clientSecret?: string | undefined;
  readonly redirectUri: string;
}

/** @throws TypeError that names every mistake, and never the secret */
export function checkOptions({ appUrl, clientId, clientSecret, redirectUri }: Checked): void {
  const problems = [
    isSafe(appUrl)
      ? null
      : 'appUrl must be an https address, or http on this machine (127.0.0.1, localhost, [::1]): codes and tokens pass over it',
    clientId ? null : 'clientId is missing: the service gives it to you when you register the app',
    clientSecret === '' ? 'clientSecret is empty: leave it out where the app is a public one' : null,
    URL.canParse(redirectUri)
      ? null
      : 'redirectUri must be an absolute address, for example http://127.0.0.1:8080/callback',
  ].filter((problem) => problem !== null);
  if (problems.length > 0) throw new TypeError(`OAuth is set up wrongly: ${problems.join('; ')}.`);
}

/**
 * Plain http never leaves the machine on its loopback interface; anywhere else everyone on the way could read along.
 */
function isSafe(address: string): boolean {
  if (!URL.canParse(address)) return false;
  const { protocol, hostname } = new URL(address);
  return protocol === 'https:' || (protocol === 'http:' && /^(localhost|127(\.\d+){3}|\[::1\])$/.test(hostname));
}

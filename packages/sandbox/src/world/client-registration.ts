/** What OAuth clients register: grant types and redirect URIs. */

/** The grant types of the service: what a client may be registered for. */
export const grantTypes = ['authorization_code', 'refresh_token'] as const;

/**
 * Whether a client may register this: an absolute URI without a fragment, whose scheme a browser does not run as code.
 * Native apps have schemes of their own (RFC 8252 §7.1).
 */
export function isRedirectUri(uri: string): boolean {
  return (
    URL.canParse(uri) &&
    !uri.includes('#') &&
    !/^\s|\s$/.test(uri) &&
    !/^(?:javascript|data|vbscript|about|blob|file):/i.test(uri)
  );
}

const loopbackHosts = ['127.0.0.1', 'localhost', '[::1]'];

/** The paths that n8n and the usual command-line clients call back on. */
const usualPaths = [
  '/',
  '/callback',
  '/oauth/callback',
  '/oauth2/callback',
  '/oauth2callback',
  '/auth/callback',
  '/rest/oauth2-credential/callback',
];

/** What the clients of the standard seeds have registered. */
export const standardRedirectUris: readonly string[] = loopbackHosts.flatMap((host) =>
  usualPaths.map((path) => `http://${host}${path}`),
);

/** What an OAuth client registers: its grant types and redirect URIs; and which redirect URIs a request may name. */
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

/**
 * Whether the URI is one of the registered ones, to the letter; on the loopback interface any port will do (RFC 8252
 * §7.3).
 */
export function isRegistered(uri: string, registered: readonly string[]): boolean {
  return isRedirectUri(uri) && registered.some((known) => withoutLoopbackPort(known) === withoutLoopbackPort(uri));
}

/** The URI with these parameters added to its query. */
export function withParameters(uri: string, parameters: Readonly<Record<string, string | undefined>>): string {
  const url = new URL(uri);
  for (const [name, value] of Object.entries(parameters)) if (value !== undefined) url.searchParams.append(name, value);
  return url.href;
}

/** Compared as text: a parser would make one URI of several spellings. */
function withoutLoopbackPort(uri: string): string {
  return uri.replace(/^(http:\/\/(?:localhost|127\.0\.0\.1|\[::1\])):\d{1,5}/, '$1');
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

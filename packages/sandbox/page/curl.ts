/** Writes a request as a curl command for a POSIX shell, with a variable in place of the key. */

/** The variable that holds the key; `newsletter-sandbox exec` sets it too. */
export const keyVariable = '$NEWSLETTER_API_KEY';

/** Headers that curl or the connection sets by itself. */
const ownHeaders = new Set([
  'accept-encoding',
  'connection',
  'content-length',
  'expect',
  'host',
  'keep-alive',
  'transfer-encoding',
  'user-agent',
]);

/** A request that curl can send. */
export interface CurlRequest {
  readonly url: string;
  readonly method: string;
  /** The value of `authorization` is replaced by the variable; other headers with a hidden value are left out. */
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string | null;
}

export function curlOf({ url, method, headers, body }: CurlRequest): string {
  const sent = Object.entries(headers).filter(
    ([name, value]) =>
      !ownHeaders.has(name) && !/^(?:sec-|origin$|referer$|accept-language$)/.test(name) && value !== '[hidden]',
  );
  const lines = [
    // curl takes brackets and braces in an address for a pattern.
    `curl${/[[\]{}]/.test(url) ? ' --globoff' : ''}${methodOption(method, body)} ${quoted(url)}`,
    ...sent.map(([name, value]) => `  ${headerOption(name, value)}`),
    // Without this, curl would call the body a form.
    ...(body && !sent.some(([name]) => name.toLowerCase() === 'content-type') ? [`  -H 'Content-Type:'`] : []),
    ...(body ? [`  --data-raw ${quoted(body)}`] : []),
  ];
  return lines.join(' \\\n');
}

function methodOption(method: string, body: string | null): string {
  if (method === 'HEAD') return ' --head';
  return method === (body ? 'POST' : 'GET') ? '' : ` -X ${quoted(method)}`;
}

function headerOption(name: string, value: string): string {
  if (name.toLowerCase() !== 'authorization') return `-H ${quoted(`${name}: ${value}`)}`;
  return value.startsWith('Basic')
    ? '-u "$NEWSLETTER_OAUTH_CLIENT_ID:$NEWSLETTER_OAUTH_CLIENT_SECRET"'
    : `-H "Authorization: Bearer ${keyVariable}"`;
}

/** Quotes one word of a shell command. */
function quoted(text: string): string {
  return /^[\w./:=@%+,-]+$/.test(text) ? text : `'${text.replaceAll("'", "'\\''")}'`;
}

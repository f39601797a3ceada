/** A request as a curl command for a POSIX shell. The key stands in it as a variable, never as itself. */

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

/**
 * @param {{ url: string, method: string, headers: Readonly<Record<string, string>>, body: string | null }} request - an
 *   `authorization` of any value is replaced by the variable; other headers that are hidden are left out
 */
export function curlOf({ url, method, headers, body }) {
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

/** @param {string} method @param {string | null} body */
function methodOption(method, body) {
  if (method === 'HEAD') return ' --head';
  return method === (body ? 'POST' : 'GET') ? '' : ` -X ${quoted(method)}`;
}

/** @param {string} name @param {string} value */
function headerOption(name, value) {
  if (name.toLowerCase() !== 'authorization') return `-H ${quoted(`${name}: ${value}`)}`;
  return value.startsWith('Basic')
    ? '-u "$NEWSLETTER_OAUTH_CLIENT_ID:$NEWSLETTER_OAUTH_CLIENT_SECRET"'
    : `-H "Authorization: Bearer ${keyVariable}"`;
}

/** One word of a shell command. @param {string} text */
function quoted(text) {
  return /^[\w./:=@%+,-]+$/.test(text) ? text : `'${text.replaceAll("'", "'\\''")}'`;
}

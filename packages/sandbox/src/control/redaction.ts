/**
 * Removes secrets from requests and answers for the request log. One table of names says what is a secret in headers,
 * queries, forms and JSON.
 */
import { decoded } from '../http/read-request.ts';

/** What the request log shows in place of a secret. */
export const hiddenMark = '[hidden]';

/** Headers whose whole value is a secret; of `Authorization` the scheme is kept. */
const secretHeader = /^(?:proxy-)?authorization$|^(?:set-)?cookie2?$|token|secret|api-?key|passw|signature/i;

/** Names of secrets in queries, forms and JSON, in any spelling: `access_token`, `accessToken`, `Access-Token`. */
const secretNames = [
  'access_token',
  'api_key',
  'authenticity_token',
  'authorization',
  'bearer',
  'client_assertion',
  'client_secret',
  'code_verifier',
  'cookie',
  'csrf_token',
  'id_token',
  'passwd',
  'password',
  'private_key',
  'refresh_token',
  'secret',
  'token',
] as const;

/** Secrets only where OAuth uses them: in other JSON, `code` is the code of an error and `state` a state. */
const oauthNames = ['code', 'state'] as const;

const spelt = (names: readonly string[]): string => names.map((name) => name.replaceAll('_', '[_-]?')).join('|');
const secretName = new RegExp(`^(?:${spelt(secretNames)})$`, 'i');
const secretOauthName = new RegExp(`^(?:${spelt([...secretNames, ...oauthNames])})$`, 'i');
/**
 * Whether a text may hold such a name before a colon or an equals sign; `\\u00` could spell one. Looks back from these
 * signs, which is ten times as fast as looking for the names, and spares reading most bodies.
 */
const ends = (names: string): RegExp => new RegExp(`(?<=(?:${names})\\\\?["']?\\s*)[:=]|\\\\u00`, 'i');
const commonEnds = 'token|secret|passw(?:or)?d|cookie|authorization|bearer|key|assertion|verifier';
const mayHoldCommon = ends(commonEnds);
const mayHoldOauth = ends(`${commonEnds}|${oauthNames.join('|')}`);
const mayHold = (text: string, oauth: boolean): boolean => (oauth ? mayHoldOauth : mayHoldCommon).test(text);
const loose = new RegExp(
  `((?:${spelt([...secretNames, ...oauthNames])})\\\\?["']?\\s*[:=]\\s*)(\\\\?"(?:[^"\\\\]|\\\\.)*"?|'[^']*'?|[^\\s,&}\\]]+)`,
  'gi',
);
/** A field of a form in HTML. */
const hiddenField = /(<input\b[^>]{0,300}?\bname=")([^"]{1,100})("[^>]{0,300}?\bvalue=")([^"]*)"/gi;
/** A name as long as a token is probably a token in the wrong place. */
const tokenAsName = /^[\w.~+/=-]{40,}$/;

/** The pairs of a query or of a form. */
function withoutSecretPairs(text: string): string {
  return text
    .split('&')
    .map((part) => {
      const at = part.indexOf('=');
      const name = decoded(at < 0 ? part : part.slice(0, at), 'form');
      if (tokenAsName.test(name)) return hiddenMark + (at < 0 ? '' : part.slice(at));
      if (at < 0 || at === part.length - 1 || !secretOauthName.test(plain(name))) return part;
      return part.slice(0, at + 1) + hiddenMark;
    })
    .join('&');
}

/** A path or an address with its query. */
export function redactedTarget(text: string): string {
  const [, before = '', query, fragment = ''] = /^([^?#]*)(?:\?([^#]*))?(#.*)?$/s.exec(text) ?? [];
  const shown = query === undefined ? '' : `?${withoutSecretPairs(query)}`;
  return before + shown + (fragment && `#${withoutSecretPairs(fragment.slice(1))}`);
}

/** Headers by their lower-case name. */
export function redactedHeaders(headers: Iterable<readonly [string, string]>): Record<string, string> {
  return Object.fromEntries(
    [...headers].map(([name, content]) => {
      if (name === 'location' || name === 'referer') return [name, redactedTarget(content)];
      if (!secretHeader.test(name)) return [name, content];
      const [, scheme = ''] = /^([A-Za-z][\w-]{0,20} ).+$/s.exec(content) ?? [];
      return [name, /authorization/i.test(name) && content !== '' ? scheme + hiddenMark : hiddenMark];
    }),
  );
}

/** @param oauth - whether `code` and `state` are secrets here */
export function redactedBody(text: string, contentType: string | null, oauth: boolean): string {
  if (text === '') return text;
  const secret = oauth ? secretOauthName : secretName;
  if (/^application\/x-www-form-urlencoded\b/i.test(contentType ?? '') && !/^\s*[[{]/.test(text))
    return withoutSecretPairs(text);
  if (/^text\/html\b/i.test(contentType ?? ''))
    return text.replace(hiddenField, (whole, before: string, name: string, between: string, content: string) =>
      content !== '' && secret.test(name) ? `${before}${name}${between}${hiddenMark}"` : whole,
    );
  if (!mayHold(text, oauth)) return text;
  return /^\s*[[{"]/.test(text) ? redactedJson(text, secret) : loosely(text, secret);
}

function redactedJson(text: string, secret: RegExp): string {
  const hide = (name: string, content: unknown): unknown => {
    const isSecret = secret.test(plain(name)) && content !== null && content !== '' && typeof content !== 'boolean';
    if (isSecret) return hiddenMark;
    return typeof content === 'string' && /^\s*[[{]/.test(content) ? redactedJson(content, secret) : content;
  };
  try {
    const compact = JSON.stringify(JSON.parse(text, hide));
    // What holds no secret stays as it was written, to the last space.
    return compact === JSON.stringify(JSON.parse(text)) ? text : compact;
  } catch {
    return loosely(text, secret);
  }
}

/** For what only looks like JSON or a form: a body with a mistake, or one that was cut. */
function loosely(text: string, secret: RegExp): string {
  return text.replace(loose, (whole, before: string) =>
    secret.test(/[\w-]+/.exec(before)?.[0] ?? '') ? `${before}"${hiddenMark}"` : whole,
  );
}

/** `user[password]` is a password too. */
const plain = (name: string): string => /\[([^[\]]+)\]$/.exec(name)?.[1] ?? name;

/**
 * Removes secrets from what a request and its answer hold, for the request log and for recordings. One table of names
 * says what is a secret in headers, queries, forms and JSON.
 */

/** What the request log shows in place of a secret. */
export const hiddenMark = '[hidden]';

/** Replaces a secret by what may be shown of it; `name` is that of its header, parameter or field. */
export type Conceal = (secret: string, name: string) => string;

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

export interface Redaction {
  /** Headers by their lower-case name. */
  readonly headers: (headers: Iterable<readonly [string, string]>) => Record<string, string>;
  /** A path or an address with its query. */
  readonly target: (target: string) => string;
  /** @param oauth - whether `code` and `state` are secrets here */
  readonly body: (text: string, contentType: string | null, oauth: boolean) => string;
}

export function createRedaction(conceal: Conceal): Redaction {
  const pairs = (text: string): string =>
    text
      .split('&')
      .map((part) => {
        const at = part.indexOf('=');
        const name = decode(at < 0 ? part : part.slice(0, at));
        if (tokenAsName.test(name)) return conceal(name, '') + (at < 0 ? '' : part.slice(at));
        if (at < 0 || at === part.length - 1 || !secretOauthName.test(plain(name))) return part;
        const shown = conceal(decode(part.slice(at + 1)), name);
        return part.slice(0, at + 1) + (shown === hiddenMark ? shown : encodeURIComponent(shown));
      })
      .join('&');

  const target = (text: string): string => {
    const [, before = '', query, fragment = ''] = /^([^?#]*)(?:\?([^#]*))?(#.*)?$/s.exec(text) ?? [];
    return before + (query === undefined ? '' : `?${pairs(query)}`) + (fragment && `#${pairs(fragment.slice(1))}`);
  };

  const value = (name: string, content: unknown, secret: RegExp): unknown => {
    if (secret.test(plain(name)) && content !== null && content !== '' && typeof content !== 'boolean')
      return conceal(typeof content === 'string' ? content : JSON.stringify(content), name);
    return inside(content, secret);
  };
  const inside = (content: unknown, secret: RegExp): unknown => {
    if (typeof content === 'string') return /^\s*[[{]/.test(content) ? json(content, secret) : content;
    if (Array.isArray(content)) return content.map((item) => inside(item, secret));
    if (typeof content !== 'object' || content === null) return content;
    return Object.fromEntries(Object.entries(content).map(([name, item]) => [name, value(name, item, secret)]));
  };
  const json = (text: string, secret: RegExp): string => {
    let parsed: unknown;
    try {
      parsed = JSON.parse(text);
    } catch {
      return loosely(text, secret);
    }
    const shown = inside(parsed, secret);
    const compact = JSON.stringify(shown);
    // What holds no secret stays as it was written, to the last space.
    return compact === JSON.stringify(parsed) ? text : compact;
  };
  /** For what only looks like JSON or a form: a body with a mistake, or one that was cut. */
  const loosely = (text: string, secret: RegExp): string =>
    text.replace(loose, (whole, before: string, content: string) => {
      const name = /[\w-]+/.exec(before)?.[0] ?? '';
      return secret.test(name) ? `${before}"${conceal(content.replace(/^\\?["']|\\?["']$/g, ''), name)}"` : whole;
    });

  return {
    target,
    headers: (headers) =>
      Object.fromEntries(
        [...headers].map(([name, content]) => {
          if (name === 'location' || name === 'referer') return [name, target(content)];
          if (!secretHeader.test(name)) return [name, content];
          const [, scheme = '', rest = content] = /^([A-Za-z][\w-]{0,20} )(.+)$/s.exec(content) ?? [];
          return /authorization/i.test(name) && content !== ''
            ? [name, scheme + conceal(rest, name)]
            : [name, conceal(content, name)];
        }),
      ),
    body(text, contentType, oauth) {
      if (text === '') return text;
      const secret = oauth ? secretOauthName : secretName;
      if (/^application\/x-www-form-urlencoded\b/i.test(contentType ?? '') && !/^\s*[[{]/.test(text))
        return pairs(text);
      if (/^text\/html\b/i.test(contentType ?? ''))
        return text.replace(hiddenField, (whole, before: string, name: string, between: string, content: string) =>
          content !== '' && secret.test(name) ? `${before}${name}${between}${conceal(content, name)}"` : whole,
        );
      if (!mayHold(text, oauth)) return text;
      return /^\s*[[{"]/.test(text) ? json(text, secret) : loosely(text, secret);
    },
  };
}

/** `user[password]` is a password too. */
const plain = (name: string): string => /\[([^[\]]+)\]$/.exec(name)?.[1] ?? name;

function decode(text: string): string {
  try {
    return decodeURIComponent(text.replaceAll('+', ' '));
  } catch {
    return text;
  }
}

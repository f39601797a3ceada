/** The mail server of RELAY_SMTP_URL. */
import { isLoopbackHost } from '@newsletter-kit/core/endpoint';
import { decoded } from './url-part.ts';

/** A mail server, as nodemailer takes it. */
export interface SmtpServer {
  readonly host: string;
  readonly port: number;
  /** TLS from the first byte; otherwise STARTTLS as below. */
  readonly secure: boolean;
  /** Without STARTTLS nothing is sent. */
  readonly requireTLS: boolean;
  /** STARTTLS is not used even where the server offers it. */
  readonly ignoreTLS: boolean;
  /** Whether the server's certificate must be valid. */
  readonly tls: { readonly rejectUnauthorized: boolean };
  readonly auth?: { readonly user: string; readonly pass: string };
}

/** The format of RELAY_SMTP_URL, for an error message. A rejected value is not repeated: it may contain a password. */
export const smtpUrlFormat =
  'must be smtps://user:password@host:465 or smtp://user:password@host:587, with ?tls=off or ?tls=unverified to switch TLS or its verification off, and reserved characters percent-encoded';

/**
 * `smtps://` uses TLS from the first byte. `smtp://` uses STARTTLS if the server offers it, and requires it if a password
 * is sent, except to this machine. `?tls=off` never encrypts, `?tls=unverified` accepts any certificate.
 *
 * @returns null if the text is not an address of {@link smtpUrlFormat}
 */
export function readSmtpUrl(text: string): SmtpServer | null {
  if (!/^smtps?:\/\//.test(text) || !URL.canParse(text)) return null;
  const { protocol, hostname, port, username, password, pathname, hash, searchParams } = new URL(text);
  const host = hostname.replace(/^\[|\]$/g, '');
  const tls = searchParams.get('tls') ?? (isLoopbackHost(host) && protocol === 'smtp:' ? 'off' : 'verified');
  const user = decoded(username);
  const pass = decoded(password);
  if (host === '' || pathname.length > 1 || hash !== '' || user === null || pass === null) return null;
  if ([...searchParams.keys()].join() !== (searchParams.has('tls') ? 'tls' : '')) return null;
  const secure = protocol === 'smtps:';
  if (!['verified', 'unverified', 'off'].includes(tls) || (secure && tls === 'off')) return null;
  return {
    host,
    port: port === '' ? (secure ? 465 : 587) : Number(port),
    secure,
    requireTLS: !secure && tls !== 'off' && pass !== '',
    ignoreTLS: tls === 'off',
    tls: { rejectUnauthorized: tls !== 'unverified' },
    ...(user !== '' && { auth: { user, pass } }),
  };
}

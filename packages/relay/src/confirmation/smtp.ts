/** SMTP with nodemailer: reads RELAY_SMTP_URL, sends mails, and classifies failures as permanent or temporary. */
import { redact } from '@newsletter-kit/core';
import type { Message } from './mail.ts';

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

/** What is said of an address that is none. It is not repeated: it may hold a password. */
export const smtpUrlFormat =
  'must be smtps://user:password@host:465 or smtp://user:password@host:587, with ?tls=off or ?tls=unverified where that is meant, and % signs for characters that no address may hold';

/** Names of this machine, to which a connection needs no encryption. */
const local = /^(localhost|127\.\d+\.\d+\.\d+|::1)$/;

/**
 * `smtps://` speaks TLS at once. `smtp://` uses STARTTLS where the server offers it, and insists on it where a password
 * is sent, except to this machine. `?tls=off` never encrypts, `?tls=unverified` takes any certificate.
 *
 * @returns null where it is none
 */
export function readSmtpUrl(text: string): SmtpServer | null {
  if (!/^smtps?:\/\//.test(text) || !URL.canParse(text)) return null;
  const { protocol, hostname, port, username, password, pathname, hash, searchParams } = new URL(text);
  const host = hostname.replace(/^\[|\]$/g, '');
  const tls = searchParams.get('tls') ?? (local.test(host) && protocol === 'smtp:' ? 'off' : 'verified');
  const user = decode(username);
  const pass = decode(password);
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

function decode(text: string): string | null {
  try {
    return decodeURIComponent(text);
  } catch {
    return null;
  }
}

/** A connection to a mail server, kept open while there is something to send. */
export interface MailTransport {
  /** @throws what {@link classifyMailError} understands */
  send(message: Message, signal: AbortSignal): Promise<void>;
  /** Connects and logs in, without sending. @throws what {@link classifyMailError} understands */
  verify(): Promise<void>;
  close(): void;
}

/** Mails under way at a time, each over a connection of its own. */
export const mailConcurrency = 2;

/** Milliseconds for one mail in all; shorter than a claim lasts. */
const mailTimeoutMs = 120_000;

const timeouts = { connectionTimeout: 10_000, greetingTimeout: 10_000, dnsTimeout: 10_000, socketTimeout: 60_000 };

/** Loads nodemailer only here: a relay that sends no mail does without its memory. */
export async function openTransport(server: SmtpServer): Promise<MailTransport> {
  const { createTransport } = await import('nodemailer');
  const transport = createTransport({
    ...server,
    ...timeouts,
    pool: true,
    maxConnections: mailConcurrency,
    idleTimeout: 30_000,
    // What was sent over a connection that broke may have arrived: it is the caller's to send it again.
    maxRequeues: 0,
    disableFileAccess: true,
    disableUrlAccess: true,
  });
  return {
    async send(message, signal) {
      const limit = AbortSignal.any([signal, AbortSignal.timeout(mailTimeoutMs)]);
      await transport.sendMail({ ...message, headers: { ...message.headers }, signal: limit });
    },
    async verify() {
      await transport.verify();
    },
    close: () => transport.close(),
  };
}

/** What a failed mail means. No reason holds an address or a secret. */
export type MailFailure =
  /** The server will never take a mail to this recipient. */
  | { readonly kind: 'dead'; readonly reason: string }
  | {
      readonly kind: 'wait';
      readonly reason: string;
      /** Whether other mails must wait too; `maybe`: only further failures can tell. */
      readonly holds: boolean | 'maybe';
      /** Only a person can end it. */
      readonly needsOperator: boolean;
    };

/** The parts of nodemailer's errors that count, and of the system's. */
interface MailError {
  readonly code?: string;
  readonly originalCode?: string;
  readonly command?: string;
  readonly response?: string;
  readonly responseCode?: number;
}

function partsOf(error: unknown): MailError {
  return error instanceof Error ? (error as MailError) : {};
}

/** Reply codes that concern the account or the way here, not the mail: authentication needed, or failed. */
const accountCodes = new Set([530, 534, 535, 538]);

/** @param secrets - taken out of every reason, as are addresses */
export function classifyMailError(error: unknown, secrets: readonly string[] = []): MailFailure {
  const { code, originalCode = '', command = '', response = '', responseCode = 0 } = partsOf(error);
  const text = redact(error instanceof Error ? error.message : String(error), secrets).slice(0, 300);
  // Codes alone where the server speaks of the recipient: it may name the mailbox in its own way.
  const [codes = '', enhanced = ''] = /^\d{3}(?:[ -](\d\.\d{1,3}\.\d{1,3}))?/.exec(response) ?? [];
  const hold = (reason: string, needsOperator: boolean): MailFailure => ({
    kind: 'wait',
    reason,
    holds: true,
    needsOperator,
  });
  if (code === 'EAUTH' || code === 'ENOAUTH' || accountCodes.has(responseCode))
    return hold(`The mail server does not accept the account of RELAY_SMTP_URL: ${text}`, true);
  if (/CERT|SELF_SIGNED|ERR_TLS/.test(originalCode))
    return hold(
      `The certificate of the mail server is not valid (${originalCode}): name its authority in NODE_EXTRA_CA_CERTS, or add ?tls=unverified to RELAY_SMTP_URL.`,
      true,
    );
  if (code === 'ETLS') return hold(`The connection to the mail server cannot be encrypted: ${text}`, true);
  if (responseCode === 421 || responseCode === 0) return hold(`The mail server cannot be reached: ${text}`, false);
  if (command === 'MAIL FROM') {
    const isPermanent = responseCode >= 500;
    return hold(
      isPermanent
        ? `The mail server does not accept RELAY_MAIL_FROM: ${text}`
        : `The mail server defers mails: ${text}`,
      isPermanent,
    );
  }
  if (command === 'RCPT TO' && responseCode >= 500) {
    // "Relay access denied" and policies (RFC 3463, 5.7) speak of the sender, in the words for a recipient.
    if (!enhanced.startsWith('5.7.') && !/\brelay/i.test(response))
      return { kind: 'dead', reason: `The mail server refuses this recipient: ${codes}.` };
    return {
      kind: 'wait',
      reason: `The mail server refuses to send this mail on (${codes}): RELAY_SMTP_URL may need an account.`,
      holds: 'maybe',
      needsOperator: true,
    };
  }
  if (responseCode >= 500)
    return { kind: 'wait', reason: `The mail server refuses the mail: ${codes}.`, holds: 'maybe', needsOperator: true };
  return { kind: 'wait', reason: `The mail server defers this mail: ${codes}.`, holds: false, needsOperator: false };
}

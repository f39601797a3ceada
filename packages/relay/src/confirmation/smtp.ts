/** SMTP with nodemailer: sends mails, and classifies failures as permanent or temporary. */
import { Readable } from 'node:stream';
import { redact } from '@newsletter-kit/core';
import type { SmtpServer } from '../config/smtp-url.ts';
import type { Message } from './mail.ts';

/**
 * What an attempt waits for: connection and login; that the server takes sender, recipient and content; or its reply to
 * the dot that ends the content.
 */
export type MailStep = 'connection' | 'message' | 'reply';

/** A pool of connections to a mail server, kept open while there is something to send. */
export interface MailTransport {
  /**
   * @param onStep - called when a step after the connection begins. The dot is sent once that of `reply` resolves: from
   *   then on the server may take the mail, and it does not if that rejects
   * @throws an error for {@link classifyMailError}
   */
  send(message: Message, signal: AbortSignal, onStep: (step: MailStep) => Promise<void>): Promise<void>;
  /** Connects and logs in, without sending. @throws an error for {@link classifyMailError} */
  verify(): Promise<void>;
  close(): void;
}

/** Connects to a mail server, with the first mail. */
export type OpenTransport = (server: SmtpServer, limits?: MailLimits) => Promise<MailTransport>;

/** Maximum number of mails that are sent at a time, each over a connection of its own. */
export const mailConcurrency = 2;

/** The most calls that one mail makes: to a name server, and to the mail server. */
export const mailCalls = 2;

/** Limits of the mails of a relay. */
export const mailLimits = {
  /** Time until the dot of a mail, in milliseconds; shorter than a claim. */
  dotMs: 120_000,
  /** Time that the server may be silent after it, in milliseconds: RFC 5321, 4.5.3.2.6, lest a mail is sent twice. */
  replyMs: 10 * 60_000,
  /** Maximum number of mails that wait for the reply, beside those that are being sent. */
  unanswered: 50,
};

export type MailLimits = Readonly<typeof mailLimits>;

const timeouts = { connectionTimeout: 10_000, greetingTimeout: 10_000, dnsTimeout: 10_000 };

/** Loads the parts of nodemailer that are used on demand, to save their memory in a relay that sends no mail. */
export const openTransport: OpenTransport = async (server, { dotMs, replyMs, unanswered } = mailLimits) => {
  const [{ default: Mailer }, { default: SmtpPool }] = await Promise.all([
    import('nodemailer/lib/mailer'),
    import('nodemailer/lib/smtp-pool'),
  ]);
  const options = {
    ...server,
    ...timeouts,
    socketTimeout: replyMs,
    maxConnections: mailConcurrency + unanswered,
    idleTimeout: 30_000,
    // A mail sent over a broken connection may have arrived: only the caller repeats it.
    maxRequeues: 0,
    disableFileAccess: true,
    disableUrlAccess: true,
  };
  const pool = new SmtpPool(options);
  const { name, version } = pool;
  return {
    async send(message, signal, onStep) {
      const limit = new AbortController();
      const timer = setTimeout(() => limit.abort(), dotMs);
      const either = AbortSignal.any([signal, limit.signal]);
      const untilDot = async function* (content: Readable): AsyncGenerator {
        yield* content;
        await onStep('reply');
        either.throwIfAborted();
        clearTimeout(timer);
      };
      const send: typeof pool.send = (mail, done) => {
        mail.message.processFunc((content) => {
          void onStep('message');
          // Reads nothing before the server asks for the content, unlike a transform.
          return Readable.from(untilDot(content));
        });
        return pool.send(mail, done);
      };
      const mailer = new Mailer({ name, version, supportsAbortSignal: true, send }, options);
      try {
        await mailer.sendMail({ ...message, headers: { ...message.headers }, signal: either });
      } catch (error) {
        throw limit.signal.aborted ? new Error('Timeout', { cause: error }) : error;
      } finally {
        clearTimeout(timer);
      }
    },
    async verify() {
      await new SmtpPool({ ...options, socketTimeout: dotMs }).verify();
    },
    close: () => pool.close(),
  };
};

/** A mail that was not sent, or may not have been. No reason contains an address or a secret. */
export type MailFailure =
  /** The server will never accept a mail to this recipient. */
  { readonly kind: 'permanent'; readonly reason: string } | LaterMail;

/** A mail that is tried again. */
interface LaterMail {
  /** `unanswered`: the server may have taken the mail. */
  readonly kind: 'temporary' | 'unanswered';
  readonly reason: string;
  /** What failed: the server, so that other mails wait too; this mail; or `unknown` until further failures. */
  readonly scope: 'server' | 'mail' | 'unknown';
  /** Whether the failure persists until a person acts. */
  readonly needsOperator: boolean;
}

/** The properties of errors of nodemailer and of the system that are read here. */
interface MailError {
  readonly code?: string;
  readonly originalCode?: string;
  readonly command?: string;
  readonly response?: string;
  readonly responseCode?: number;
}

/** Reply codes that concern the account, not the mail: authentication required, or failed. */
const accountCodes = new Set([530, 534, 535, 538]);

/** What the server failed to do where it gave no answer. */
const unansweredStep = {
  connection: 'The mail server cannot be reached',
  message: 'The mail server does not take the mail',
  reply: 'The mail server has not confirmed the mail',
} as const satisfies Record<MailStep, string>;

/**
 * @param secrets - removed from every reason, as are e-mail addresses
 * @param step - at which it happened
 */
export function classifyMailError(
  error: unknown,
  secrets: readonly string[] = [],
  step: MailStep = 'connection',
): MailFailure {
  const parts = (error instanceof Error ? error : {}) as MailError;
  const { code, originalCode = '', command = '', response = '', responseCode = 0 } = parts;
  const text = redact(error instanceof Error ? error.message : String(error), secrets).slice(0, 300);
  // A reply about the recipient may contain the mailbox in any form: only its codes are used.
  const [codes = '', enhanced = ''] = /^\d{3}(?:[ -](\d\.\d{1,3}\.\d{1,3}))?/.exec(response) ?? [];
  const later = (scope: LaterMail['scope'], reason: string, needsOperator = false): LaterMail => ({
    kind: 'temporary',
    reason,
    scope,
    needsOperator,
  });
  // From `onStep`: the content ended without its dot.
  if (code === 'ESTREAM') return later('mail', `The mail was not sent: ${text}`);
  if (code === 'EAUTH' || code === 'ENOAUTH' || accountCodes.has(responseCode))
    return later('server', `The mail server does not accept the account of RELAY_SMTP_URL: ${text}`, true);
  if (/CERT|SELF_SIGNED|ERR_TLS/.test(originalCode)) {
    const remedy = 'name its authority in NODE_EXTRA_CA_CERTS, or add ?tls=unverified to RELAY_SMTP_URL';
    return later('server', `The certificate of the mail server is not valid (${originalCode}): ${remedy}.`, true);
  }
  if (code === 'ETLS') return later('server', `The connection to the mail server cannot be encrypted: ${text}`, true);
  if (responseCode === 421 || responseCode < 400) {
    const reason = `${unansweredStep[step]}: ${text}`;
    const mayBeTaken = step === 'reply' && responseCode !== 421;
    return mayBeTaken ? { ...later('unknown', reason), kind: 'unanswered' } : later('server', reason);
  }
  const isRefused = responseCode >= 500;
  if (command === 'MAIL FROM')
    return isRefused
      ? later('server', `The mail server does not accept RELAY_MAIL_FROM: ${text}`, true)
      : later('server', `The mail server defers mails: ${text}`);
  if (!isRefused) return later('mail', `The mail server defers this mail: ${codes}.`);
  if (command !== 'RCPT TO') return later('unknown', `The mail server refuses the mail: ${codes}.`, true);
  // "Relay access denied" and policies (RFC 3463, 5.7) concern the sender, although the reply is to RCPT TO.
  if (!enhanced.startsWith('5.7.') && !/\brelay/i.test(response))
    return { kind: 'permanent', reason: `The mail server refuses this recipient: ${codes}.` };
  return later(
    'unknown',
    `The mail server refuses to send this mail on (${codes}): RELAY_SMTP_URL may need an account.`,
    true,
  );
}

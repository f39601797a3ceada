/** An SMTP server on loopback that stores every accepted mail, and refuses mails as a test configures. */
import { once } from 'node:events';
import type { AddressInfo, Socket } from 'node:net';
import PostalMime, { type Email } from 'postal-mime';
import { SMTPServer, type SMTPServerOptions } from 'smtp-server';
import { onTestFinished } from 'vitest';

/** An answer of SMTP other than success. */
export class Refusal extends Error {
  readonly responseCode: number;

  constructor(responseCode: number, message: string) {
    super(message);
    this.responseCode = responseCode;
  }
}

export interface ReceivedMail extends Email {
  /** Address of the envelope. */
  readonly recipient: string;
  /** As it came over the wire. */
  readonly raw: string;
  /** Whether it came encrypted, and from whom. */
  readonly secure: boolean;
  readonly user: string | undefined;
}

export interface MailServer {
  /** For RELAY_SMTP_URL. */
  readonly url: string;
  readonly port: number;
  /** What came so far, oldest first. */
  readonly received: ReceivedMail[];
  /** Answers a recipient, while set; null takes it. */
  refuseRecipient: ((address: string) => Refusal | null | Promise<null>) | null;
  /** Answers after the content has come and was kept, while set. */
  refuseContent: (() => Refusal | null) | null;
  /** Awaited before the content is answered, while set. */
  holdContent: ((recipient: string) => Promise<void>) | null;
  /** Breaks every connection. */
  drop(): void;
  close(): Promise<void>;
}

/** @param port - default: a free one */
export async function startMailServer(options: SMTPServerOptions = {}, port = 0): Promise<MailServer> {
  const received: ReceivedMail[] = [];
  const server = new SMTPServer({
    disabledCommands: ['STARTTLS', 'AUTH'],
    authOptional: true,
    closeTimeout: 100,
    ...options,
    async onRcptTo({ address }, _session, done) {
      done((await mail.refuseRecipient?.(address)) ?? null);
    },
    onData(stream, { envelope, secure, user }, done) {
      const keep = async (): Promise<void> => {
        try {
          const parts: Buffer[] = [];
          for await (const part of stream) parts.push(part as Buffer);
          const content = Buffer.concat(parts);
          const [recipient] = envelope.rcptTo;
          received.push({
            ...(await PostalMime.parse(content, { attachmentEncoding: 'utf8' })),
            recipient: recipient?.address ?? '',
            raw: content.toString(),
            secure,
            user: user === undefined ? undefined : String(user),
          });
          await mail.holdContent?.(recipient?.address ?? '');
          done(mail.refuseContent?.() ?? null);
        } catch (error) {
          done(error instanceof Error ? error : new Error(String(error)));
        }
      };
      void keep();
    },
  });
  server.on('error', () => {}); // A connection that a test breaks.
  const sockets = new Set<Socket>();
  server.server.on('connection', (socket: Socket) => sockets.add(socket));
  server.listen(port, '127.0.0.1');
  await once(server.server, 'listening');
  const address = server.server.address() as AddressInfo;
  let closed: Promise<void> | undefined;
  const mail: MailServer = {
    url: `smtp://127.0.0.1:${address.port}`,
    port: address.port,
    received,
    refuseRecipient: null,
    refuseContent: null,
    holdContent: null,
    drop: () => sockets.forEach((socket) => socket.destroy()),
    close: () => (closed ??= new Promise((resolve) => server.close(() => resolve()))),
  };
  onTestFinished(() => mail.close());
  return mail;
}

/** The link in a confirmation mail, as a reader of mail takes it from the plain text. */
export function linkIn({ text }: ReceivedMail): string {
  const [link] = /https?:\/\/\S+/.exec(text ?? '') ?? [];
  if (link === undefined) throw new Error('There is no link in the mail.');
  return link;
}

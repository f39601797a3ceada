/** An SMTP server on loopback that stores every email, and n8n's credential for it. */
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import PostalMime, { type Email } from 'postal-mime';
import { SMTPServer } from 'smtp-server';

export interface MailServer {
  /** Fields of n8n's SMTP credential. */
  readonly credential: Readonly<Record<string, string | number | boolean>>;
  /** The received emails, oldest first. */
  readonly received: readonly Email[];
  close(): Promise<void>;
}

/** @param port - a free one by default */
export async function startMailServer(port = 0): Promise<MailServer> {
  const received: Email[] = [];
  const server = new SMTPServer({
    authOptional: true,
    disabledCommands: ['STARTTLS', 'AUTH'],
    onData(stream, _session, done) {
      const keep = async (): Promise<void> => {
        try {
          const parts: Buffer[] = [];
          for await (const part of stream) parts.push(part as Buffer);
          received.push(await PostalMime.parse(Buffer.concat(parts), { attachmentEncoding: 'utf8' }));
          done();
        } catch (error) {
          done(error instanceof Error ? error : new Error(String(error)));
        }
      };
      void keep();
    },
  });
  server.listen(port, '127.0.0.1');
  await once(server.server, 'listening');
  const { port: taken } = server.server.address() as AddressInfo;
  return {
    credential: {
      user: '',
      password: '',
      host: '127.0.0.1',
      port: taken,
      secure: false,
      disableStartTls: true,
      hostName: '',
    },
    received,
    close: () => new Promise((resolve) => server.close(resolve)),
  };
}

/** A relay with confirmation mails, and the mail server it sends them to. */
import { expect } from 'vitest';
import type { RelayEvent } from '../../src/events.ts';
import { waitUntil } from '../../../../test/support/waits.ts';
import type { MailServer, ReceivedMail } from '../mail-server.ts';
import { post, type RelayParts, type RunningRelay, runRelay } from '../running-relay.ts';

export const secret = 'a-secret-of-the-relay-0123456789';

export const publicUrl = 'https://signup.example';

export const settingsFor = ({ url }: Pick<MailServer, 'url'>): Record<string, string> => ({
  RELAY_CONFIRMATION: 'true',
  RELAY_SMTP_URL: url,
  RELAY_MAIL_FROM: 'Bücher & Co <news@shop.example>',
  RELAY_PUBLIC_URL: publicUrl,
  RELAY_SECRET: secret,
});

export interface Confirming extends RunningRelay {
  readonly events: RelayEvent[];
  /** @param form - default: the form without a name */
  signUp(email: string, more?: Readonly<Record<string, unknown>>, form?: string): Promise<void>;
  /** Opens or posts to a link, as a browser does. */
  visit(link: string, method?: string, fields?: URLSearchParams): Promise<Response>;
}

/** @param options - `starts`: whether it works all the time; otherwise `deliver` does, on demand */
export function confirming(
  mail: Pick<MailServer, 'url'>,
  { settings = {}, ...parts }: RelayParts = {},
  { starts = true }: { readonly starts?: boolean } = {},
): Confirming {
  const events: RelayEvent[] = [];
  const relay = runRelay({
    settings: { ...settingsFor(mail), ...settings },
    confirmation: { backoff: { firstMs: 5, maxMs: 20 } },
    onEvent: (event) => void events.push(event),
    ...parts,
  });
  if (starts) relay.start();
  return {
    ...relay,
    events,
    async signUp(email, more = {}, form) {
      const request = post({ email, ...more });
      const named = form === undefined ? request : new Request(`${request.url}/${form}`, request);
      expect((await relay.fetch(named, '198.51.100.7')).status).toBe(202);
    },
    visit: (link, method = 'GET', fields) =>
      relay.fetch(new Request(link, { method, redirect: 'manual', ...(fields && { body: fields }) }), '198.51.100.7'),
  };
}

export const mailTo = (mail: MailServer, recipient: string): Promise<ReceivedMail> =>
  waitUntil(`a mail to ${recipient}`, () => mail.received.find((each) => each.recipient === recipient) ?? null);

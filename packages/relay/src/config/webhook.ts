/** The settings of a destination of webhooks. */
import * as z from 'zod';
import { group, optionalGroup, setting, type ValueOf } from './setting.ts';
import { flag, list, webhookSecrets, webhookUrl } from './values.ts';
import { webhookTypes } from './webhook-type.ts';

export const webhookSettings = group({
  receiver: optionalGroup({
    url: setting('RELAY_WEBHOOK_URL', webhookUrl, 'URL that receives signed webhooks about signups'),
    /** One secret, or two of which the receiver knows one. */
    secrets: setting(
      'RELAY_WEBHOOK_SECRET',
      webhookSecrets,
      'Secret that signs them, of Standard Webhooks: `whsec_` and 24 to 64 bytes in base64; `newsletter-relay webhooks secret` makes one. Two with a comma between them both sign, so that a receiver can change from one to the other',
    ),
  }),
  types: setting(
    'RELAY_WEBHOOK_EVENTS',
    list(z.enum(webhookTypes, `must be of ${webhookTypes.join(', ')}`))
      .refine((types) => types.length > 0, `must be of ${webhookTypes.join(', ')}`)
      .prefault(webhookTypes.join(',')),
    'What is reported, with commas between the names',
  ),
  allowsPrivateNetwork: setting(
    'RELAY_WEBHOOK_PRIVATE_NETWORK',
    flag.prefault('false'),
    '`true`: the URL may lead into a private network, to this machine included, and may be without https',
  ),
});

type WebhookValues = ValueOf<typeof webhookSettings>;

/** A destination of webhooks. */
export interface WebhookDestination extends Omit<WebhookValues, 'receiver'>, NonNullable<WebhookValues['receiver']> {
  readonly name: string;
}

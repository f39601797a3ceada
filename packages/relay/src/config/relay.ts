/** The settings of the whole relay. */
import * as z from 'zod';
import { group, setting, type ValueOf } from './setting.ts';
import {
  apiUrl,
  bareToken,
  daysOrNever,
  limit,
  list,
  listenAddress,
  network,
  numberFrom,
  numberOrNever,
  oneOf,
  smtpServer,
  store,
  webAddress,
  webhookSecrets,
  listSource,
} from './values.ts';

/** The file with settings; named by the environment alone. */
export const configFile = setting(
  'RELAY_CONFIG',
  z.string().optional(),
  'Path of a file with settings, in YAML or JSON; several forms need one',
);

export const relaySettings = group({
  api: group({
    url: setting('NEWSLETTER_API_URL', apiUrl, 'Root address of the newsletter API; ends with `/v2`'),
  }),
  store: setting(
    'RELAY_STORE',
    store.prefault('sqlite:./relay.db'),
    'Where signups are kept: `sqlite:` and the path of a file on a local disk, or `postgres://user:password@host:5432/database`',
  ),
  tagFolder: setting(
    'RELAY_TAG_FOLDER',
    z.string().optional(),
    'Folder that keeps files of earlier versions of the form, for pages that are open during an upgrade. Unset: one beside the file of the store; with PostgreSQL none',
  ),
  listen: group({
    host: setting('RELAY_HOST', z.string().prefault('127.0.0.1'), 'Address to listen on; `0.0.0.0` for every network'),
    port: setting('RELAY_PORT', numberFrom(0, 65_535).prefault('4020'), 'Port to listen on; `0` picks a free one'),
  }),
  log: group({
    level: setting(
      'RELAY_LOG_LEVEL',
      oneOf('fatal', 'error', 'warn', 'info', 'debug', 'silent').prefault('info'),
      'How much is logged',
    ),
    format: setting(
      'RELAY_LOG_FORMAT',
      oneOf('auto', 'json', 'plain').prefault('auto'),
      '`json` for machines, `plain` for people; `auto` is plain at a terminal',
    ),
  }),
  trustedProxies: setting(
    'RELAY_TRUSTED_PROXIES',
    list(network).prefault(''),
    'Trusted proxies, as IP addresses and networks, whose `X-Forwarded-For` is used: `127.0.0.1,10.0.0.0/8`. Unset: none',
  ),
  defence: group({
    limits: group({
      ip: setting(
        'RELAY_LIMIT_IP',
        limit.prefault('600/1h'),
        'Rate limit per visitor: signups from one IPv4 address or IPv6 /64 network, ten times as many from a /48; all rules apply, `0` is no limit',
      ),
      address: setting(
        'RELAY_LIMIT_ADDRESS',
        limit.prefault('5/1d'),
        'Rate limit per mailbox: signups of one mailbox that are delivered; the part of an address after a `+` is ignored. Above the limit the answer stays the same, and one more signup is kept for review',
      ),
    }),
    blockedDomains: setting(
      'RELAY_BLOCKED_DOMAINS',
      listSource.optional(),
      'Mail domains whose signups are kept for review: path of a file, or https address, of a list with one domain a line, which covers what is below it; `#` begins a comment. A file is read at the start, an address once a day. Unset: none',
    ),
  }),
  secret: setting(
    'RELAY_SECRET',
    bareToken(24).optional(),
    'Signs form tokens, proofs and links in mails, and hashes visitors’ addresses. Unset: one is generated and stored in the file `-secret` beside the store; with PostgreSQL it is required where something is signed or hashed',
  ),
  /** Required if a form asks for confirmation. */
  mail: group({
    publicUrl: setting(
      'RELAY_PUBLIC_URL',
      webAddress
        .refine((text) => !/[?#]/.test(text), 'must be an address without ? and #')
        .transform((text) => text.replace(/\/+$/, ''))
        .optional(),
      'Address of this relay as visitors reach it, for links in mails and for snippets: `https://signup.example.com`',
    ),
    bounceSecrets: setting(
      'RELAY_BOUNCE_SECRET',
      webhookSecrets.optional(),
      'Secret of Standard Webhooks with which posts to `/bounces` are signed. Unset: there is no such address',
    ),
    server: setting(
      'RELAY_SMTP_URL',
      smtpServer.optional(),
      'Mail server for confirmation mails: `smtps://user:password@host`, or `smtp://` for STARTTLS',
    ),
  }),
  delivery: group({
    // Less than 100 saves nothing, because the list has to be read afterwards; delivery counts up to the number often.
    bulkAbove: setting(
      'RELAY_BULK_ABOVE',
      numberOrNever(100, 100_000).prefault('1000'),
      'Number of due signups from which they are sent to the API in bulk: 100 to 100000; `never` sends each alone',
    ),
  }),
  // Zero would be understood both as at once and as never: only what was delivered may be erased at once.
  retention: group({
    delivered: setting(
      'RELAY_ERASE_AFTER_DAYS',
      daysOrNever(0, 9999).prefault('30'),
      'Days after delivery until address and fields are erased here; `0` at once, `never` keeps them',
    ),
    review: setting(
      'RELAY_REVIEW_DAYS',
      daysOrNever(1, 99_999).prefault('90'),
      'Days until a signup in review, after its receipt, and a dead letter, after its refusal, are deleted; `never` keeps them',
    ),
    unconfirmed: setting(
      'RELAY_UNCONFIRMED_DAYS',
      daysOrNever(1, 99_999).prefault('7'),
      'Days after receipt until a signup that was never confirmed is deleted; `never` keeps it',
    ),
    consent: setting(
      'RELAY_CONSENT_DAYS',
      daysOrNever(1, 99_999).prefault('never'),
      'Days after consent was given until its entry in the ledger is deleted; `never` keeps it',
    ),
  }),
  operator: group({
    token: setting(
      'RELAY_OPERATOR_TOKEN',
      bareToken(16).optional(),
      'Token for `/operator`, `/metrics` and the details of `/readyz`. Unset: one is generated and stored in the file `-operator` beside the store; with PostgreSQL, and on a Worker, they are then switched off',
    ),
    listen: setting(
      'RELAY_OPERATOR_LISTEN',
      listenAddress.optional(),
      'Address and port of their own for `/operator`, `/metrics` and the details of `/readyz`, such as `127.0.0.1:9464`: there they need no token unless RELAY_OPERATOR_TOKEN is set. Unset: they are beside the forms',
    ),
  }),
  /** Refused on a machine. */
  worker: group({
    jurisdiction: setting(
      'RELAY_JURISDICTION',
      oneOf('eu', 'us', 'fedramp').optional(),
      'Only on a Worker: the jurisdiction that its Durable Objects never leave; another one begins with empty objects. Unset: none',
    ),
    location: setting(
      'RELAY_LOCATION',
      oneOf('wnam', 'enam', 'sam', 'weur', 'eeur', 'apac', 'oc', 'afr', 'me').optional(),
      'Only on a Worker: the region near which Cloudflare creates its Durable Objects, `weur` for western Europe; those that exist stay where they are. Unset: near the first request',
    ),
    subrequests: setting(
      'RELAY_SUBREQUESTS',
      numberFrom(10, 1_000_000).prefault('50'),
      'Only on a Worker: the most calls of one invocation that its Cloudflare plan allows: 50 on the free plan, 10000 on the paid one; a delivery that needs more continues in the next one',
    ),
  }),
  alerts: group({
    webhook: setting('RELAY_ALERT_WEBHOOK', webAddress.optional(), 'URL that receives alerts, as a POST with JSON'),
  }),
});

/** The abuse protection that all forms share. */
export type Defence = ValueOf<typeof relaySettings>['defence'];

/** The rules of each rate limit; all of them apply, no rule means no limit. */
export type LimitRules = Defence['limits'];

/** A rate limit; `ipv6_48` is the /48 network around the /64 of an IPv6 visitor. */
export type LimitKind = keyof LimitRules | 'ipv6_48';

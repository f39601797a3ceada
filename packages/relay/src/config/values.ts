/** Checks of single settings, as zod schemas: what each kind of value looks like and what the error says. */
import { isIP } from 'node:net';
import { readServiceAddress } from '@newsletter-kit/core/engine';
import { isAddress, normalizeAddress } from '@newsletter-kit/core/signup';
import * as z from 'zod';
import { readSmtpUrl, smtpUrlFormat } from './smtp-url.ts';
import { readStoreAddress } from './store-address.ts';

/** A text with a format of its own. @param read - returns null for a text that is wrong */
const parsed = <Value>(read: (text: string) => Value | null, message: string) =>
  z.string().transform((text, context): Value => {
    const value = read(text);
    if (value !== null) return value;
    context.addIssue({ code: 'custom', message });
    return z.NEVER;
  });

/** A list with commas, or other separators, between its items, or, in a file, a list. */
export const list = <Item extends z.core.$ZodType<unknown, string>>(item: Item, separator: string | RegExp = ',') =>
  z
    .union([
      z.string().transform((text) =>
        text
          .split(separator)
          .map((each) => each.trim())
          .filter(Boolean),
      ),
      z.array(z.string()),
    ])
    .pipe(z.array(item))
    .readonly();

/** For a list in which order and repetition mean nothing. */
export const asSet = (items: readonly string[]): ReadonlySet<string> => new Set(items);

/** Null where it is not set. */
export const orNull = <Value>(schema: z.ZodType<Value>) => schema.optional().transform((value) => value ?? null);

export const oneOf = <const Words extends readonly string[]>(...words: Words) =>
  z.enum(words, `must be ${words.slice(0, -1).join(', ')} or ${words.at(-1)}`);

export const flag = oneOf('true', 'false').transform((word) => word === 'true');

/** A token or key of this many characters at least. */
export const bareToken = (shortest: number) =>
  z
    .string()
    .regex(new RegExp(`^[\\x21-\\x7e]{${shortest},}$`), `must be ${shortest} characters or more, without spaces`);

const isFrom = (least: number, most: number, text: string): boolean =>
  /^\d{1,9}$/.test(text) && Number(text) >= least && Number(text) <= most;

export const numberFrom = (least: number, most: number) =>
  z
    .string()
    .refine((text) => isFrom(least, most, text), `must be a number from ${least} to ${most}`)
    .transform(Number);

/** A number; null for `never`. */
export const numberOrNever = (least: number, most: number, unit = '') =>
  z
    .string()
    .refine(
      (text) => text === 'never' || isFrom(least, most, text),
      `must be a number ${unit}from ${least} to ${most}, or never`,
    )
    .transform((text) => (text === 'never' ? null : Number(text)));

/** Days; null is never. */
export const daysOrNever = (least: number, most: number) => numberOrNever(least, most, 'of days ');

export const origin = z.string().superRefine((text, context) => {
  const exact = URL.canParse(text) && /^https?:/.test(text) ? new URL(text).origin : null;
  if (exact === text) return;
  const message =
    text === '*'
      ? 'must name each site: * would let any page on the web sign people up'
      : exact
        ? `has ${quote(text)}, which must be written ${exact}`
        : `has ${quote(text)}, which must be an origin such as https://example.com`;
  context.addIssue({ code: 'custom', message });
});

export const store = z.string().transform((text, context) => {
  const read = readStoreAddress(text);
  if ('kind' in read) return read;
  context.addIssue({ code: 'custom', message: read.problem });
  return z.NEVER;
});

export const apiUrl = z
  .string('is missing: set it to the root address of the API, which ends with /v2')
  .transform((text, context) => {
    const read = readServiceAddress(text, '/v2');
    if ('address' in read) return read.address;
    context.addIssue({ code: 'custom', message: read.problem });
    return z.NEVER;
  });

/** Where a server listens. */
export interface ListenAddress {
  readonly host: string;
  readonly port: number;
}

export const listenAddress = parsed((text): ListenAddress | null => {
  const [, ipv6, name = ipv6, port = ''] = /^(?:\[([\da-f:.]+)\]|([\w.-]+)):(\d{1,5})$/i.exec(text) ?? [];
  return name !== undefined && Number(port) <= 65_535 ? { host: name, port: Number(port) } : null;
}, 'must be an address and a port, for example 127.0.0.1:9464');

export const webAddress = z
  .string()
  .refine((text) => URL.canParse(text) && /^https?:$/.test(new URL(text).protocol), 'must be an http(s) address');

/** Path of a file, or an https address. */
export const listSource = z.string().refine((text) => {
  const url = text.includes('://') ? URL.parse(text) : undefined;
  return url === undefined || (url?.protocol === 'https:' && url.username + url.password === '');
}, 'must be the path of a file, or an https address without user and password');

export const webhookUrl = webAddress.refine(
  (text) => !URL.canParse(text) || new URL(text).username + new URL(text).password === '',
  'must be an address without user and password: the receiver verifies the signature instead',
);

/** The secret of Standard Webhooks: 24 to 64 bytes. */
const webhookSecret = z.string().refine((text) => {
  const [, base64 = ''] = /^whsec_([A-Za-z0-9+/]+={0,2})$/.exec(text) ?? [];
  const { length } = Buffer.from(base64, 'base64');
  return length >= 24 && length <= 64;
}, 'must be whsec_ and 24 to 64 bytes in base64; "newsletter-relay webhooks secret" makes one');

export const webhookSecrets = list(webhookSecret).refine(
  ({ length }) => length === 1 || length === 2,
  'must be one secret, or the old and the new one while receivers change',
);

export const smtpServer = parsed(readSmtpUrl, smtpUrlFormat);

/** Sender or recipient of a mail. */
export interface MailSender {
  /** Empty if only the address is shown. */
  readonly name: string;
  readonly address: string;
}

export const sender = parsed((text): MailSender | null => {
  const [, name = '', inBrackets, bare] = /^(?:"?([^"<>\r\n]*?)"? *<([^<>\s]+)>|([^<>\s]+))$/.exec(text) ?? [];
  const address = inBrackets ?? bare ?? '';
  return isAddress(address) ? { name, address: normalizeAddress(address) } : null;
}, 'must be an address: news@example.com, or Example News <news@example.com>');

/** What is replaced in the texts of a mail. */
const places = ['link', 'not_me', 'form', 'title', 'email', 'site', 'date'];

/** A text in which the names in braces are replaced. */
export const template = z.string().superRefine((text, context) => {
  const unknown = [...text.matchAll(/\{(\w{1,20})\}/g)].find(([, name = '']) => !places.includes(name))?.[0];
  if (unknown !== undefined)
    context.addIssue({
      code: 'custom',
      message: `has ${unknown}, but only ${places.map((name) => `{${name}}`).join(', ')} are replaced`,
    });
});

export const oneLine = (longest: number) =>
  z
    .string()
    .regex(
      new RegExp(`^[^\\p{Cc}\\p{Zl}\\p{Zp}]{1,${longest}}$`, 'u'),
      `must be one line of ${longest} characters at most`,
    );

/** A custom field that a page asks for. */
export interface PageField {
  readonly name: string;
  /** What a browser may fill in, as a value of HTML's `autocomplete`; empty for nothing. */
  readonly autocomplete: string;
  /** Empty for a text of one's own. */
  readonly options: readonly string[];
}

/** Names of HTML's autofill fields that a newsletter can ask a person for. */
const autofill =
  /^(name|honorific-(prefix|suffix)|(given|additional|family)-name|nickname|organization(-title)?|street-address|address-(line[1-3]|level[1-4])|country(-name)?|postal-code|language|bday|sex|tel|url)?$/;

/** `City`, `First Name:given-name` where browsers may fill it in, or `Topics=boats|food` with choices. */
export const pageField = parsed((text): PageField | null => {
  const [, name, autocomplete = '', choices] = /^([^=|[\]]+?)(?::([\w-]+))?\s*(?:=(.*))?$/.exec(text) ?? [];
  const options = choices?.split('|').map((each) => each.trim()) ?? [];
  return name === undefined || options.includes('') || !autofill.test(autocomplete)
    ? null
    : { name, autocomplete, options };
}, 'must be names of custom fields, one with choices as Topics=boats|food, one that browsers fill in as First Name:given-name, with a value of autocomplete in HTML');

/** As browsers have them: on a tag that they do not take, no page could be shown. */
export const language = parsed((text) => {
  try {
    return Intl.getCanonicalLocales(text).length > 0 ? text : null;
  } catch {
    return null;
  }
}, 'must be a language tag such as en, de or pt-BR');

const unitSeconds: Readonly<Partial<Record<string, number>>> = { s: 1, m: 60, h: 3600, d: 86_400 };

/** At most `points` in each window of `seconds`. */
export interface LimitRule {
  readonly points: number;
  readonly seconds: number;
}

/** `60/1m`: sixty within a minute. */
const limitRule = parsed((text): LimitRule | null => {
  const [, points, count, unit = ''] = /^([1-9]\d{0,8})\/([1-9]\d{0,3})([smhd])$/.exec(text) ?? [];
  return points ? { points: Number(points), seconds: Number(count) * (unitSeconds[unit] ?? 0) } : null;
}, 'must be 0, or a number and a time such as 60/1m, with s, m, h or d');

/** Rules with commas between them, or `0` for none. */
export const limit = list(z.string())
  .transform((texts) => (texts.join() === '0' ? [] : texts))
  .pipe(z.array(limitRule).readonly());

/** Whether a text is an IP address, or a network in CIDR notation. */
export function isNetwork(text: string): boolean {
  const [, address = '', prefix = '0'] = /^([^/]+)(?:\/(\d{1,3}))?$/.exec(text) ?? [];
  const version = isIP(address);
  return version !== 0 && !address.includes('%') && Number(prefix) <= (version === 6 ? 128 : 32);
}

export const network = z.string().refine(isNetwork, 'must be addresses or networks such as 10.0.0.0/8');

/** A value in quotes, cut: it may be a secret pasted into the wrong place, or a long text. */
function quote(text: string): string {
  return JSON.stringify(text.length > 60 ? `${text.slice(0, 60)}…` : text);
}

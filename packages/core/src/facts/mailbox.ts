/** The mailbox behind an address, for limits alone: never to send to, to show, or to tell people apart. */
import { addressKey } from '../signup/address.ts';

/** How a provider delivers several spellings to one mailbox. */
export interface MailboxRule {
  /** Domains on which a name is one mailbox. The first one is the key's. */
  readonly domains: readonly [string, ...string[]];
  /** Characters of a name that make no difference, and what stands for all of them. */
  readonly alike?: { readonly characters: RegExp; readonly as: string };
  /** Whether `tag@name.domain` is `name@domain` too. */
  readonly hasSubdomains?: true;
  /** Where the provider says so. */
  readonly source: string;
}

/**
 * What providers state themselves. What is only probable has no row: two people counted as one would wait for each
 * other's mails. So dots count on Google Workspace, hyphens at Yahoo, and each domain of Outlook and Fastmail is its
 * own.
 */
export const mailboxRules: readonly MailboxRule[] = [
  {
    domains: ['gmail.com', 'googlemail.com'],
    alike: { characters: /\./g, as: '' },
    source: 'https://support.google.com/mail/answer/7436150',
  },
  {
    domains: ['proton.me', 'protonmail.com', 'protonmail.ch', 'pm.me'],
    alike: { characters: /[._-]/g, as: '' },
    source: 'https://proton.me/support/addresses-and-aliases',
  },
  {
    domains: ['icloud.com', 'me.com', 'mac.com'],
    source: 'https://support.apple.com/118230',
  },
  {
    domains: ['yandex.ru', 'yandex.com', 'yandex.by', 'yandex.kz', 'yandex.ua', 'yandex.com.tr', 'ya.ru'],
    alike: { characters: /\./g, as: '-' },
    source: 'Yandex ID: Alternate email addresses',
  },
  ...(['fastmail.com', 'fastmail.fm'] as const).map((domain): MailboxRule => ({
    domains: [domain],
    hasSubdomains: true,
    source: 'https://www.fastmail.help/hc/en-us/articles/360060591053',
  })),
];

const rulesByDomain = new Map(mailboxRules.flatMap((rule) => rule.domains.map((domain) => [domain, rule] as const)));

/** Whether the domain contains the name: `tag@name.domain`. */
function containsName(domain: string): boolean {
  return rulesByDomain.get(domain.slice(domain.indexOf('.') + 1))?.hasSubdomains ?? false;
}

/**
 * The key under which two addresses are one mailbox. What follows a plus is a tag on every domain (RFC 5233): a
 * provider without tags has no names with a plus either.
 *
 * @example `mailboxKey('A.da+news@googlemail.com')` → `'ada@gmail.com'`
 */
export function mailboxKey(address: string): string {
  const [name, domain] = partsOf(addressKey(address));
  if (containsName(domain)) return mailboxKey(domain.replace('.', '@'));
  const rule = rulesByDomain.get(domain);
  const mailbox = name.split('+', 1)[0] || name;
  if (!rule) return `${mailbox}@${domain}`;
  const { alike, domains } = rule;
  return `${(alike && mailbox.replaceAll(alike.characters, alike.as)) || mailbox}@${domains[0]}`;
}

/** The domain of an e-mail address, in ASCII and lower case. */
export function domainOf(address: string): string {
  return partsOf(addressKey(address))[1];
}

function partsOf(key: string): readonly [name: string, domain: string] {
  const at = key.lastIndexOf('@');
  return [key.slice(0, at), key.slice(at + 1)];
}

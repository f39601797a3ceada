/**
 * Checks what confirmation mails need: the mail server, the links in mails, and what other mail servers look up in DNS
 * about the sender.
 */
import { randomBytes, randomUUID } from 'node:crypto';
import { Resolver } from 'node:dns/promises';
import { domainToASCII } from 'node:url';
import { isLoopbackHost } from '@newsletter-kit/core/endpoint';
import { emptyWhereNone } from './admission/mail-domain.ts';
import { confirmingForms } from './config/form.ts';
import type { RelayConfig } from './config/settings.ts';
import type { SmtpServer } from './config/smtp-url.ts';
import { confirmationMessage, signLink } from './confirmation/mail.ts';
import { brokenLinkPage } from './confirmation/pages.ts';
import { classifyMailError, type MailTransport, type OpenTransport } from './confirmation/smtp.ts';
import type { CheckOptions, CheckResult } from './ops/operator.ts';

/** Name of the check of the mail server. */
export const mailServerCheck = 'mail server';

/** Time limit of a request of a check, in milliseconds. */
export const timeoutMs = 10_000;

/** Whether requests to an address can be read on the network path: without https, and not on this machine. */
export function isReadable(address: string): boolean {
  const { protocol, hostname } = new URL(address);
  return protocol === 'http:' && !isLoopbackHost(hostname) && !hostname.endsWith('.localhost');
}

/** Logs in at the mail server, without sending, and opens the public address that mails link to. */
export async function checkMail(
  { forms, mail: { server, publicUrl } }: Pick<RelayConfig, 'forms' | 'mail'>,
  secrets: readonly string[],
  openTransport: OpenTransport | null,
): Promise<readonly CheckResult[]> {
  const isNeeded = confirmingForms(forms).length > 0;
  if (!isNeeded || server === undefined || publicUrl === undefined || openTransport === null) return [];
  return Promise.all([checkMailServer(server, secrets, await openTransport(server)), checkPublicUrl(publicUrl, forms)]);
}

/** Looks up the domains of the senders in DNS, and sends the mail of a form where an address is named for it. */
export async function checkSender(
  { forms, mail: { server, publicUrl } }: Pick<RelayConfig, 'forms' | 'mail'>,
  secrets: readonly string[],
  open: OpenTransport | null,
  { dkim, mail, resolver }: CheckOptions & { readonly resolver?: TxtResolver },
): Promise<readonly CheckResult[]> {
  const confirming = confirmingForms(forms);
  const domains = new Set(confirming.map(({ confirmation }) => confirmation.from.address.replace(/^.*@/, '')));
  const found = (await Promise.all([...domains].map((domain) => checkSenderDomain(domain, dkim, resolver)))).flat();
  if (mail === undefined) return found;
  const [form] = confirming;
  // Signed with no key of the relay: it confirms nothing.
  const link = { address: `${publicUrl}/confirm/${signLink(randomBytes(32), randomUUID())}`, isOneClick: false };
  const signup = { id: randomUUID(), email: mail, origin: null, receivedAt: Date.now() };
  const message = form && confirmationMessage(form, signup, link);
  const failure =
    !message || server === undefined || open === null
      ? 'No form sends any: RELAY_CONFIRMATION is not true.'
      : await failureOf(await open(server), secrets, (transport) =>
          transport.send(message, AbortSignal.timeout(3 * timeoutMs), () => Promise.resolve()),
        );
  const text = `The mail server took it. Where it arrives, its header Authentication-Results has to say spf=pass, dkim=pass and dmarc=pass.`;
  return [...found, { name: 'test mail', result: failure === null ? 'ok' : 'failed', text: failure ?? text }];
}

/** Why something failed at the mail server; null if it did not. */
async function failureOf(
  transport: MailTransport,
  secrets: readonly string[],
  work: (transport: MailTransport) => Promise<void>,
): Promise<string | null> {
  try {
    await work(transport);
    return null;
  } catch (error) {
    return classifyMailError(error, secrets).reason;
  } finally {
    transport.close();
  }
}

async function checkMailServer(
  { host, port }: SmtpServer,
  secrets: readonly string[],
  transport: MailTransport,
): Promise<CheckResult> {
  const failure = await failureOf(transport, secrets, () => transport.verify());
  const result = failure === null ? 'ok' : 'failed';
  return { name: mailServerCheck, result, text: failure ?? `${host}:${port} takes mails` };
}

/** Requests an invalid link: only a relay answers with that page, through every proxy in front of it. */
async function checkPublicUrl(publicUrl: string, forms: RelayConfig['forms']): Promise<CheckResult> {
  const name = 'links in mails';
  const page = await fetch(`${publicUrl}/confirm/check`, { signal: AbortSignal.timeout(timeoutMs) })
    .then((answer) => answer.text())
    .catch(() => null);
  const text =
    page === brokenLinkPage(forms).html
      ? isReadable(publicUrl)
        ? `${publicUrl} is an address without https: anybody on the network path can read the links and confirm for others.`
        : null
      : `${publicUrl}/confirm/ does not lead to a relay: start the relay, see that its proxy passes on /confirm/, or correct RELAY_PUBLIC_URL.`;
  return text === null
    ? { name, result: 'ok', text: `${publicUrl} leads to the relay` }
    : { name, result: 'warning', text };
}

/** A lookup with the signature of `node:dns`. */
export type TxtResolver = Pick<Resolver, 'resolveTxt'>;

/** Domains that nobody owns (RFC 2606). */
const isReserved = (domain: string): boolean => /(?:^|\.)(?:example|test|invalid|localhost)$/.test(domain);

/**
 * @param domain - of RELAY_MAIL_FROM
 * @param selector - of the DKIM key with which the mail server signs; undefined where it is not known
 * @param resolver - default: the system's name servers
 */
async function checkSenderDomain(
  domain: string,
  selector: string | undefined,
  resolver: TxtResolver = new Resolver({ timeout: 2000, tries: 2 }),
): Promise<readonly CheckResult[]> {
  const name = domainToASCII(domain);
  if (isReserved(name)) return [];
  const parents = name.split('.').map((_, at, labels) => labels.slice(at).join('.'));
  const lookups = [
    {
      kind: 'SPF',
      at: [name],
      format: /^v=spf1(?: |$)/i,
      missing: `There is none, so that mails look forged: publish the TXT record at ${name} that the provider of RELAY_SMTP_URL names, such as "v=spf1 include:PROVIDER ~all".`,
      problem: spfProblem,
    },
    {
      kind: 'DMARC',
      at: parents.slice(0, -1).map((parent) => `_dmarc.${parent}`),
      format: /^v=DMARC1(?:;|$)/i,
      missing: `There is none, which large providers ask for: publish the TXT record "v=DMARC1; p=none" at _dmarc.${name}.`,
    },
    {
      kind: `DKIM key "${selector}"`,
      at: selector === undefined ? [] : [`${selector}._domainkey.${name}`],
      format: /(?:^|;)\s*p=\s*[^\s;]/,
      missing: `There is none: publish the record that the provider of RELAY_SMTP_URL names at ${selector}._domainkey.${name}, or name its selector.`,
    },
  ];
  const asked = lookups.filter(({ at }) => at.length > 0);
  return Promise.all(
    asked.map(async ({ kind, at, format, missing, problem = () => null }): Promise<CheckResult> => {
      const found = await firstRecords(resolver, at, format).catch(() => null);
      const text =
        found === null
          ? 'The name servers do not answer: it was not looked up.'
          : found.length === 0
            ? missing
            : problem(found);
      return { name: `${kind} of ${name}`, result: text === null ? 'ok' : 'warning', text: text ?? 'published' };
    }),
  );
}

/** The TXT records of a format at the first name that has any. */
async function firstRecords(resolver: TxtResolver, names: readonly string[], format: RegExp): Promise<string[]> {
  for (const name of names) {
    const records = (await emptyWhereNone(resolver.resolveTxt(name))).map((parts) => parts.join(''));
    const found = records.filter((record) => format.test(record));
    if (found.length > 0) return found;
  }
  return [];
}

function spfProblem(records: readonly string[]): string | null {
  if (records.length > 1) return `There are ${records.length} records, and none counts then: join them to one.`;
  return /^v=spf1\s+[-~]all\s*$/i.test(records[0] ?? '')
    ? 'It says that the domain sends no mails: name the provider of RELAY_SMTP_URL in it, with "include:".'
    : null;
}

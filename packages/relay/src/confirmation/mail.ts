/**
 * Composes the confirmation mail and its signed link. Of what a visitor sent it has the address alone, and it loads
 * nothing. Pure.
 */
import { timingSafeEqual } from 'node:crypto';
import { escapeHtml } from '@newsletter-kit/core/endpoint';
import type { ConfirmingForm } from '../config/form.ts';
import type { MailSender } from '../config/values.ts';
import { accentOf, directionOf, homeOf, siteOf } from '../pages/page.ts';
import { filled, wordsIn } from '../pages/words.ts';
import { sign } from '../secrets.ts';
import type { StoredSignup } from '../store/signup-store.ts';

/** A mail in the format of nodemailer. */
export interface Message {
  readonly from: MailSender;
  readonly to: MailSender;
  readonly subject: string;
  readonly text: string;
  readonly html: string;
  /** The same for each attempt, so that mail servers can detect duplicates. */
  readonly messageId: string;
  readonly headers: Readonly<Record<string, string>>;
}

/** End of the path of the link for people who did not sign up, after the confirmation link. */
export const notMePath = 'not-me';

/** The link of a mail, and what a program for mails may do with it. */
export interface MailLink {
  readonly address: string;
  /** Whether a program may post to the link for people who did not sign up (RFC 8058). */
  readonly isOneClick: boolean;
}

/** How a mail says when a signup came in. */
const time = {
  ...({ year: 'numeric', month: 'long', day: 'numeric' } as const),
  ...({ hour: 'numeric', minute: '2-digit', timeZone: 'UTC', timeZoneName: 'short' } as const),
};

export function confirmationMessage(
  form: ConfirmingForm,
  signup: Pick<StoredSignup, 'id' | 'origin' | 'receivedAt'> & { readonly email: string },
  { address: link, isOneClick }: MailLink,
): Message {
  const { name, confirmation, site } = form;
  const { from, subject, text: own } = confirmation;
  const words = wordsIn(site.lang);
  const notMe = `${link}/${notMePath}`;
  // The page's own origin is sent by the visitor.
  const origin = form.origins.has(signup.origin ?? '') ? signup.origin : homeOf(siteOf(form));
  const values = {
    form: name,
    title: site.title,
    // Programs for mails make links of what looks like one, also within an address.
    email: signup.email.replaceAll(/\.(?=.*@)/g, '.\u200c'),
    site: origin === null ? site.title : new URL(origin).host,
    date: new Intl.DateTimeFormat(words.lang, time).format(signup.receivedAt),
  };
  const asked = own ?? [words.mailAsked, words.mailClick, '{link}'].join('\n\n');
  const objection = own === null ? `\n\n${words.mailNotMe}\n{not_me}` : '';
  const legal = [...linkOf(site.privacyUrl, words.privacy), ...linkOf(site.imprintUrl, words.imprint)];
  const title = filled(subject ?? words.mailSubject, values);
  const shown = Object.entries(values).map(([key, value]) => [key, `<bdi>${escapeHtml(value)}</bdi>`] as const);
  const { accent, ink } = accentOf(siteOf(form));
  const html: Readonly<Record<string, string>> = {
    ...Object.fromEntries(shown),
    // Outlook for Windows pads cells alone, by a property of its own: elsewhere all of the button is the link.
    link: `<table role="presentation" cellspacing="0" cellpadding="0"><tr><td bgcolor="${accent}" style="border-radius:8px;mso-padding-alt:14px 28px"><a class="button" href="${link}" style="${button};border:1px solid ${accent};background:${accent};color:${ink}">${escapeHtml(words.confirm)}</a></td></tr></table>`,
    not_me: anchor(notMe, words.notMe),
  };
  const paragraphs = asked.trim().split(/(?:\r?\n[ \t]*){2,}/);
  const small = [
    ...(own === null ? [`${escapeHtml(words.mailLink)} ${anchor(link, link)}`, anchor(notMe, words.mailNotMe)] : []),
    ...(legal.length === 0 ? [] : [legal.map(({ address, label }) => anchor(address, label)).join(' · ')]),
  ];
  return {
    from,
    to: { name: '', address: signup.email },
    subject: title,
    text: [
      filled(asked + objection, { ...values, link, not_me: notMe }).trim(),
      ...legal.map(({ address, label }) => `${label}: ${address}`),
    ].join('\n\n'),
    html: mailHtml(own === null ? words.lang : site.lang, title, [
      `<p style="margin:0 0 24px;font-weight:600">${escapeHtml(site.title)}</p>`,
      ...(own === null
        ? [`<h1 style="margin:0 0 20px;font-size:22px;line-height:1.3">${escapeHtml(words.confirmHeading)}</h1>`]
        : []),
      ...paragraphs.map((each) => {
        const content = filled(escapeHtml(each).replaceAll(/\r?\n/g, '<br>\n'), html);
        return `<div dir="auto" style="margin:0 0 20px">${content}</div>`;
      }),
      ...(small.length === 0
        ? []
        : ['<hr class="line" style="margin:32px 0 20px;border:0;border-top:1px solid #e1e5e8">']),
      ...small.map((each) => `<p class="soft" style="margin:0 0 12px;font-size:14px;color:#566069">${each}</p>`),
    ]),
    messageId: `<confirmation.${signup.id}@${from.address.slice(from.address.lastIndexOf('@') + 1)}>`,
    headers: {
      // RFC 3834: prevents automatic replies. The second header does so for Exchange.
      'Auto-Submitted': 'auto-generated',
      'X-Auto-Response-Suppress': 'All',
      ...(isOneClick && { 'List-Unsubscribe': `<${notMe}>`, 'List-Unsubscribe-Post': 'List-Unsubscribe=One-Click' }),
    },
  };
}

const linkOf = (address: string | null, label: string) => (address === null ? [] : [{ address, label }]);

const anchor = (address: string, label: string): string =>
  `<a class="soft" href="${escapeHtml(address)}" style="color:#566069">${escapeHtml(label)}</a>`;

const button = 'display:inline-block;padding:14px 28px;border-radius:8px;font-weight:600;text-decoration:none';

/** Styles stand at the elements: some programs drop all others, and with them the dark colours alone. */
const mailHtml = (lang: string, title: string, content: readonly string[]): string => `<!doctype html>
<html lang="${escapeHtml(lang)}" dir="${directionOf(lang)}">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width">
<meta name="color-scheme" content="light dark">
<meta name="supported-color-schemes" content="light dark">
<title>${escapeHtml(title)}</title>
<style>:root{color-scheme:light dark}@media (prefers-color-scheme:dark){.page{background:#191d20!important;color:#e6eaed!important}.soft{color:#a0abb4!important}.line{border-color:#2b3136!important}.button{border-color:#848d95!important}}</style>
</head>
<body class="page" style="margin:0;background:#ffffff;color:#1a2024">
<div class="page" lang="${escapeHtml(lang)}" dir="${directionOf(lang)}" style="max-width:512px;margin:0 auto;padding:32px 20px;background:#ffffff;color:#1a2024;font:16px/1.5 system-ui,-apple-system,'Segoe UI',Roboto,sans-serif;overflow-wrap:anywhere">
${content.join('\n')}
</div>
</body>
</html>
`;

/** 128 bits of the signature: unguessable, and short enough for a link that people copy. */
const signatureBytes = 16;

const signature = (key: Buffer, id: string): Buffer => sign(key, [id]).subarray(0, signatureBytes);

/** The token of a signup's confirmation link. @param id - of the signup, a UUID */
export function signLink(key: Buffer, id: string): string {
  return Buffer.concat([Buffer.from(id.replaceAll('-', ''), 'hex'), signature(key, id)]).toString('base64url');
}

/** @returns the id of the signup; null if the token was not signed with this key */
export function verifyLink(key: Buffer, token: string): string | null {
  if (!/^[\w-]{43}$/.test(token)) return null;
  const bytes = Buffer.from(token, 'base64url');
  const hex = bytes.subarray(0, -signatureBytes).toString('hex');
  const id = hex.replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, '$1-$2-$3-$4-$5');
  // The last of 43 characters has two unused bits: only one spelling is accepted.
  const isOurs = timingSafeEqual(signature(key, id), bytes.subarray(-signatureBytes));
  return isOurs && bytes.toString('base64url') === token ? id : null;
}

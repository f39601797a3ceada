/** Composes the confirmation mail and its signed link. Contains nothing a visitor entered and loads nothing. Pure. */
import { timingSafeEqual } from 'node:crypto';
import type { Form } from '../config/form.ts';
import { filled, wordsIn } from '../pages/words.ts';
import type { MailSender } from '../config/values.ts';
import { sign } from '../secrets.ts';
import { escapeHtml } from '@newsletter-kit/core/endpoint';

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

/** @returns null if the form no longer asks for confirmation */
export function confirmationMessage(
  { name: form, confirmation, site }: Pick<Form, 'name' | 'confirmation' | 'site'>,
  signup: { readonly id: string; readonly email: string },
  link: string,
): Message | null {
  if (!confirmation) return null;
  const { from, subject, text } = confirmation;
  const { title, lang } = site;
  const words = wordsIn(lang);
  const named = (template: string): string => filled(template, { form, title });
  const body = named(text);
  const linked = (template: string, show: (address: string) => string): string =>
    template.replaceAll('{link}', () => show(link)).replaceAll('{not_me}', () => show(`${link}/${notMePath}`));
  const anchor = (address: string): string => `<a href="${escapeHtml(address)}">${escapeHtml(address)}</a>`;
  const paragraphs = body
    .trim()
    .split(/(?:\r?\n[ \t]*){2,}/)
    .map((paragraph) => linked(escapeHtml(paragraph).replaceAll(/\r?\n/g, '<br>\n'), anchor))
    .map((paragraph) => `<p dir="auto">${paragraph}</p>`);
  return {
    from,
    to: { name: '', address: signup.email },
    subject: named(subject ?? words.mailSubject),
    text: linked(body, (address) => address),
    html: `<!doctype html>\n<html lang="${escapeHtml(lang)}">\n<meta charset="utf-8">\n${paragraphs.join('\n')}\n</html>\n`,
    messageId: `<confirmation.${signup.id}@${from.address.slice(from.address.lastIndexOf('@') + 1)}>`,
    // RFC 3834: prevents automatic replies. The second header does so for Exchange.
    headers: { 'Auto-Submitted': 'auto-generated', 'X-Auto-Response-Suppress': 'All' },
  };
}

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

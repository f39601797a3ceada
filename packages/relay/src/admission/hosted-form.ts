/**
 * The hosted form: a page of the relay at `GET /signup`, for links from anywhere and for frames. It needs no script:
 * the browser posts it, and what its address and its referrer say about the visit goes along in hidden fields.
 */
import { hash } from 'node:crypto';
import { escapeHtml, framedPageHeaders, pageHtml, pageThemes, postingPage } from '@newsletter-kit/core/endpoint';
import { attributionFields, honeypotField, readAttribution } from '@newsletter-kit/core/signup';
import type { Form, HostedPage } from '../config/form.ts';

/** Tells the page around a frame how high it would be without scrolling. */
const reportHeight =
  "if(parent!==window)new ResizeObserver(()=>parent.postMessage({type:'newsletter-height',height:Math.ceil(document.body.getBoundingClientRect().height)},'*')).observe(document.body)";
const scriptHash = hash('sha256', reportHeight, 'base64');

const style = `html{min-height:100vh}body{margin:0 auto;padding:2rem 1.25rem}form{display:grid;gap:1.25rem}label,legend{display:block;font-weight:600}label small,legend small{font-weight:400}input:not([type=checkbox]){display:block;width:100%;min-height:3rem;margin-top:.375rem;padding:.5rem .875rem;border:1px solid var(--edge);border-radius:8px;background:var(--sunk);color:var(--ink);font:inherit}fieldset{margin:0;padding:0;border:0}.choice{display:flex;align-items:center;gap:.625rem;min-height:2.75rem;font-weight:400}.choice input{flex:none;width:1.25rem;height:1.25rem;margin:0;accent-color:var(--accent)}button{min-height:3rem}`;

/** A form with a page of its own. */
export type HostedForm = Form & { readonly page: HostedPage };

export function isHosted(form: Form): form is HostedForm {
  return form.page !== null;
}

/** The page of a form. @param request - its address may have UTM parameters and a referral code */
export function hostedForm({ page, origins, consent }: HostedForm, { url, headers }: Request): Response {
  const { title, text, lang, theme, label, button, fields } = page;
  const visit = readAttribution({ url, referrer: headers.get('referer') ?? '' });
  const content = [
    '<form method="post" accept-charset="utf-8">',
    input(label, 'type="email" name="email" autocomplete="email" maxlength="254" required'),
    ...fields.map(({ name, options }) => (options.length === 0 ? input(name, named(name)) : choices(name, options))),
    ...(page.consent === null ? [] : [choice('consent', page.consent, consent.required)]),
    ...attributionFields.map((name) => (visit[name] ? hidden(name, visit[name]) : '')),
    hidden(honeypotField, ''),
    `<button>${escapeHtml(button)}</button>`,
    '</form>',
    `<script>${reportHeight}</script>`,
  ];
  const body = pageHtml({
    title,
    paragraphs: text?.split(/\n\s*\n/) ?? [],
    content: `${content.filter(Boolean).join('\n')}\n`,
    lang,
    style: `${theme === null ? '' : pageThemes[theme]}${style}`,
  });
  const framed = framedPageHeaders(origins);
  const policy = `${framed['content-security-policy']}; img-src data:; script-src 'sha256-${scriptHash}'`;
  const always = { 'cache-control': 'no-store', 'x-content-type-options': 'nosniff' };
  return new Response(body, { headers: { ...framed, ...always, ...postingPage, 'content-security-policy': policy } });
}

function input(label: string, attributes: string): string {
  return `<label>${escapeHtml(label)} <input ${attributes}></label>`;
}

const named = (name: string): string => `name="custom_fields[${escapeHtml(name)}]"`;

function hidden(name: string, value: string): string {
  return `<input type="hidden" name="${name}" value="${escapeHtml(value)}">`;
}

function choices(name: string, options: readonly string[]): string {
  const boxes = options.map((option) => choice(`custom_fields[${name}][]`, option));
  return `<fieldset>\n<legend>${escapeHtml(name)}</legend>\n${boxes.join('\n')}\n</fieldset>`;
}

function choice(name: string, value: string, isRequired = false): string {
  const box = `<input type="checkbox" name="${escapeHtml(name)}" value="${escapeHtml(value)}"${isRequired ? ' required' : ''}>`;
  return `<label class="choice">${box} ${escapeHtml(value)}</label>`;
}

/** Templates for the API's values: subscription and HTTP statuses, addresses, moments, texts to copy. */
import { badge, copyButton, dateTime, type Mood } from '@newsletter-kit/pages';
import { html, type TemplateResult } from 'lit';

/** @param seconds - since the Unix epoch */
export function moment(seconds: number): TemplateResult {
  return dateTime(seconds * 1000, { short: true });
}

const moods: Readonly<Record<Exclude<Mood, 'neutral'>, readonly string[]>> = {
  good: ['active', 'complete', 'completed', 'running', 'live'],
  wait: ['validating', 'pending', 'processing', 'in_progress', 'needs_attention', 'finishing'],
  bad: ['invalid', 'failed', 'canceled'],
};

export function statusBadge(status: string): TemplateResult {
  const mood = (['good', 'wait', 'bad'] as const).find((each) => moods[each].includes(status));
  return badge(status.replaceAll('_', ' '), mood);
}

/** The HTTP status of an answer; 0 where the connection broke before an answer. */
export function codeBadge(code: number): TemplateResult {
  const mood = code === 0 || code >= 500 ? 'bad' : code >= 400 ? 'wait' : 'good';
  return badge(code === 0 ? 'broken' : String(code), mood);
}

/** A value of a field as text. */
export function valueText(value: unknown): string {
  if (Array.isArray(value)) return value.map(String).join(', ');
  return typeof value === 'object' && value !== null ? JSON.stringify(value) : String(value);
}

/** An e-mail address that breaks before its @ where it has to. */
export function address(email: string): TemplateResult | string {
  const at = email.lastIndexOf('@');
  return at > 0 ? html`<span>${email.slice(0, at)}<wbr />${email.slice(at)}</span>` : email;
}

/** A code with a button that copies it. @param what - for the accessible name of the button */
export function copyable(text: string, what: string): TemplateResult {
  return html`<span class="copyable"><code>${text}</code>${copyButton(text, what)}</span>`;
}

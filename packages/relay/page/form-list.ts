/** The forms: their websites and pages, the snippet to copy, and their backlog. */
import { copyButton, facts, formatDuration, formatNumber } from '@newsletter-kit/pages';
import { html, nothing, type TemplateResult } from 'lit';
import { repeat } from 'lit/directives/repeat.js';
import type { ListedForm } from '../src/ops/listed-form.ts';
import type { Status } from '../src/ops/operator.ts';
import { relayAddress, request } from './operator-api.ts';

export async function readForms(): Promise<readonly ListedForm[]> {
  const query = `address=${encodeURIComponent(relayAddress)}`;
  return (await request<{ forms: readonly ListedForm[] }>(`forms?${query}`)).forms;
}

/** @param listed - those of the settings; a form that was removed may still have a backlog */
export function forms({ forms: backlogs }: Status, listed: readonly ListedForm[]): TemplateResult {
  const names = new Set([...listed.map(({ name }) => name), ...backlogs.map(({ form }) => form)]);
  const item = (name: string): TemplateResult => {
    const { origins, hosted, snippet } = listed.find((each) => each.name === name) ?? {};
    const { open, oldestSince = null } = backlogs.find(({ form }) => form === name) ?? {};
    const since = oldestSince === null ? '' : `, the oldest for ${formatDuration(Date.now() - oldestSince)}`;
    return html`<article>
      <h3>${name}</h3>
      ${facts([
        ['Backlog', open && `${formatNumber(open)}${since}`],
        ['Websites', origins?.join(' ') ?? 'none: the form is no longer in the settings'],
        ['Page to link to', hosted && html`<a href=${hosted}>${hosted}</a>`],
      ])}
      ${
        snippet
          ? html`<pre tabindex="0" aria-label="Snippet of the form ${name}">${snippet}</pre>
              ${copyButton(snippet, `snippet of the form ${name}`, 'Copy the snippet')}`
          : nothing
      }
    </article>`;
  };
  return html`<section id="forms" aria-labelledby="forms-title">
    <h2 id="forms-title">Forms</h2>
    <p class="soft"
      >Paste the snippet where the form is to appear, on any page of its websites. Its address is RELAY_PUBLIC_URL or, where
      that is not set, the one of this page.</p
    >
    ${repeat(names, (name) => name, item)}
  </section>`;
}

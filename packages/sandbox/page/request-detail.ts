/** Templates of one logged request: the reasons for its answer, the actions on it, and both messages. */
import { button, copyButton, facts, toastError, type Renderable } from '@newsletter-kit/pages';
import { html, nothing, type TemplateResult } from 'lit';
import type { ExampleRequest, Nearest } from '../src/api/nearest.ts';
import type { Exchange as LoggedExchange, LoggedMessage } from '../src/control/request-log.ts';
import { ask } from './control.ts';
import { valueText } from './format.ts';
import { valueOf } from './view.ts';

/** A logged request with its messages, as long as they are kept. */
export type Exchange = Omit<LoggedExchange, 'nearest'> & {
  readonly nearest: (Nearest & { readonly example?: ExampleRequest | null }) | null;
};

/** What {@link requestDetail} needs besides the request. */
export interface RequestDetailOptions {
  /** Summary of the operation. */
  readonly title: string;
  /** The number of the request that repeats this one. */
  readonly later: number | undefined;
  /** The keys it can be sent again with; null is the whole workspace. */
  readonly keys: readonly { readonly key: string; readonly publications: readonly string[] | null }[];
  /** Shows another request. */
  readonly open: (n: number) => void;
}

export function requestDetail(exchange: Exchange, options: RequestDetailOptions): TemplateResult {
  const { n, method, target, status, reasons, repeats, nearest, request, response } = exchange;
  const { title, later, open } = options;
  const link = (to: number, label: string): TemplateResult => button({ label, kind: 'link', onClick: () => open(to) });
  return html`<div class="detail" id="request-detail">
    <h3>Request ${n}: ${title}</h3>
    <code>${method} ${target}</code>
    ${repeats === null ? nothing : link(repeats, `Sends request ${repeats} again`)}
    ${later === undefined ? nothing : link(later, `Was sent again as request ${later}`)}
    ${
      reasons.length === 0
        ? nothing
        : html`<section>
          <h4>${status === 0 || status >= 400 ? 'Why it was refused' : 'Notes'}</h4>
          <ul>
            ${reasons.map((reason) => html`<li>${reason}</li>`)}
          </ul>
        </section>`
    }
    ${request ? sendAgain(exchange, options) : nothing}
    ${nearest && nearest.change.length > 0 ? nearestSection(nearest) : nothing}
    ${message('Request', request)}
    ${status === 0 ? html`<p class="soft">There was no answer: the connection broke before it.</p>` : message('Answer', response)}
  </div>`;
}

/** The button that sends the request again, with a key; the sandbox says where it cannot. */
function sendAgain({ n }: Exchange, { keys, open }: RequestDetailOptions): TemplateResult {
  const send = async (): Promise<void> => {
    const key = valueOf(document, '#again-key') || null;
    await ask<{ data: { n: number } }>(`/requests/${n}/send`, { method: 'POST', body: { key } }).then(
      ({ data }) => open(data.n),
      toastError,
    );
  };
  return html`<div class="tools">
    ${button({ label: 'Send again', kind: 'primary', onClick: send })}
    <label class="check" for="again-key"
      >with<select id="again-key">
        ${keys.map(
          ({ key, publications }, index) =>
            html`<option value=${key} ?selected=${index === 0}>${publications === null ? key : `${key} (restricted)`}</option>`,
        )}
        <option value="">no key</option>
      </select></label
    >
  </div>`;
}

function nearestSection({ request, change, example }: NonNullable<Exchange['nearest']>): TemplateResult {
  return html`<section class="nearest">
    <h4>Nearest valid request</h4>
    <p class="soft">With ${change.length === 1 ? 'this change' : 'these changes'} it is accepted:</p>
    <ul>
      ${change.map(({ field, to }) => html`<li><code>${field}</code> → <code>${valueText(to)}</code></li>`)}
    </ul>
    <code>${example ? `${example.method} ${example.target}` : request}</code>
    ${
      example?.body
        ? html`${bodyText(example.body, 'Body of the nearest valid request')}
          ${copyButton(example.body, 'body of the nearest valid request')}`
        : nothing
    }
  </section>`;
}

function message(title: string, logged: LoggedMessage | null): TemplateResult {
  if (!logged) return html`<p class="soft">${title}: the log removed it to save memory.</p>`;
  const { headers, body, cutFrom } = logged;
  const entries = Object.entries(headers);
  return html`<section class="message">
    <h4>${title} <small>${headers['content-type']?.split(';')[0]}</small></h4>
    <details>
      <summary>Headers (${entries.length})</summary>
      ${facts(entries.map(([name, value]) => [name, html`<code>${value}</code>`] as const))}
    </details>
    ${messageBody(body, title)}
    ${
      cutFrom === null
        ? nothing
        : html`<p class="soft"
          >Only the beginning is shown; the whole body has ${cutFrom.toLocaleString()} characters.</p
        >`
    }
  </section>`;
}

function messageBody(body: string | null, title: string): Renderable {
  if (body === null) return html`<p class="soft">The body was not read: it is too long, or was sent as a stream.</p>`;
  return body === '' ? html`<p class="soft">No body.</p>` : bodyText(body, `Body of the ${title.toLowerCase()}`);
}

/** A body as text, JSON in lines. @param label - its accessible name */
function bodyText(text: string, label: string): TemplateResult {
  return html`<pre tabindex="0" role="group" aria-label=${label}>${inLines(text)}</pre>`;
}

function inLines(text: string): string {
  try {
    return JSON.stringify(JSON.parse(text), null, 2);
  } catch {
    return text;
  }
}

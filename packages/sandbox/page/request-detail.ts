/** Templates of one logged request: the reasons for its answer, the actions on it, and both messages. */
import { button, copyButton, dateTime, facts, toastError, type Renderable } from '@newsletter-kit/pages';
import { html, nothing, type TemplateResult } from 'lit';
import type { ExampleRequest, Nearest } from '../src/api/nearest.ts';
import type { Exchange as LoggedExchange, LoggedMessage } from '../src/control/request-log.ts';
import { ask } from './control.ts';
import { codeBadge, valueText } from './format.ts';
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
  /** The keys it can be sent again with. */
  readonly keys: readonly { readonly key: string; readonly title: string }[];
  /** Shows another request. */
  readonly open: (n: number) => void;
  readonly close: () => void;
}

export function requestDetail(exchange: Exchange, options: RequestDetailOptions): TemplateResult {
  const { n, method, target, status, milliseconds, time, operation, reasons, nearest, request, response } = exchange;
  const { title, close } = options;
  const refused = status === 0 || status >= 400;
  const severity = status === 0 || status >= 500 ? 'bad' : refused ? 'wait' : 'neutral';
  return html`<div class="head">
      <h3 id="request-title">Request ${n}<span class="soft"> ${title}</span></h3>
      ${button({ label: 'Close', kind: 'quiet', onClick: close })}
    </div>
    <p class="mono target" dir="ltr"><b>${method}</b> ${target}</p>
    <p class="outcome">
      ${codeBadge(status)} ${statusPhrases[status]}
      <small
        >${milliseconds} ms · ${dateTime(Date.parse(time), { short: true })}${operation ? ` · ${operation}` : nothing}</small
      >
    </p>
    ${repeatLinks(exchange, options)}
    ${
      reasons.length === 0
        ? nothing
        : html`<div class="reasons-box" data-mood=${severity}>
          <h4>${refused ? 'Why it was refused' : 'Notes'}</h4>
          <ul>
            ${reasons.map((reason) => html`<li>${reason}</li>`)}
          </ul>
        </div>`
    }
    ${request ? actions(exchange, request, options) : nothing}
    ${nearest && nearest.change.length > 0 ? nearestSection(nearest) : nothing}
    ${request ? message('Request', 'request', request) : gone('request')}
    ${response ? message('Answer', 'answer', response) : status === 0 ? noAnswer : request ? gone('answer') : nothing}`;
}

const noAnswer = html`<section>
  <h4>Answer</h4>
  <p class="soft">None: the connection broke before it.</p>
</section>`;

function gone(what: string): TemplateResult {
  return html`<p class="soft">The log no longer has the ${what}: it removed it to save memory.</p>`;
}

function repeatLinks({ repeats }: Exchange, { later, open }: RequestDetailOptions): Renderable {
  if (repeats === null && later === undefined) return nothing;
  const link = (n: number, label: string): TemplateResult => button({ label, kind: 'link', onClick: () => open(n) });
  return html`<p>
    ${repeats === null ? nothing : link(repeats, `Sends request ${repeats} again`)}
    ${repeats !== null && later !== undefined ? ' · ' : nothing}
    ${later === undefined ? nothing : link(later, `Was sent again as request ${later}`)}
  </p>`;
}

function actions(
  { n, target }: Exchange,
  { body, cutFrom }: LoggedMessage,
  { keys, open }: RequestDetailOptions,
): TemplateResult {
  const missing =
    cutFrom !== null || body === null
      ? 'The body was too long for the log, so it can’t be sent again.'
      : `${target}${body}`.includes('[hidden]')
        ? 'It contained a secret, which the log does not keep, so it can’t be sent again from here.'
        : undefined;
  const send = async (): Promise<void> => {
    const key = valueOf(document, '#again-key') || null;
    await ask<{ data: { n: number } }>(`/requests/${n}/send`, { method: 'POST', body: { key } }).then(
      ({ data }) => open(data.n),
      toastError,
    );
  };
  return html`<div class="again">
    <div class="row">
      ${button({ label: 'Send again', kind: 'primary', disabled: missing !== undefined, onClick: send })}
      <label class="check" for="again-key"
        >with<select id="again-key">
          ${keys.map(({ key, title }, index) => html`<option value=${key} ?selected=${index === 0}>${title}</option>`)}
          <option value="">no key</option>
        </select></label
      >
    </div>
    ${missing === undefined ? nothing : html`<small>${missing}</small>`}
  </div>`;
}

function nearestSection({ request, change, example }: NonNullable<Exchange['nearest']>): TemplateResult {
  return html`<section class="nearest">
    <div class="head">
      <h4>Nearest valid request</h4>
      ${example?.body ? copyButton(example.body, 'body of the nearest valid request') : nothing}
    </div>
    <p class="soft">With this change it is accepted:</p>
    <ul>
      ${change.map(({ field, to }) => html`<li><code>${field}</code> → <code>${valueText(to)}</code></li>`)}
    </ul>
    <code dir="ltr">${example ? `${example.method} ${example.target}` : request}</code>
    ${example?.body ? bodyText(example.body, 'Body of the nearest valid request') : nothing}
  </section>`;
}

function message(title: string, name: string, { headers, body, cutFrom }: LoggedMessage): TemplateResult {
  const type = headers['content-type'] ?? '';
  const entries = Object.entries(headers);
  return html`<section class="message">
    <div class="head">
      <h4>${title}${type ? html`<small> ${type.split(';')[0]}</small>` : nothing}</h4>
      ${body ? copyButton(body, `body of the ${name}`) : nothing}
    </div>
    <details>
      <summary>Headers (${entries.length})</summary>
      ${codeFacts(entries)}
    </details>
    ${messageBody(body, type, name)}
    ${
      cutFrom === null
        ? nothing
        : html`<p class="soft"
          >Only the beginning is shown; the whole body has ${cutFrom.toLocaleString()} characters.</p
        >`
    }
  </section>`;
}

function messageBody(body: string | null, type: string, name: string): TemplateResult {
  if (body === null) return html`<p class="soft">The body was not read: it is too long, or was sent as a stream.</p>`;
  if (body === '') return html`<p class="soft">No body.</p>`;
  const form = type.startsWith('application/x-www-form-urlencoded') ? [...new URLSearchParams(body)] : [];
  return form.length > 0 ? codeFacts(form) : bodyText(body, `Body of the ${name}`);
}

/** A body as text, JSON in lines. @param label - its accessible name */
function bodyText(text: string, label: string): TemplateResult {
  return html`<pre tabindex="0" role="group" aria-label=${label} dir="ltr">${inLines(text)}</pre>`;
}

function inLines(text: string): string {
  try {
    return JSON.stringify(JSON.parse(text), null, 2);
  } catch {
    return text;
  }
}

function codeFacts(entries: readonly (readonly [name: string, value: string])[]): TemplateResult {
  return facts(entries.map(([name, value]) => [name, html`<code dir="ltr">${value}</code>`] as const));
}

/** Phrases of statuses, after RFC 9110. */
const statusPhrases: Readonly<Record<number, string>> = {
  200: 'OK',
  201: 'Created',
  204: 'No content',
  302: 'Redirect',
  400: 'Bad request',
  401: 'Not authenticated',
  403: 'Not allowed',
  404: 'Not found',
  405: 'Method not allowed',
  409: 'Conflict',
  413: 'Body too large',
  429: 'Too many requests',
  500: 'Server error',
  502: 'Bad gateway',
  503: 'Not available',
  504: 'Gateway timeout',
};

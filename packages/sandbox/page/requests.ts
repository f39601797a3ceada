/** `<requests-view>`: the live request log, and one request in full beside its row or below it. */
import {
  badge,
  button,
  dateTime,
  formatCount,
  highlight,
  throttle,
  toast,
  toastError,
  type Renderable,
} from '@newsletter-kit/pages';
import { html, nothing, type TemplateResult } from 'lit';
import { keyed } from 'lit/directives/keyed.js';
import { repeat } from 'lit/directives/repeat.js';
import type { LogEntry } from '../src/control/request-log.ts';
import { ask, summaries } from './control.ts';
import { codeBadge } from './format.ts';
import { requestDetail, type Exchange, type RequestDetailOptions } from './request-detail.ts';
import { valueOf, View, type SandboxEvent } from './view.ts';

/** Rows shown; the sandbox keeps a thousand. */
const mostRows = 500;
/** Width of the panel from which a request stands beside the rows, in pixels. */
const besideWidth = 860;
/** Pause between two reads while a person types or requests come in, in milliseconds. */
const readPause = 200;

const methods = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE'] as const;
/** Filters by status, as the control API reads them. */
const outcomes = {
  '': 'every answer',
  '2xx,3xx': 'accepted',
  '4xx,5xx,0xx': 'failed',
  '4xx': 'refused (4xx)',
  '5xx': 'server errors (5xx)',
  '0xx': 'without an answer',
} as const;

interface ApiKey {
  readonly key: string;
  /** Null for the whole workspace. */
  readonly publications: readonly string[] | null;
}

class RequestsView extends View {
  static override properties = {
    ...View.properties,
    entries: { state: true },
    exchange: { state: true },
    beside: { state: true },
    last: { state: true },
  };
  readonly name = 'requests';
  readonly heading = 'Requests';
  /** Newest first. */
  declare entries: readonly LogEntry[];
  /** The request that is shown in full. */
  declare exchange: Exchange | undefined;
  /** Whether there is room beside the rows. */
  declare beside: boolean;
  /** The newest request, whatever the filter; 0 without any. */
  declare last: number;
  /** Numbers of requests that came in live. */
  readonly #fresh = new Set<number>();
  /** Failures since the log was cleared, whatever the filter. */
  #failed = 0;
  #keys: RequestDetailOptions['keys'] = [];
  #titles: ReadonlyMap<string, string> = new Map();
  readonly #readSoon = throttle(() => void this.#read().catch(toastError), readPause);

  constructor() {
    super();
    this.entries = [];
    this.beside = false;
    this.last = 0;
  }

  override connectedCallback(): void {
    super.connectedCallback();
    this.addEventListener('keydown', (event) => this.#pressed(event));
    new ResizeObserver(() => (this.beside = this.clientWidth >= besideWidth)).observe(this);
  }

  async refresh(): Promise<void> {
    const [titles, { keys }] = await Promise.all([summaries(), ask<{ keys: readonly ApiKey[] }>('/connection')]);
    this.#titles = titles;
    this.#keys = keys.map(({ key, publications }) => ({
      key,
      title: publications === null ? key : `${key} (restricted)`,
    }));
    await this.#read();
  }

  override receive(event: SandboxEvent): void {
    if (event.type === 'control' && event.path === '/_sandbox/requests') return this.#readSoon();
    if (event.type !== 'request') return;
    if (this.#isFiltered()) return this.#readSoon();
    const { request } = event;
    if (request.n <= this.last) return;
    this.last = request.n;
    if (isFailed(request)) this.#failed += 1;
    this.#fresh.add(request.n);
    this.entries = [request, ...this.entries].slice(0, mostRows);
    this.#announce();
  }

  async #read(): Promise<void> {
    const query = new URLSearchParams({
      text: valueOf(this, 'input').trim(),
      status: valueOf(this, '#request-outcome').replace('0xx', '0'),
      method: valueOf(this, '#request-method'),
    });
    const [{ data }, all] = await Promise.all([
      ask<{ data: readonly LogEntry[] }>(`/requests?${query.toString()}`),
      this.#isFiltered() ? ask<{ data: readonly LogEntry[] }>('/requests') : undefined,
    ]);
    const everything = all?.data ?? data;
    this.#failed = everything.filter(isFailed).length;
    this.last = everything.at(-1)?.n ?? 0;
    this.entries = data.toReversed().slice(0, mostRows);
    if (this.exchange && !everything.some(({ n }) => n === this.exchange?.n)) this.#close();
    this.#announce();
  }

  #announce(): void {
    this.badge = this.#failed === 0 ? { text: '' } : { text: `${this.#failed} failed`, mood: 'wait' };
  }

  #isFiltered(): boolean {
    return ['input', '#request-outcome', '#request-method'].some((selector) => valueOf(this, selector).trim() !== '');
  }

  async #open(n: number): Promise<void> {
    try {
      this.exchange = (await ask<{ data: Exchange }>(`/requests/${n}`)).data;
      await this.updateComplete;
      const detail = this.querySelector('#request-detail');
      if (detail) detail.scrollTop = 0;
      this.#row(n)?.scrollIntoView({ block: this.beside ? 'nearest' : 'start' });
    } catch (error) {
      toastError(error);
    }
  }

  /** Closes the request; the focus goes back to its row if it was inside. */
  #close(): void {
    const row = this.exchange && this.#row(this.exchange.n);
    const hadFocus = this.querySelector('#request-detail')?.contains(document.activeElement) ?? false;
    this.exchange = undefined;
    if (hadFocus) (row ?? this.querySelector<HTMLElement>('input'))?.focus();
  }

  #row(n: number): HTMLElement | null {
    return this.querySelector<HTMLElement>(`button.request[data-n="${n}"]`);
  }

  /** Arrow keys, Home and End move between the rows; Escape closes the request. */
  #pressed(event: KeyboardEvent): void {
    const { key, target } = event;
    if (!(target instanceof HTMLElement)) return;
    if (key === 'Escape' && this.exchange && !target.matches('input')) {
      event.preventDefault();
      return this.#close();
    }
    if (!target.matches('button.request')) return;
    const from = this.entries.findIndex(({ n }) => String(n) === target.dataset['n']);
    const to = { ArrowDown: from + 1, ArrowUp: from - 1, Home: 0, End: this.entries.length - 1 }[key];
    const next = to === undefined ? undefined : this.entries[to];
    if (!next) return;
    event.preventDefault();
    this.#row(next.n)?.focus();
    if (this.exchange) void this.#open(next.n);
  }

  protected override updated(): void {
    super.updated();
    this.classList.toggle('beside', this.beside && this.exchange !== undefined);
  }

  protected content(): Renderable {
    const isInRow = !this.beside && this.entries.some(({ n }) => n === this.exchange?.n);
    const read = (): void => void this.#read().catch(toastError);
    return html`<div class="tools">
        <input
          type="search"
          placeholder="Search path, body, reason …"
          aria-label="Search requests"
          spellcheck="false"
          autocomplete="off"
          @input=${this.#readSoon}
        />
        <select id="request-outcome" aria-label="Answers" @change=${read}>
          ${Object.entries(outcomes).map(([value, text]) => html`<option value=${value}>${text}</option>`)}
        </select>
        <select id="request-method" aria-label="Method" @change=${read}>
          <option value="">every method</option>
          ${methods.map((method) => html`<option value=${method}>${method}</option>`)}
        </select>
        ${this.last === 0 ? nothing : button({ label: 'Clear', onClick: clearLog })}
      </div>
      <div class="split">
        <div class="scroll">
          <ol class="rows" aria-label="Requests, newest first">
            ${repeat(
              this.entries,
              ({ n }) => n,
              (entry, index) => html`<li ${highlight(this.#fresh.has(entry.n) ? 1 : 0)}>
                ${this.#rowButton(entry, index)}
                ${isInRow && entry.n === this.exchange?.n ? this.#detail(this.exchange) : nothing}
              </li>`,
            )}
          </ol>
          ${this.entries.length === 0 ? this.#empty() : nothing}
        </div>
        ${this.exchange && !isInRow ? this.#detail(this.exchange) : nothing}
      </div>`;
  }

  #empty(): TemplateResult {
    if (this.#isFiltered()) return html`<p class="empty">No request matches.</p>`;
    return html`<p class="empty"
      >No request yet. Send one to <code dir="ltr">${location.origin}/v2</code> and it shows up here.</p
    >`;
  }

  #detail(exchange: Exchange): TemplateResult {
    const { n, operation } = exchange;
    const options: RequestDetailOptions = {
      title: this.#titles.get(operation ?? '') ?? 'No such operation',
      later: this.entries.find(({ repeats }) => repeats === n)?.n,
      keys: this.#keys,
      open: (other) => void this.#open(other),
      close: () => this.#close(),
    };
    return html`<aside class="detail" id="request-detail" aria-labelledby="request-title">
      ${keyed(n, requestDetail(exchange, options))}
    </aside>`;
  }

  #rowButton(entry: LogEntry, index: number): TemplateResult {
    const { n, time, method, path, query, operation, status, milliseconds, reasons, repeats } = entry;
    const parameters = Object.entries(query).map(([name, value]) => `${name}=${value}`);
    const [why = this.#titles.get(operation ?? '') || (operation ?? ''), ...more] = reasons;
    const isOpen = n === this.exchange?.n;
    // One stop of the Tab key; the arrow keys move between the rows.
    const isTabStop = isOpen || (index === 0 && !this.entries.some((each) => each.n === this.exchange?.n));
    return html`<button
      type="button"
      class="request"
      data-n=${n}
      tabindex=${isTabStop ? 0 : -1}
      aria-controls=${isOpen ? 'request-detail' : nothing}
      aria-expanded=${isOpen ? 'true' : 'false'}
      @click=${() => (isOpen ? this.#close() : void this.#open(n))}
    >
      ${codeBadge(status)}
      <span class="method mono">${method}</span>
      <span class="path mono" dir="ltr" title=${path}
        >${shortPath(path)}${parameters.length > 0 ? `?${parameters.join('&')}` : nothing}</span
      >
      <span class=${reasons.length > 0 ? 'why' : 'why soft'}
        >${repeats === null ? nothing : html`${badge(`repeats ${repeats}`)} `}${why}${
          more.length > 0 ? html`<span class="soft"> and ${formatCount(more.length, 'more note')}</span>` : nothing
        }</span
      >
      <span class="took soft">${milliseconds < 10 ? milliseconds.toFixed(1) : Math.round(milliseconds)} ms</span>
      ${dateTime(Date.parse(time), { short: true })}
    </button>`;
  }
}

/** A `HEAD` calls no operation: it asks whether somebody answers, and for the time, as the relay does at its start. */
function isFailed({ method, status }: LogEntry): boolean {
  return method !== 'HEAD' && (status === 0 || status >= 400);
}

async function clearLog(): Promise<void> {
  try {
    const { removed } = await ask<{ removed: number }>('/requests', { method: 'DELETE' });
    toast(`Cleared ${formatCount(removed, 'request')}.`);
  } catch (error) {
    toastError(error);
  }
}

/** A path without the beginning that all paths share. */
function shortPath(path: string): string {
  return path.replace(/^\/v2\/publications\/pub_[\w-]+(?=\/)/, '…').replace(/^\/v2(?=\/)/, '');
}

customElements.define('requests-view', RequestsView);

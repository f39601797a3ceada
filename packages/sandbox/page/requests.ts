/** `<requests-view>`: the live request log; each request opens in full below its row. */
import { badge, button, dateTime, emptyState, formatCount, toastError, type Renderable } from '@newsletter-kit/pages';
import { html, nothing, type TemplateResult } from 'lit';
import { repeat } from 'lit/directives/repeat.js';
import type { LogEntry } from '../src/control/request-log.ts';
import { ask, summaries } from './control.ts';
import { codeBadge } from './format.ts';
import { requestDetail, type Exchange, type RequestDetailOptions } from './request-detail.ts';
import { valueOf, View, type ViewBadge } from './view.ts';

/** Rows shown; the sandbox keeps a thousand. */
const mostRows = 500;

/** Filters by status, as the control API reads them. */
const outcomes = {
  '': 'every answer',
  '2xx,3xx': 'accepted',
  '4xx,5xx,0xx': 'failed',
  '4xx': 'refused (4xx)',
  '5xx': 'server errors (5xx)',
  '0xx': 'without an answer',
} as const;

interface RequestsState {
  /** Newest first. */
  readonly entries: readonly LogEntry[];
  readonly keys: RequestDetailOptions['keys'];
}

class RequestsView extends View<RequestsState> {
  static override properties = { ...View.properties, exchange: { state: true } };
  readonly name = 'requests';
  readonly heading = 'Requests';
  /** The request that is shown in full. */
  declare exchange: Exchange | undefined;

  protected async read(): Promise<RequestsState> {
    const filter = new URLSearchParams({ text: valueOf(this, 'input').trim(), status: valueOf(this, 'select') });
    const [{ keys }, { data }] = await Promise.all([
      ask<{ keys: RequestDetailOptions['keys'] }>('/connection'),
      ask<{ data: readonly LogEntry[] }>(`/requests?${filter.toString()}`),
    ]);
    return { keys, entries: data.toReversed().slice(0, mostRows) };
  }

  /** The failures among the requests that are listed. */
  protected override badgeOf({ entries }: RequestsState): ViewBadge {
    const failed = entries.filter(isFailed).length;
    return failed === 0 ? { text: '' } : { text: `${failed} failed`, mood: 'wait' };
  }

  async #open(n: number): Promise<void> {
    try {
      this.exchange = (await ask<{ data: Exchange }>(`/requests/${n}`)).data;
      await this.updateComplete;
      this.querySelector(`[data-n="${n}"]`)?.scrollIntoView({ block: 'nearest' });
    } catch (error) {
      toastError(error);
    }
  }

  /** A row was opened or closed, by the person or because another one opened. */
  #toggled({ open }: HTMLDetailsElement, n: number): void {
    const isShown = this.exchange?.n === n;
    if (open && !isShown) void this.#open(n);
    else if (!open && isShown) this.exchange = undefined;
  }

  protected content({ entries, keys }: RequestsState): Renderable {
    const clear = () =>
      this.change(
        ask<{ removed: number }>('/requests', { method: 'DELETE' }),
        ({ removed }) => `Cleared ${formatCount(removed, 'request')}.`,
      );
    return html`<div class="tools">
        <input
          type="search"
          placeholder="Search path, body, reason …"
          aria-label="Search requests"
          spellcheck="false"
          autocomplete="off"
          @input=${this.readSoon}
        />
        <select id="request-outcome" aria-label="Answers" @change=${this.readNow}>
          ${Object.entries(outcomes).map(([value, text]) => html`<option value=${value}>${text}</option>`)}
        </select>
        ${entries.length === 0 ? nothing : button({ label: 'Clear', onClick: clear })}
      </div>
      <ol class="rows" aria-label="Requests, newest first">
        ${repeat(
          entries,
          ({ n }) => n,
          (entry) => this.#row(entry, summaries.get(entry.operation ?? '') ?? 'No such operation', keys),
        )}
      </ol>
      ${entries.length > 0 ? nothing : emptyState(this.#nothingListed())}`;
  }

  #nothingListed(): Renderable {
    if (valueOf(this, 'input').trim() !== '' || valueOf(this, 'select') !== '') return 'No request matches.';
    return html`No request yet. Send one to <code>${location.origin}/v2</code> and it shows up here.`;
  }

  #row(entry: LogEntry, title: string, keys: RequestDetailOptions['keys']): TemplateResult {
    const { n, time, method, path, query, status, milliseconds, reasons, repeats } = entry;
    const parameters = Object.entries(query).map(([name, value]) => `${name}=${value}`);
    const [why = title, ...more] = reasons;
    const exchange = this.exchange?.n === n ? this.exchange : undefined;
    const later = this.state?.entries.find((other) => other.repeats === n)?.n;
    const toggled = ({ currentTarget }: Event): void => this.#toggled(currentTarget as HTMLDetailsElement, n);
    return html`<li>
      <details name="request" data-n=${n} ?open=${exchange !== undefined} @toggle=${toggled}>
        <summary class="request">
          ${codeBadge(status)}
          <span class="path mono" title=${path}
            ><b>${method}</b> ${shortPath(path)}${parameters.length > 0 ? `?${parameters.join('&')}` : nothing}</span
          >
          <small>${milliseconds < 10 ? milliseconds.toFixed(1) : Math.round(milliseconds)} ms</small>
          <small>${dateTime(Date.parse(time), { short: true })}</small>
          <span class="why"
            >${repeats === null ? nothing : html`${badge(`repeats ${repeats}`)} `}${why}${
              more.length > 0 ? ` · ${formatCount(more.length, 'more note')}` : nothing
            }</span
          >
        </summary>
        ${exchange ? requestDetail(exchange, { title, later, keys, open: (other) => void this.#open(other) }) : nothing}
      </details>
    </li>`;
  }
}

/** A `HEAD` calls no operation: it asks whether somebody answers, and for the time, as the relay does at its start. */
function isFailed({ method, status }: LogEntry): boolean {
  return method !== 'HEAD' && (status === 0 || status >= 400);
}

/** A path without the beginning that all paths share. */
function shortPath(path: string): string {
  return path.replace(/^\/v2\/publications\/pub_[\w-]+(?=\/)/, '…').replace(/^\/v2(?=\/)/, '');
}

customElements.define('requests-view', RequestsView);

/** Templates of the relay's status: the tiles, the chart of the last hour, the webhooks. */
import { badge, button, formatCount, formatDuration, formatNumber, type Mood, toast } from '@newsletter-kit/pages';
import { html, nothing, svg, type TemplateResult } from 'lit';
import { repeat } from 'lit/directives/repeat.js';
import { statusWords } from '../src/ops/audit-facts.ts';
import type { Minute, Status } from '../src/ops/operator.ts';
import { heldMails } from '../src/store/overview.ts';
import type { WebhookBacklog } from '../src/store/webhook-queue.ts';
import { type OperatorActions, request } from './operator-api.ts';

/** The oldest signup may wait this long before its tile is coloured, in milliseconds. */
const longWaitMs = 15 * 60_000;

/** The state of delivery in a few words. */
export function summarize(status: Status): readonly [mood: Mood, words: string] {
  const { paused, running, counts } = status;
  if (running?.storeTrouble) return ['bad', 'no signup can be kept'];
  if (paused) return ['wait', 'paused'];
  if (running?.trouble) return ['bad', 'waiting for the API'];
  const idle = counts.dead + counts.review + heldMails(status);
  if (idle > 0) return ['wait', `${formatCount(idle, 'signup')} held`];
  return counts.waiting + counts.sent > 0 ? ['neutral', 'delivering'] : ['good', 'nothing waits'];
}

export function tiles(status: Status): TemplateResult {
  const { counts, oldestWaitingSince: since } = status;
  const waited = since === null ? null : Math.max(0, Date.now() - since);
  const shown: readonly (readonly [name: string, value: string, mood?: Mood | false])[] = [
    ['Waiting', formatNumber(counts.waiting)],
    ['Sent', formatNumber(counts.sent)],
    [
      'Oldest waiting',
      waited === null ? 'none' : formatDuration(waited),
      waited !== null && waited > longWaitMs && 'wait',
    ],
    ['Delivered', formatNumber(counts.delivered)],
    ['Unconfirmed', formatNumber(counts.unconfirmed), heldMails(status) > 0 && 'wait'],
    ['Review', formatNumber(counts.review), counts.review > 0 && 'wait'],
    ['Dead letters', formatNumber(counts.dead), counts.dead > 0 && 'bad'],
  ];
  return html`<dl id="tiles">
    ${shown.map(
      ([name, value, mood]) => html`<div data-mood=${mood || nothing}><dt>${name}</dt><dd>${value}</dd></div>`,
    )}
  </dl>`;
}

/** Height of the chart's highest value, in the units of its view box. */
const plotHeight = 110;

/** @param minutes - of the last hour, oldest first */
export function hourChart(minutes: readonly Minute[]): TemplateResult {
  const total = (rate: 'kept' | 'refused' | 'delivered'): string =>
    formatNumber(minutes.reduce((sum, minute) => sum + minute[rate], 0));
  const max = Math.max(1, ...minutes.map(({ kept, refused, delivered }) => Math.max(kept + refused, delivered)));
  const height = (count: number): number => (count / max) * plotHeight;
  const bar = (name: string, index: number, top: number, size: number): TemplateResult =>
    svg`<rect class=${name} x=${index * 10 + 1} width="8" y=${120 - height(top)} height=${height(size)}></rect>`;
  return html`<figure>
    <figcaption>
      <h2>The last hour</h2>
      <p id="legend" class="soft"
        >${total('kept')} taken (bars), ${total('delivered')} delivered (line), ${total('refused')} refused (red)</p
      >
    </figcaption>
    <svg id="chart" viewBox="0 0 600 120" preserveAspectRatio="none" role="img" aria-labelledby="legend">
      <line class="base" x1="0" y1="120" x2="600" y2="120"></line>
      ${minutes.map(({ kept, refused }, index) => [
        bar('kept', index, kept, kept),
        bar('refused', index, kept + refused, refused),
      ])}
      <polyline
        class="delivered"
        points=${minutes.map(({ delivered }, index) => `${index * 10 + 5},${120 - height(delivered)}`).join(' ')}
      ></polyline>
    </svg>
    <p class="axis soft" dir="ltr"><span>an hour ago</span><span>highest: ${formatNumber(max)} a minute</span><span>now</span></p>
  </figure>`;
}

/** What the API says of the subscriptions of delivered signups. */
export function subscriptions({ statuses }: Status): TemplateResult {
  return html`<section aria-labelledby="statuses-title" ?hidden=${statuses.length === 0}>
    <h2 id="statuses-title">Delivered, and then</h2>
    <p class="soft">What the API says of the subscriptions of the newest signups; “validating” is asked again after ten minutes.</p>
    <ul id="statuses" class="list">${statuses.map(
      ({ status, count }) => html`<li><span><strong>${formatNumber(count)}</strong> ${statusWords(status)}</span></li>`,
    )}</ul>
  </section>`;
}

/** The destinations of webhooks. */
export function destinations({ webhooks }: Status, page: OperatorActions): TemplateResult {
  const act = (action: string, destination: string, done: string): Promise<void> =>
    page.run(async () => {
      await request(`webhooks/${action}`, 'POST', { destination });
      toast(done);
      await page.refresh();
    });
  const item = ({ destination, waiting, oldestSince, dead, held, reason }: WebhookBacklog): TemplateResult => {
    const since = oldestSince === null ? '' : `, the oldest for ${formatDuration(Date.now() - oldestSince)}`;
    const why = held === null ? reason : `Held. ${held}`;
    return html`<li>
      <span>
        <strong>${formatNumber(waiting)}</strong> to ${destination}${since}${dead > 0 ? `, ${formatNumber(dead)} given up` : ''}
        ${why === null ? nothing : html`<br /><span class="soft">${why}</span>`}
      </span>
      <div class="actions">
        ${
          waiting > 0 || held !== null
            ? button({
                label: 'Send now',
                onClick: () => act('resume', destination, `What waits for ${destination} is sent now.`),
              })
            : nothing
        }
        ${
          dead > 0
            ? button({
                label: 'Redrive',
                onClick: () => act('redrive', destination, `What was given up for ${destination} is sent again.`),
              })
            : nothing
        }
      </div>
    </li>`;
  };
  return html`<section id="webhooks" aria-labelledby="webhooks-title" ?hidden=${webhooks.length === 0}>
    <h2 id="webhooks-title">Webhooks</h2>
    <p class="soft">Messages about signups that wait for their destination.</p>
    <ul id="destinations" class="list">${repeat(webhooks, ({ destination }) => destination, item)}</ul>
  </section>`;
}

/** The badge in the header. */
export function stateBadge(mood: Mood, words: string): TemplateResult {
  return html`<p id="state" role="status">${badge(words, mood)}</p>`;
}

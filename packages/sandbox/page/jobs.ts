/** `<jobs-view>`: bulk updates and imports, with their progress and their errors. */
import { formatCount, toastError, type Renderable } from '@newsletter-kit/pages';
import { html, nothing, type TemplateResult } from 'lit';
import type { JobOverview } from '../src/store/overview.ts';
import { ask } from './control.ts';
import { moment, statusBadge } from './format.ts';
import { scrollingList, View } from './view.ts';

type Job = Omit<JobOverview, 'error_log'> & { readonly error_log: readonly string[] };

const titles: Readonly<Record<Job['type'], string>> = {
  import: 'Import',
  bulk: 'Bulk update',
  status: 'Status update',
};
/** Pause between two reads of running jobs, in milliseconds: a job that changes no subscriber ends without an event. */
const pollPause = 1000;

class JobsView extends View {
  static override properties = { ...View.properties, jobs: { state: true } };
  readonly name = 'jobs';
  readonly heading = 'Jobs';
  override readonly follows = true;
  declare jobs: readonly Job[];
  #timer: ReturnType<typeof setTimeout> | undefined;

  constructor() {
    super();
    this.jobs = [];
  }

  async refresh(): Promise<void> {
    this.jobs = (await ask<{ data: readonly Job[] }>('/jobs')).data;
    const running = this.jobs.filter(({ completed, status }) => completed === null && status !== 'failed').length;
    this.badge =
      running > 0
        ? { text: `${running} running`, mood: 'wait' }
        : { text: this.jobs.length > 0 ? String(this.jobs.length) : '' };
    clearTimeout(this.#timer);
    if (running > 0) this.#timer = setTimeout(() => void this.refresh().catch(toastError), pollPause);
  }

  protected content(): Renderable {
    return html`<p class="lead">Bulk updates and imports: the API accepts them at once and does the work afterwards.</p>
      ${scrollingList(
        'Jobs',
        this.jobs.map(jobItem),
        'No job yet. Creating or changing many subscriptions in one request starts one.',
      )}`;
  }
}

function jobItem({
  id,
  type,
  status,
  failure_reason: reason,
  error_log: errors,
  created,
  completed,
}: Job): TemplateResult {
  return html`<li>
    <div class="line">${statusBadge(status)} <b>${titles[type]}</b> ${moment(completed ?? created)}</div>
    <div class="path mono">${id}</div>
    ${reason === null ? nothing : html`<p>${reason}</p>`}
    ${
      errors.length > 0
        ? html`<details><summary>${formatCount(errors.length, 'error')}</summary><pre>${errors.join('\n')}</pre></details>`
        : nothing
    }
  </li>`;
}

customElements.define('jobs-view', JobsView);

/** Jobs: bulk updates and imports, how far they are and what failed in them. */
import { ask } from './control.js';
import { fill, h } from './dom.js';
import { counted, moment, secondsToDate, statusTag } from './format.js';
import { complain, panel } from './pieces.js';

/**
 * @typedef {{ id: string, type: string, status: string, failure_reason: string | null, error_log: string[], created:
 *   number, completed: number | null }} Job
 */

const titles = { import: 'Import', bulk: 'Bulk update', status: 'Status update' };

/**
 * @param {import('./window.js').Badge} badge
 * @returns {import('./window.js').View}
 */
export function createJobs(badge) {
  const list = h('ol', { class: 'entries' });
  const empty = h(
    'p',
    { class: 'empty' },
    'No job yet. Creating or changing many subscriptions in one request starts one.',
  );
  /** Opened error logs stay open when the list is read anew. @type {Set<string>} */
  const open = new Set();
  /** @type {ReturnType<typeof setTimeout> | undefined} */
  let later;
  return {
    name: 'jobs',
    title: 'Jobs',
    element: panel(
      'jobs',
      'Jobs',
      h('p', { class: 'lead' }, 'Bulk updates and imports: the API accepts them at once and does the work afterwards.'),
      h('div', { class: 'scroll', tabindex: 0, role: 'group', 'aria-label': 'Jobs' }, list, empty),
    ),
    follows: true,
    async refresh() {
      /** @type {{ data: Job[] }} */
      const { data } = await ask('/jobs');
      const working = data.filter((job) => job.completed === null && job.status !== 'failed').length;
      badge(
        'jobs',
        working > 0 ? `${working} running` : data.length > 0 ? String(data.length) : '',
        working > 0 ? 'wait' : undefined,
      );
      empty.hidden = data.length > 0;
      fill(list, ...data.map((job) => itemOf(job, open)));
      // A job that changes nobody ends without an event.
      clearTimeout(later);
      if (working > 0) later = setTimeout(() => void this.refresh?.().catch(complain), 1000);
    },
  };
}

/**
 * @param {Job} job
 * @param {Set<string>} open
 */
function itemOf({ id, type, status, failure_reason, error_log, created, completed }, open) {
  const errors = h(
    'details',
    { open: open.has(id) },
    h('summary', {}, counted(error_log.length, 'error')),
    h('pre', {}, error_log.join('\n')),
  );
  errors.addEventListener('toggle', () => (errors.open ? open.add(id) : open.delete(id)));
  return h(
    'li',
    {},
    h(
      'div',
      { class: 'line' },
      statusTag(status),
      h('b', {}, titles[/** @type {keyof typeof titles} */ (type)] ?? type),
      moment(secondsToDate(completed ?? created)),
    ),
    h('div', { class: 'path mono' }, id),
    failure_reason && h('p', {}, failure_reason),
    error_log.length > 0 && errors,
  );
}

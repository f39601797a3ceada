/** The window: its views, which of them shows, and the live events that keep all of them true. */
import { fill, find, h } from './dom.js';
import { createAssumptions } from './assumptions.js';
import { createClock } from './clock.js';
import { createConnection } from './connection.js';
import { createFaults } from './faults.js';
import { createInbox } from './inbox.js';
import { createJobs } from './jobs.js';
import { follow } from './live.js';
import { calmly, complain } from './pieces.js';
import { createRequests } from './requests.js';
import { createReset } from './reset.js';
import { createSubscribers } from './subscribers.js';

/**
 * @typedef {object} View
 * @property {string} name - its place in the address, `#/name`
 * @property {string} title
 * @property {HTMLElement} element
 * @property {() => Promise<void>} [refresh] - reads its state anew
 * @property {(event: any) => void} [take] - one live event
 * @property {boolean} [follows] - whether anything that happens may change what it shows
 */

/**
 * What a view says about itself beside its name.
 *
 * @typedef {(name: string, text: string, mood?: 'wait') => void} Badge
 */

/** @type {Map<string, HTMLElement>} */
const badges = new Map();
/** @type {Badge} */
const badge = (name, text, mood) => {
  const element = badges.get(name);
  if (!element) return;
  fill(element, text);
  element.toggleAttribute('hidden', text === '');
  if (mood) element.dataset['mood'] = mood;
  else delete element.dataset['mood'];
};

/** @type {readonly View[]} */
const views = [
  createSubscribers(badge),
  createRequests(badge),
  createInbox(badge),
  createJobs(badge),
  createClock(),
  createFaults(badge),
  createAssumptions(badge),
  createConnection(),
];

const main = find('main', HTMLElement);
main.append(...views.map((view) => view.element));
/** @type {Map<string, HTMLAnchorElement>} */
const links = new Map();
for (const { name, title } of views) {
  const count = h('span', { class: 'badge', hidden: true });
  const link = h('a', { href: `#/${name}` }, title, count);
  badges.set(name, count);
  links.set(name, link);
  find('views', HTMLElement).append(h('li', {}, link));
}

function choose() {
  const asked = location.hash.slice(2);
  if (location.hash === '#main') return;
  const chosen = views.find((view) => view.name === asked) ?? views[0];
  for (const view of views) {
    view.element.classList.toggle('chosen', view === chosen);
    links.get(view.name)?.toggleAttribute('aria-current', false);
  }
  if (!chosen) return;
  links.get(chosen.name)?.setAttribute('aria-current', 'page');
  links.get(chosen.name)?.scrollIntoView({ block: 'nearest', inline: 'nearest' });
  main.dataset['view'] = chosen.name;
  document.title = `${chosen.title} – Newsletter sandbox`;
}
addEventListener('hashchange', choose);
choose();

/** @param {readonly View[]} some */
const read = (some) => Promise.all(some.flatMap((view) => view.refresh?.() ?? []));
const refresh = () => read(views);
const refreshFollowers = calmly(() => void read(views.filter((view) => view.follows)).catch(complain), 250);
createReset();

follow({
  open: refresh,
  take(event) {
    if (event.type === 'reset') return void refresh().catch(complain);
    for (const view of views) view.take?.(event);
    refreshFollowers();
  },
});

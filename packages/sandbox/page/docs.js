/** The documentation: every operation of the description, found on the left, read and tried beside it. */
import { fill, find, h } from './dom.js';
import { operationView } from './docs-operation.js';
import { overview } from './docs-overview.js';
import { complain } from './pieces.js';

/**
 * @typedef {{ openapi: string, info: any, servers: { url: string }[], tags: { name: string, description: string }[],
 *   paths: Record<string, any>, components: any }} Description
 * @typedef {{ method: string, path: string, server: string, object: any }} Operation
 */

const main = find('main', HTMLElement);

async function start() {
  const answer = await fetch('/openapi.json');
  /** @type {Description} */
  const description = await answer.json();
  const operations = operationsOf(description);

  /** @type {Map<string, HTMLAnchorElement>} */
  const links = new Map();
  const groups = description.tags.map(({ name }) => {
    const items = operations
      .filter(({ object }) => object.tags.includes(name))
      .map(({ method, object }) => {
        const link = h(
          'a',
          { href: `#/${object.operationId}` },
          h('span', { class: 'method', 'data-method': method }, method.toUpperCase()),
          object.summary,
        );
        links.set(object.operationId, link);
        return h('li', { 'data-text': `${object.operationId} ${object.summary} ${name}`.toLowerCase() }, link);
      });
    return h('section', {}, h('h2', {}, name), h('ul', {}, ...items));
  });
  fill(find('list', HTMLElement), ...groups);
  narrowBy(find('search', HTMLInputElement), groups);

  const list = find('operations', HTMLDetailsElement);
  const wide = matchMedia('(min-width: 56.01rem)');
  list.open = wide.matches;
  wide.addEventListener('change', () => (list.open = wide.matches));

  const choose = (/** @type {boolean} */ moved) => {
    const id = decodeURIComponent(location.hash.slice(2));
    if (location.hash === '#main') return;
    const chosen = operations.find(({ object }) => object.operationId === id);
    for (const [name, link] of links) {
      if (name === id) link.setAttribute('aria-current', 'page');
      else link.removeAttribute('aria-current');
    }
    fill(main, chosen ? operationView(chosen, description) : overview(description));
    document.title = `${chosen ? chosen.object.operationId : 'Newsletter Publishing API'} – sandbox`;
    if (!moved) return links.get(id)?.scrollIntoView({ block: 'nearest' });
    list.open = wide.matches;
    main.scrollTop = 0;
    main.focus({ preventScroll: true });
    if (!wide.matches) scrollTo(0, 0);
  };
  addEventListener('hashchange', () => choose(true));
  choose(false);
}

/** @param {Description} description @returns {Operation[]} */
function operationsOf({ servers, paths }) {
  return Object.entries(paths).flatMap(([path, { servers: own, ...methods }]) =>
    Object.entries(methods).map(([method, object]) => ({ method, path, server: (own ?? servers)[0].url, object })),
  );
}

/**
 * @param {HTMLInputElement} search
 * @param {readonly HTMLElement[]} groups
 */
function narrowBy(search, groups) {
  search.addEventListener('input', () => {
    const words = search.value.toLowerCase().split(/\s+/);
    for (const group of groups) {
      const items = [...group.querySelectorAll('li')];
      for (const item of items) item.hidden = !words.every((word) => item.dataset['text']?.includes(word));
      group.hidden = items.every((item) => item.hidden);
    }
  });
}

start().catch(complain);

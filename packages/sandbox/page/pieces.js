/** Pieces that several panels are made of: their frame, lists of facts, texts to copy, notices. */
import { fill, find, h } from './dom.js';

/** @typedef {import('./dom.js').Child} Child */

/**
 * The frame of a panel.
 *
 * @param {string} name - its place in the address, `#/name`
 * @param {string} title
 * @param {...Child} children
 */
export function panel(name, title, ...children) {
  return h(
    'section',
    { class: 'panel', id: `panel-${name}`, 'aria-labelledby': `title-${name}` },
    h('h2', { id: `title-${name}` }, title),
    ...children,
  );
}

/**
 * Names and values. What has no value is left out.
 *
 * @param {ReadonlyArray<readonly [name: string, value: Child]>} entries
 */
export function facts(entries) {
  const shown = entries.filter(([, value]) => value !== '' && value !== null && value !== undefined && value !== false);
  return h(
    'dl',
    { class: 'facts' },
    ...shown.map(([name, value]) => h('div', {}, h('dt', {}, name), h('dd', {}, value))),
  );
}

/**
 * A button that copies.
 *
 * @param {string} text
 * @param {string} what - named to those who hear the page
 * @param {string} [label]
 */
export function copyButton(text, what, label = 'Copy') {
  return h(
    'button',
    {
      type: 'button',
      class: label === 'Copy' ? 'quiet' : '',
      'aria-label': label === 'Copy' ? `Copy ${what}` : `${label}: ${what}`,
      on: {
        click: () =>
          void navigator.clipboard.writeText(text).then(
            () => notify(`Copied ${what}.`),
            () => notify('The browser did not let the text be copied.'),
          ),
      },
    },
    label,
  );
}

/** @type {ReturnType<typeof setTimeout> | undefined} */
let fading;

/** Says something for a moment. @param {string} text */
export function notify(text) {
  const notice = find('notice', HTMLElement);
  fill(notice, text);
  clearTimeout(fading);
  fading = setTimeout(() => fill(notice), 5000);
}

/** Says what went wrong. @param {unknown} error */
export const complain = (error) => notify(error instanceof Error ? error.message : String(error));

/**
 * Calls `work` once after a flood of calls, and at most every `pause` milliseconds.
 *
 * @param {() => void} work
 * @param {number} pause
 */
export function calmly(work, pause) {
  let waiting = false;
  return () => {
    if (waiting) return;
    waiting = true;
    setTimeout(() => {
      waiting = false;
      work();
    }, pause);
  };
}

/** Follows the sandbox's events. Those that come while the state is being read wait until it is there. */
import { ask } from './control.js';
import { fill, find } from './dom.js';
import { complain } from './pieces.js';

const types = ['request', 'subscription', 'message', 'control', 'reset'];

/**
 * @param {{ open: () => Promise<unknown>, take: (event: any) => void }} listener - `open` is called at every
 *   (re)connection
 */
export function follow({ open, take }) {
  /** @type {any[] | null} */
  let waiting = [];
  const events = new EventSource('/_sandbox/events');
  events.addEventListener('open', () => {
    waiting ??= [];
    open().then(
      () => {
        const came = waiting ?? [];
        waiting = null;
        for (const event of came) take(event);
        say('live', 'live');
      },
      () => say('waiting', 'no connection'),
    );
  });
  events.addEventListener('error', () => {
    if (events.readyState !== EventSource.CLOSED) return say('waiting', 'no connection; trying again');
    // The sandbox refused: its own words say why, for example that the control token is missing.
    say('waiting', 'refused');
    ask('/clock').catch(complain);
  });
  for (const type of types) {
    events.addEventListener(type, (message) => {
      const event = JSON.parse(message.data);
      if (waiting) waiting.push(event);
      else take(event);
    });
  }
}

/**
 * @param {'live' | 'waiting'} name
 * @param {string} text
 */
function say(name, text) {
  const state = find('state', HTMLElement);
  if (state.textContent === text) return;
  state.dataset['state'] = name;
  fill(state, text);
}

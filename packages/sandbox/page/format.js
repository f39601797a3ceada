/** How times, statuses and values read. */
import { h } from './dom.js';

/**
 * A moment, short; the whole of it in its title.
 *
 * @param {Date} date
 * @param {Date} [today]
 */
export function moment(date, today = new Date()) {
  const sameDay = date.toDateString() === today.toDateString();
  const shown = sameDay ? date.toLocaleTimeString() : date.toLocaleDateString(undefined, { dateStyle: 'medium' });
  return h('time', { datetime: date.toISOString(), title: date.toLocaleString() }, shown);
}

/** @param {number} seconds - since the Unix epoch */
export const secondsToDate = (seconds) => new Date(seconds * 1000);

/** How a status is coloured; a word that is not here stays neutral. */
const moods = {
  good: ['active', 'complete', 'completed', 'running', 'live'],
  wait: ['validating', 'pending', 'processing', 'in_progress', 'needs_attention', 'finishing'],
  bad: ['invalid', 'failed', 'canceled'],
};

/** @param {string} status */
export function statusTag(status) {
  const mood = Object.entries(moods).find(([, words]) => words.includes(status))?.[0] ?? 'calm';
  return h('span', { class: 'tag', 'data-mood': mood }, status.replaceAll('_', ' '));
}

/** The HTTP status of an answer; 0 where there was none. @param {number} code */
export function codeTag(code) {
  const mood = code === 0 || code >= 500 ? 'bad' : code >= 400 ? 'wait' : 'good';
  return h(
    'span',
    { class: 'tag code', 'data-mood': mood, title: code === 0 && 'The connection was broken before an answer.' },
    code === 0 ? 'broken' : String(code),
  );
}

/** @param {unknown} value */
export function words(value) {
  if (Array.isArray(value)) return value.map(String).join(', ');
  return typeof value === 'object' && value !== null ? JSON.stringify(value) : String(value);
}

const numbers = new Intl.NumberFormat();
/** @param {number} value */
export const number = (value) => numbers.format(value);

/**
 * @param {number} count
 * @param {string} one
 * @param {string} [many]
 */
export const counted = (count, one, many = `${one}s`) => `${number(count)} ${count === 1 ? one : many}`;

/** An address that, where it has to, breaks before its @. @param {string} email */
export function address(email) {
  const at = email.lastIndexOf('@');
  return at > 0 ? h('span', {}, email.slice(0, at), h('wbr'), email.slice(at)) : email;
}

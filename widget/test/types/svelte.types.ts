/** Compiled, never run: what templates of Svelte 5 let one write, and what they do not. */
import '@newsletter-kit/signup/svelte';
import type { SvelteHTMLElements } from 'svelte/elements';

export const signup: SvelteHTMLElements['newsletter-signup'] = {
  endpoint: '/signup',
  storage: 'none',
  messages: { button: 'Join' },
  'utm-source': 'blog',
  'text-email-label': 'Address',
  class: 'wide',
  'onnewsletter-success': ({ attribution }) => console.log(attribution.utm_source),
};

export const field: SvelteHTMLElements['newsletter-field'] = {
  name: 'Topics',
  kind: 'list',
  options: 'AI, Design',
  required: true,
};

export const mistakes: readonly SvelteHTMLElements['newsletter-signup'][] = [
  // @ts-expect-error -- nowhere
  { storage: 'cookie' },
  // @ts-expect-error -- no such text
  { 'text-buton': 'Join' },
  // @ts-expect-error -- the event holds no such thing
  { 'onnewsletter-success': (event) => console.log(event.password) },
  // @ts-expect-error -- `state` is read-only
  { state: 'busy' },
];

// @ts-expect-error -- no such kind
export const fieldMistake: SvelteHTMLElements['newsletter-field'] = { kind: 'number' };

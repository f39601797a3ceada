/** Compiled, never run: what templates of Vue let one write, and what they do not. */
import '@newsletter-kit/signup/vue';
import type { GlobalComponents } from 'vue';

type PropsOf<Tag extends keyof GlobalComponents> = GlobalComponents[Tag] extends new () => { $props: infer Props }
  ? Props
  : never;

export const signup: PropsOf<'newsletter-signup'> = {
  endpoint: '/signup',
  storage: 'none',
  messages: { button: 'Join' },
  'utm-source': 'blog',
  'text-email-label': 'Address',
  class: ['wide'],
  key: 'form',
  'onNewsletter-success': ({ attribution }) => console.log(attribution.utm_source),
  'onNewsletter-error': ({ kind }) => console.log(kind),
};

/** The names that vue-tsc makes of those in a template. */
export const compiled: PropsOf<'newsletter-signup'> = {
  utmSource: 'blog',
  textEmailLabel: 'Address',
  onNewsletterSubmit: (event) => event.preventDefault(),
  onNewsletterSuccess: ({ attribution }) => console.log(attribution.utm_source),
};

export const field: PropsOf<'newsletter-field'> = {
  name: 'Topics',
  kind: 'list',
  options: 'AI, Design',
  required: true,
};

export const mistakes: readonly PropsOf<'newsletter-signup'>[] = [
  // @ts-expect-error -- nowhere
  { storage: 'cookie' },
  // @ts-expect-error -- no such text
  { 'text-buton': 'Join' },
  // @ts-expect-error -- the event holds no such thing
  { 'onNewsletter-success': (event) => console.log(event.password) },
  // @ts-expect-error -- the event holds no such thing
  { onNewsletterSuccess: (event) => console.log(event.password) },
  // @ts-expect-error -- `text-*` takes strings
  { textButton: 7 },
  // @ts-expect-error -- `state` is read-only
  { state: 'busy' },
];

// @ts-expect-error -- no such kind
export const fieldMistake: PropsOf<'newsletter-field'> = { kind: 'number' };

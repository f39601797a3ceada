/** Types of the tags in Svelte 5's templates: `import '@newsletter-kit/signup/svelte'`, once. */
import type { HTMLAttributes } from 'svelte/elements';
import type { FieldAttributes, SignupAttributes, SignupEvents, SignupProperties } from './attributes.ts';
import type { NewsletterField, NewsletterSignup } from './index.ts';

type Tag<Element extends HTMLElement, Own> = Omit<HTMLAttributes<Element>, keyof Own> & Own;

/** `onnewsletter-success`, as Svelte 5 spells listeners. */
type Listeners = { [Name in keyof SignupEvents as `on${Name}`]?: (event: SignupEvents[Name]) => void };

declare module 'svelte/elements' {
  interface SvelteHTMLElements {
    'newsletter-signup': Tag<NewsletterSignup, SignupProperties & SignupAttributes & Listeners>;
    'newsletter-field': Tag<NewsletterField, FieldAttributes>;
  }
}

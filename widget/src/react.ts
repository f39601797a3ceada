/** Types of the tags in JSX, for React 19: `import '@newsletter-kit/signup/react'`, once. */
import type { DetailedHTMLProps, HTMLAttributes } from 'react';
import type { FieldAttributes, SignupAttributes, SignupEvents, SignupProperties } from './attributes.ts';
import type { NewsletterField, NewsletterSignup } from './index.ts';

/** React's attributes for every element, except those that the tags define themselves. */
type Tag<Element extends HTMLElement, Own> = Omit<DetailedHTMLProps<HTMLAttributes<Element>, Element>, keyof Own> & Own;

/** `onnewsletter-success`, as React 19 spells the listeners of custom elements. */
type Listeners = { [Name in keyof SignupEvents as `on${Name}`]?: (event: SignupEvents[Name]) => void };

declare module 'react' {
  namespace JSX {
    interface IntrinsicElements {
      'newsletter-signup': Tag<NewsletterSignup, SignupProperties & SignupAttributes & Listeners>;
      'newsletter-field': Tag<NewsletterField, FieldAttributes>;
    }
  }
}

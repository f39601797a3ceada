/** Types of the tags in Vue's templates: `import '@newsletter-kit/signup/vue'`, once. */
import type { DefineComponent, HTMLAttributes, PublicProps } from 'vue';
import type { FieldAttributes, SignupAttributes, SignupEvents, SignupProperties } from './attributes.ts';

/** `newsletter-success` as `newsletterSuccess`. */
type Camel<Name> = Name extends `${infer Before}-${infer After}` ? `${Before}${Capitalize<Camel<After>>}` : Name;

/**
 * Every name as it is written, and in camel case: vue-tsc checks `@newsletter-success` as `onNewsletterSuccess`, and
 * `utm-source` as `utmSource`.
 */
type WithCamel<Own> = Own & { [Name in keyof Own as Camel<Name>]: Own[Name] };

/** `onNewsletter-success`; {@link WithCamel} adds Vue's name for `@newsletter-success`. */
type Listeners = { [Name in keyof SignupEvents as `on${Capitalize<Name>}`]?: (event: SignupEvents[Name]) => void };

type Tag<Own> = DefineComponent<Own & Omit<HTMLAttributes, keyof Own> & PublicProps>;

declare module 'vue' {
  interface GlobalComponents {
    'newsletter-signup': Tag<SignupProperties & WithCamel<SignupAttributes & Listeners>>;
    'newsletter-field': Tag<FieldAttributes>;
  }
}

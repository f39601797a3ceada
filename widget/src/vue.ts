/** Types of the tags in Vue's templates: `import '@newsletter-kit/signup/vue'`, once. */
import type { DefineComponent, HTMLAttributes, PublicProps } from 'vue';
import type { FieldAttributes, SignupAttributes, SignupEvents, SignupProperties } from './attributes.ts';

/** `onNewsletter-success`, which is what Vue makes of `@newsletter-success`. */
type Listeners = { [Name in keyof SignupEvents as `on${Capitalize<Name>}`]?: (event: SignupEvents[Name]) => void };

type Tag<Own> = DefineComponent<Own & Omit<HTMLAttributes, keyof Own> & PublicProps>;

declare module 'vue' {
  interface GlobalComponents {
    'newsletter-signup': Tag<SignupProperties & SignupAttributes & Listeners>;
    'newsletter-field': Tag<FieldAttributes>;
  }
}

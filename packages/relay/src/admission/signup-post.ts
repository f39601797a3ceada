/** A post to a form whose body is not read yet. */
import type { Entered, Post } from '@newsletter-kit/core/endpoint';
import type { Form } from '../config/form.ts';

export interface SignupPost extends Post {
  readonly form: Form;
  /** The fields of a form post, as far as its body was read: for the page that shows them again. */
  entered(this: void): Promise<Entered>;
  /** The visitor's IP address, behind trusted proxies; null where it is unknown. */
  readonly client: string | null;
}

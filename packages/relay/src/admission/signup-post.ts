/** A post to a form whose body is not read yet. */
import type { Post } from '@newsletter-kit/core/endpoint';
import type { Form } from '../config/form.ts';

export interface SignupPost extends Post {
  readonly form: Form;
  /** The visitor's IP address, behind trusted proxies; null where it is unknown. */
  readonly client: string | null;
}

/** `<newsletter-field>`: one field of the form, written down in HTML. */
import { LitElement } from 'lit';

/** Kind of a custom field, as the API names it. */
export type FieldKind = 'string' | 'integer' | 'boolean' | 'date' | 'datetime' | 'list' | 'double';

/** Every kind of control in a form besides `string`. */
export const kinds = ['integer', 'boolean', 'date', 'datetime', 'list', 'double', 'email', 'consent'] as const;

/**
 * A field inside `<newsletter-signup>`. It is all attributes and shows nothing itself: the form around it reads
 * them, also when they change later, and renders the right control.
 *
 * @summary One field of the form.
 * @tagname newsletter-field
 *
 * @attr {string} name - Name of the custom field in your publication: its display text, with spaces and case.
 * @attr {'string' | 'integer' | 'boolean' | 'date' | 'datetime' | 'list' | 'double' | 'consent'} kind - Kind of the
 *   custom field, or `consent` for a sentence to agree to. Default, and for any other word: `string`.
 * @attr {string} label - What the visitor reads beside the control. Default: the name. Of a `consent` it is the
 *   sentence, which is sent with the signup.
 * @attr {string} href - Page a `consent` speaks of; the words of its label in [square brackets] lead there.
 * @attr {boolean} required - The form cannot be sent without it; a box must be ticked.
 * @attr {string} value - What the field begins with.
 * @attr {boolean} hidden - The value is sent, and nobody sees the field.
 * @attr {string} autocomplete - What the browser may fill in, such as `given-name`, `family-name` or `name`.
 * @attr {string} options - The choices of a `list` (several) or a `string` (one), separated by commas, or by `|` where
 *   a choice has a comma in it.
 * @attr {string} placeholder - Example text inside an empty input.
 */
export class NewsletterField extends LitElement {}

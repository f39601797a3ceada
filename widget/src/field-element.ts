/** The class of `<newsletter-field>`, and the kinds of fields. */
import { LitElement } from 'lit';

/** Kind of a custom field, as the API names it. */
export type FieldKind = 'string' | 'integer' | 'boolean' | 'date' | 'datetime' | 'list' | 'double';

/** Every kind of control in a form besides `string`. */
export const kinds = ['integer', 'boolean', 'date', 'datetime', 'list', 'double', 'email', 'consent'] as const;

/**
 * A custom field inside `<newsletter-signup>`. It renders nothing itself: the form reads its attributes, observes their
 * changes, and renders the control.
 *
 * @summary One field of the form.
 * @tagname newsletter-field
 *
 * @attr {string} name - Name of the custom field in your publication: its display text, with spaces and case.
 * @attr {'string' | 'integer' | 'boolean' | 'date' | 'datetime' | 'list' | 'double' | 'consent'} [kind=string] - Kind
 *   of the custom field, or `consent` for a sentence to agree to. Any other word means `string`.
 * @attr {string} label - Label of the control. Default: the name. For a `consent` it is the sentence, which is
 *   sent with the signup.
 * @attr {boolean} required - The form is not sent without a value; a checkbox must be ticked.
 * @attr {string} options - The choices of a `list` (several) or a `string` (one), separated by commas, or by `|` if a
 *   choice contains a comma.
 * @attr {string} href - Page that a `consent` links to; the words of its label in [square brackets] are the link, and
 *   `[words](address)` a link to a page of their own.
 * @attr {string} value - Initial value.
 * @attr {boolean} hidden - The value is sent, but the field is not shown.
 * @attr {string} from - Parameter of the visit's address whose value a hidden field is sent with, such as `utm_id` or
 *   `gclid`.
 * @attr {string} autocomplete - Value that the browser may fill in, such as `given-name`, `family-name` or `name`.
 * @attr {string} placeholder - Example text in an empty input.
 * @attr {string} min - The earliest `date` or `datetime` that is accepted. Default: the year 1900.
 */
export class NewsletterField extends LitElement {}

/** `<newsletter-field>`: one custom field of the form, written down in HTML. */
import { LitElement } from 'lit';

/**
 * A custom field inside `<newsletter-signup>`. It is all attributes and shows nothing itself: the form around it reads
 * them, also when they change later, and renders the right control.
 *
 * @summary One custom field of the form.
 * @tagname newsletter-field
 *
 * @attr {string} name - Name of the custom field in your publication: its display text, with spaces and case.
 * @attr {'string' | 'integer' | 'boolean' | 'date' | 'datetime' | 'list' | 'double'} kind - Kind of the custom field. Default, and for any other word: `string`.
 * @attr {string} label - What the visitor reads beside the control. Default: the name.
 * @attr {boolean} required - The form cannot be sent without it; a `boolean` must be ticked.
 * @attr {string} options - The choices of a `list` (several) or a `string` (one), separated by commas, or by `|` where a choice has a comma in it.
 * @attr {string} placeholder - Example text inside an empty input.
 */
export class NewsletterField extends LitElement {}

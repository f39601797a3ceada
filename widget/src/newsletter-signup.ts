/** `<newsletter-signup>`: the form a website shows. The class alone; importing it registers nothing. */
import { LitElement, html, nothing, type PropertyDeclarations, type TemplateResult } from 'lit';
import { attributionFields, honeypotField, readAttribution, type Attribution, type Refusal } from '@newsletter-kit/core/signup';
import { composeBody, controlId, emailName, readEntry } from './entry.ts';
import { NewsletterErrorEvent, NewsletterSubmitEvent, NewsletterSuccessEvent } from './events.ts';
import { emailView, fieldView, type FieldContext } from './field-view.ts';
import { Intent } from './intent.ts';
import { landing } from './landing.ts';
import { fill, readMessages, waitInWords, type MessageKey, type Messages } from './messages.ts';
import { readDefinition, type FieldDefinition } from './field-definition.ts';
import { styles } from './newsletter-signup.styles.ts';
import { failure, send, type Failure } from './send.ts';

/** Where the form stands. */
export type SignupState = 'idle' | 'busy' | 'success' | 'error';

/** By the id of a control: the text that mends what was entered. */
type Problems = ReadonlyMap<string, MessageKey>;

const none: Problems = new Map();

/**
 * A newsletter form. It asks for an address and your custom fields, finds out what brought the visitor, and posts both
 * to your endpoint. It sets no cookie and stores nothing.
 *
 * @summary A small, accessible newsletter form.
 * @tagname newsletter-signup
 *
 * @attr {string} utm-source - Sets the source, whatever the page's address says. Likewise `utm-medium`, `utm-campaign`, `utm-term`, `utm-content`.
 * @attr {string} utm-medium
 * @attr {string} utm-campaign
 * @attr {string} utm-term
 * @attr {string} utm-content
 * @attr {string} referring-site - Sets the referring site. Default: the origin of the site that linked here.
 * @attr {string} referral-code - Sets the referral code. Default: what the page's address says.
 * @attr {string} text-* - Sets one text, for example `text-button` or `text-email-label`; the names are those of the `messages` property, in kebab case.
 *
 * @slot - `<newsletter-field>` elements, one for each custom field. Nothing in here is shown while the script runs.
 *
 * @fires {NewsletterSubmitEvent} newsletter-submit - The form is complete and about to be sent; cancelable.
 * @fires {NewsletterSuccessEvent} newsletter-success - The endpoint has taken the signup.
 * @fires {NewsletterErrorEvent} newsletter-error - The signup did not go through; what was typed is still there.
 *
 * @csspart form - The form.
 * @csspart field - One field: label, problem, control.
 * @csspart label - The label of a field.
 * @csspart input - A text or date input.
 * @csspart choice - A checkbox or radio button with its label.
 * @csspart remark - What a label adds in small print, such as “(optional)”.
 * @csspart problem - What is wrong with a field.
 * @csspart button - The button.
 * @csspart notice - The result: thanks, or what went wrong.
 *
 * @cssprop [--newsletter-accent=CanvasText] - Background of the button, colour of ticked boxes.
 * @cssprop [--newsletter-on-accent=Canvas] - Text on the button.
 * @cssprop --newsletter-danger - Colour of problems.
 * @cssprop [--newsletter-gap=0.75rem] - Space between fields.
 * @cssprop [--newsletter-radius=0.5rem] - Roundness of inputs and button.
 *
 * @cssstate busy - Waiting for the endpoint's answer.
 * @cssstate success - Signed up.
 * @cssstate error - Something needs mending, or did not work.
 */
export class NewsletterSignup extends LitElement {
  static override shadowRootOptions: ShadowRootInit = { ...LitElement.shadowRootOptions, delegatesFocus: true };
  static override styles = styles;
  static override properties: PropertyDeclarations = {
    endpoint: {},
    referralParam: { attribute: 'referral-param' },
    messages: { attribute: false },
  };

  /** Address the form is posted to: your relay, an n8n webhook, or your own server. */
  declare endpoint: string;
  /** Query parameter that carries a referral code. */
  declare referralParam: string;
  /** Texts to use instead of the English ones; any subset. A `text-*` attribute wins over its entry here. */
  declare messages: Partial<Messages>;

  #state: SignupState = 'idle';
  #problems = none;
  #failure: Failure | undefined;
  /** Until when the endpoint asked to be left alone, in milliseconds since the epoch. */
  #notBefore = 0;
  readonly #intent = new Intent();
  readonly #internals = this.attachInternals();

  constructor() {
    super();
    this.endpoint = '';
    this.referralParam = 'ref';
    this.messages = {};
  }

  /** Where the form stands. */
  get state(): SignupState {
    return this.#state;
  }

  /** Sends the form as if its button had been pressed. */
  submit(): void {
    this.#form?.requestSubmit();
  }

  /** Empties the form and shows it again, for the next person. Does nothing while an answer is awaited. */
  reset(): void {
    if (this.#state === 'busy') return;
    this.#clear();
    this.#show('idle');
  }

  protected override firstUpdated(): void {
    // Fields and texts are light DOM, which may change at any time and need not be there yet.
    new MutationObserver(() => this.requestUpdate()).observe(this, { attributes: true, childList: true, subtree: true });
  }

  protected override render(): TemplateResult {
    const state = this.#state;
    const texts = readMessages(this, this.messages);
    const context = (id: string): FieldContext => ({ id, texts, problem: this.#problems.get(id) });
    const button = state === 'busy' ? texts.busy : texts.button;
    return html`
      <form part="form" novalidate ?hidden=${state === 'success'} @submit=${this.#onSubmit}>
        ${emailView(context(emailName))}
        ${this.#definitions().map((field, position) => fieldView(field, context(controlId(position))))}
        <button part="button" aria-disabled=${state === 'busy' || nothing}>${button}</button>
        <div class="trap" aria-hidden="true"><input name=${honeypotField} tabindex="-1" autocomplete="off" /></div>
      </form>
      <p part="notice" class=${state} role="status" tabindex="-1">${this.#notice(texts)}</p>
    `;
  }

  get #form(): HTMLFormElement | null {
    return this.renderRoot.querySelector('form');
  }

  #definitions(): readonly FieldDefinition[] {
    return Array.from(this.querySelectorAll('newsletter-field'), readDefinition).filter(({ name }) => name);
  }

  #notice(texts: Messages): string {
    if (this.#state === 'busy' || this.#state === 'success') return texts[this.#state];
    // What is wrong with a field stands beside it.
    if (!this.#failure || this.#failure.kind === 'invalid' || this.#problems.size > 0) return '';
    const { kind, retryAfter, errors } = this.#failure;
    const theirs = kind === 'refused' && errors.map(({ message }) => message).join(' ').trim();
    return theirs || fill(texts[kind], { wait: waitInWords(retryAfter, texts) });
  }

  #attribution(): Attribution {
    const given = Object.fromEntries(attributionFields.map((name) => [name, this.getAttribute(name.replace('_', '-'))]));
    return readAttribution(landing, { given, referralParameter: this.referralParam });
  }

  readonly #onSubmit = (event: Event): void => {
    event.preventDefault();
    if (this.#state !== 'busy') void this.#attempt(event.target as HTMLFormElement);
  };

  async #attempt(form: HTMLFormElement): Promise<void> {
    const wait = (this.#notBefore - Date.now()) / 1000;
    if (this.#failure && wait > 0) return this.#fail({ ...this.#failure, retryAfter: wait });

    const entry = readEntry(form, this.#definitions());
    if (entry.problems.size > 0) return this.#fail(failure('invalid'), entry.problems);

    const attribution = this.#attribution();
    const body = composeBody(entry, attribution);
    if (!body) return this.#fail(failure('tooLong'));
    if (!this.endpoint) {
      console.error('<newsletter-signup> needs the attribute "endpoint".');
      return this.#fail(failure('unavailable'));
    }
    if (!this.dispatchEvent(new NewsletterSubmitEvent(attribution))) return;

    this.#show('busy');
    const failed = await send(this.endpoint, body, this.#intent.keyFor(body));
    if (failed) return this.#fail(failed, addressProblems(failed.errors));

    const hadFocus = this.shadowRoot?.activeElement;
    this.#clear();
    this.#show('success');
    // The button is gone; whoever stood on it now stands on the thanks.
    if (hadFocus) this.#focus('[role]');
    this.dispatchEvent(new NewsletterSuccessEvent(attribution));
  }

  #fail(failed: Failure, problems = none): void {
    this.#failure = failed;
    this.#notBefore = Date.now() + failed.retryAfter * 1000;
    this.#show('error', problems);
    if (problems.size > 0) this.#focus('[aria-invalid], [aria-describedby] input');
    this.dispatchEvent(new NewsletterErrorEvent(failed.kind, failed.status, failed.retryAfter));
  }

  #show(state: SignupState, problems = none): void {
    this.#state = state;
    this.#problems = problems;
    this.requestUpdate();
    this.#internals.states.clear();
    this.#internals.states.add(state);
  }

  #clear(): void {
    this.#form?.reset();
    this.#failure = undefined;
    this.#intent.end();
  }

  #focus(selector: string): void {
    void this.updateComplete.then(() => this.renderRoot.querySelector<HTMLElement>(selector)?.focus());
  }
}

/** What an endpoint says about the address is shown at the address, in the language of the form. */
function addressProblems(errors: readonly Refusal[]): Problems {
  const codes = errors.map(({ code }) => code);
  if (codes.includes('EMAIL_REQUIRED')) return new Map([[emailName, 'emailMissing']]);
  return codes.includes('EMAIL_INVALID') ? new Map([[emailName, 'emailInvalid']]) : none;
}

/** `<newsletter-signup>`: the form a website shows. The class alone; importing it registers nothing. */
import { LitElement, html, nothing, type PropertyDeclarations, type TemplateResult } from 'lit';
import { attributionFields, withGiven, type Attribution } from '@newsletter-kit/core/signup';
import type { Resend } from './ask.ts';
import { controlsOf, type Control } from './controls.ts';
import { composeBody, readEntry, type Entry, type Problems } from './entry.ts';
import { NewsletterErrorEvent, NewsletterSubmitEvent, NewsletterSuccessEvent } from './events.ts';
import { addressDefinition, readDefinition, type FieldDefinition } from './field-definition.ts';
import { fieldView } from './field-view.ts';
import { hold, mark, type Undo } from './held-form.ts';
import { intentOf, type Intent } from './intent.ts';
import { recall } from './recall.ts';
import { readMessages, waitInWords, type Messages } from './messages.ts';
import { styles } from './newsletter-signup.styles.ts';
import { parts } from './parts.ts';
import { asText, send, type Failure } from './send.ts';
import { followVisits } from './visits.ts';
import { warn } from './warn.ts';
import { redirectTarget } from './web-address.ts';

/** Where the form stands. */
export type SignupState = 'idle' | 'busy' | 'success' | 'error';

const none: Problems = new Map();

/**
 * A newsletter form. It asks for an address and your custom fields, finds out what brought the visitor, and posts both
 * to your endpoint. It sets no cookie, and stores nothing unless you tell it that your visitor agreed.
 *
 * @summary A small, accessible newsletter form.
 * @tagname newsletter-signup
 *
 * @attr {string} utm-source - Sets the source. Default: what the page's address said when the script ran; likewise below.
 * @attr {string} utm-medium - Sets the medium.
 * @attr {string} utm-campaign - Sets the campaign.
 * @attr {string} utm-term - Sets the search term.
 * @attr {string} utm-content - Sets the content, or which variant of it.
 * @attr {string} referring-site - Sets the referring site. Default: the origin of the site that linked here.
 * @attr {string} referral-code - Sets the referral code. Default: what the page's address says.
 * @attr {string} turnstile-script - Sets where the script of Turnstile comes from. Default: Cloudflare's own address.
 * @attr {string} text-* - Sets one text, for example `text-button` or `text-email-label`; the names are those of the `messages` property, in kebab case.
 *
 * @slot - `<newsletter-field>` elements, one for each custom field. Nothing in here is shown while the script runs.
 * @slot turnstile - Where Cloudflare Turnstile is shown, while an endpoint asks for it.
 *
 * @fires {NewsletterSubmitEvent} newsletter-submit - The form is complete and about to be sent; cancelable.
 * @fires {NewsletterSuccessEvent} newsletter-success - The endpoint has taken the signup.
 * @fires {NewsletterErrorEvent} newsletter-error - The signup did not go through; what was typed is still there.
 * @fires {NewsletterWarningEvent} newsletter-warning - Something is wrong that visitors do not see; said in the console too.
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
 * @cssprop [--newsletter-field=Field] - Background of inputs.
 * @cssprop --newsletter-border - Colour of the lines around inputs.
 * @cssprop --newsletter-danger - Colour of problems.
 * @cssprop [--newsletter-focus=CanvasText] - Colour of the focus ring.
 * @cssprop [--newsletter-gap=1rem] - Space between fields.
 * @cssprop [--newsletter-radius=0.5rem] - Roundness of inputs and button.
 *
 * @cssstate idle - Nothing is under way.
 * @cssstate busy - Waiting for the endpoint's answer.
 * @cssstate success - Signed up.
 * @cssstate error - Something needs mending, or did not work.
 */
export class NewsletterSignup extends LitElement {
  static override styles = styles;
  static override properties: PropertyDeclarations = {
    endpoint: {},
    redirect: {},
    attribution: {},
    storage: {},
    referralParam: { attribute: 'referral-param' },
    messages: { attribute: false },
  };

  /** Address the form is posted to: your relay, an n8n webhook, or your own server. */
  declare endpoint: string;
  /** Page of the same origin to go to after a signup. Default: none, the thanks are shown in place of the form. */
  declare redirect: string;
  /** Which visit counts where several say who brought the visitor: `first` or `last`. Those that say nothing never count. */
  declare attribution: 'first' | 'last';
  /** Where that is remembered for the next pages once consent is granted, for 30 days at most: `local`, `session` or `none`. */
  declare storage: 'local' | 'session' | 'none';
  /** Query parameter that carries a referral code. */
  declare referralParam: string;
  /** Texts to use instead of those of the page's language; any subset. A `text-*` attribute wins over its entry here. */
  declare messages: Partial<Messages>;

  #state: SignupState = 'idle';
  #problems = none;
  /** The form in our hands: our own, or the one the owner wrote into this element. */
  #form: HTMLFormElement | null = null;
  #release: Undo = () => {};
  #unmark: Undo = () => {};
  #failure: Failure | undefined;
  /** Until when the endpoint asked to be left alone, in milliseconds since the epoch. */
  #notBefore = 0;
  #intent: Intent | undefined;
  #observer: MutationObserver | undefined;
  readonly #refresh = (): void => this.requestUpdate();
  readonly #internals = this.attachInternals();

  constructor() {
    super();
    this.endpoint = '';
    this.redirect = '';
    this.attribution = 'first';
    this.storage = 'local';
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

  /** Moves the focus to the first field. */
  override focus(options?: FocusOptions): void {
    this.#controls.find(({ input }) => input.willValidate)?.input.focus(options);
  }

  /** Empties the form and shows it again, for the next person. Does nothing while an answer is awaited. */
  reset(): void {
    if (this.#state === 'busy') return;
    this.#clear();
    this.#show('idle');
  }

  /**
   * Lets every form on the page remember who brought the visitor, and read what earlier pages remembered. Call it on each
   * page on which your visitor has agreed; without it nothing is stored. Ignored under Global Privacy Control.
   */
  grantConsent(): void {
    this.#consent(true);
  }

  /** Takes the consent back, and deletes what was stored. */
  revokeConsent(): void {
    this.#consent(false);
  }

  override connectedCallback(): void {
    super.connectedCallback();
    // Fields and texts are light DOM, which may change at any time and need not be there yet; so may languages.
    this.#observer ??= new MutationObserver(this.#refresh);
    this.#observer.observe(this, { attributes: true, childList: true, subtree: true });
    this.#observer.observe(document.documentElement, { attributeFilter: ['lang'] });
    addEventListener('newsletter-messages', this.#refresh);
    followVisits(() => recall(this));
    this.requestUpdate();
  }

  override disconnectedCallback(): void {
    super.disconnectedCallback();
    this.#observer?.disconnect();
    removeEventListener('newsletter-messages', this.#refresh);
    this.#hold(null);
  }

  protected override render(): TemplateResult {
    const texts = this.#texts;
    const isDone = this.#state === 'success';
    const form = this.#ownersForm
      ? html`<slot ?hidden=${isDone}></slot>`
      : html`<form part="form" method="post" action=${this.endpoint} ?hidden=${isDone}>
          ${this.#fields.map((field, position) => fieldView(field, position ? `field-${position}` : 'email', texts))}
          <button part="button">${this.#state === 'busy' ? texts.busy : texts.button}</button>
        </form>`;
    return html`${form}
      <slot name="turnstile"></slot>
      <p part="notice" class=${this.#state} role="status" tabindex=${isDone ? '-1' : nothing}>${this.#notice(texts)}</p>`;
  }

  protected override updated(): void {
    if (this.isConnected) this.#hold(this.#ownersForm ?? this.renderRoot.querySelector('form'));
  }

  /** Takes this form in hand, and lets go of the one before. */
  #hold(form: HTMLFormElement | null): void {
    this.#unmark();
    if (form !== this.#form) {
      this.#release();
      this.#form = form;
      this.#release = hold(form, this.#onSubmit);
    }
    this.#unmark = mark(form, this.#problems, this.#texts, this.#state === 'busy');
    // What we just changed ourselves is no news.
    this.#observer?.takeRecords();
  }

  /** A form for signing up that the owner wrote into this element. */
  get #ownersForm(): HTMLFormElement | null {
    return this.querySelector<HTMLFormElement>('form:has([name=email])');
  }

  get #texts(): Messages {
    return readMessages(this, this.messages);
  }

  get #fields(): readonly FieldDefinition[] {
    const custom = Array.from(this.querySelectorAll('newsletter-field'), readDefinition);
    return [addressDefinition(this.#texts), ...custom.filter(({ name }) => name)];
  }

  #notice(texts: Messages): string {
    if (this.#state === 'busy' || this.#state === 'success') return texts[this.#state];
    if (!this.#failure) return '';
    const { kind, retryAfter, said } = this.#failure;
    return (kind === 'refused' && said) || texts[kind].replace('{wait}', waitInWords(retryAfter, texts));
  }

  #consent(detail: boolean): void {
    document.dispatchEvent(new CustomEvent('newsletter-consent', { detail }));
  }

  /** Who brought the visitor: what the owner wrote on the tag or into hidden fields, else what we know. */
  #attribution(values: Entry['values']): Attribution {
    return withGiven(recall(this), Object.fromEntries(attributionFields.map((name) => [name, this.getAttribute(name.replace('_', '-')) ?? asText(values[name])])));
  }

  readonly #onSubmit = (event: SubmitEvent): void => {
    // Where the page has already said no, it has its reasons.
    if (!this.#form || event.defaultPrevented) return;
    event.preventDefault();
    if (this.#state !== 'busy') void this.#signUp(this.#form);
  };

  async #signUp(form: HTMLFormElement): Promise<void> {
    const wait = (this.#notBefore - Date.now()) / 1000;
    if (this.#failure && wait > 0) return this.#fail({ ...this.#failure, retryAfter: wait });

    const { values, problems } = readEntry(form);
    if (problems.size > 0) return this.#fail({ kind: 'invalid' }, problems);

    const attribution = this.#attribution(values);
    const body = composeBody(values, attribution);
    if (!body) return this.#fail({ kind: 'tooLong' });
    const endpoint = this.endpoint || form.getAttribute('action');
    if (!endpoint) {
      console.error('<newsletter-signup> has no endpoint.');
      return this.#fail({ kind: 'unavailable' });
    }
    if (!this.dispatchEvent(new NewsletterSubmitEvent(attribution))) return;

    this.#show('busy');
    this.#intent = intentOf(body, this.#intent);
    const post = { ...this.#intent, endpoint, timeout: 20 };
    let failed = await send(post);
    if (failed?.ask) failed = await this.#answer(failed, (given) => send({ ...post, body: composeBody({ ...values, ...given }, attribution) ?? body }));
    // What an endpoint says about the address is shown at the address, in the language of the form.
    if (failed?.code?.startsWith('EMAIL')) return this.#fail({ ...failed, kind: 'invalid' }, new Map([['email', 'emailInvalid']]));
    if (failed) return this.#fail(failed);

    // Firefox's :focus-within knows no focus in a window that is behind another one.
    const hadFocus = this.contains((this.getRootNode() as Document).activeElement);
    this.#clear();
    this.#show('success');
    // The form is gone; whoever stood in it now stands on the thanks.
    if (hadFocus) this.#focus(() => this.renderRoot.querySelector<HTMLElement>('[role]'));
    this.dispatchEvent(new NewsletterSuccessEvent(attribution));
    const target = redirectTarget(this, this.redirect, '');
    if (target) location.assign(target);
  }

  /** Gives the endpoint what it asks for; where that fails, the answer stays what it was. */
  #answer(failed: Failure, resend: Resend): Promise<Failure | undefined> {
    const answered = parts.ask().then(({ answer }) => answer(this, failed, resend));
    return answered.catch((error: unknown) => {
      warn(this, 'ask', `cannot give the endpoint what it asks for: ${String(error)}`);
      return failed;
    });
  }

  #fail(failed: Failure, problems = none): void {
    this.#show('error', problems, failed);
    const [first] = problems.keys();
    this.#focus(() => this.#controls.find(({ input }) => input.name === first)?.input);
    this.dispatchEvent(new NewsletterErrorEvent(failed));
  }

  #show(state: SignupState, problems = none, failed?: Failure): void {
    this.#state = state;
    this.#problems = problems;
    this.#failure = failed;
    this.#notBefore = Date.now() + (failed?.retryAfter ?? 0) * 1000;
    this.requestUpdate();
    this.#internals.states.clear();
    this.#internals.states.add(state);
  }

  #clear(): void {
    this.#form?.reset();
    this.#intent = undefined;
  }

  get #controls(): readonly Control[] {
    return [...controlsOf(this.#form).values()];
  }

  #focus(find: () => HTMLElement | null | undefined): void {
    void this.updateComplete.then(() => find()?.focus());
  }
}

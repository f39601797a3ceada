/** `<newsletter-signup>`: the form a website shows. The class alone; importing it registers nothing. */
import { LitElement, adoptStyles, html, nothing, type PropertyDeclarations, type TemplateResult } from 'lit';
import type { Dialog } from './dialog.ts';
import { addressView, fieldView } from './field-view.ts';
import { hold } from './held-form.ts';
import { createSignup, dress, fetchOnFocus, recall } from './later.ts';
import { readMessages, type Messages } from './messages.ts';
import { act, elementsOf } from './own-members.ts';
import { styles } from './newsletter-signup.styles.ts';
import type { Signup } from './signup.ts';
import type { SignupState, Standing, Undo } from './standing.ts';
import { answerConsent, followVisits } from './visits.ts';

/**
 * A newsletter form. It asks for an address and your custom fields, finds out what brought the visitor, and posts both
 * to your endpoint. It sets no cookie, and stores nothing unless you tell it that your visitor agreed.
 *
 * @summary A small, accessible newsletter form.
 * @tagname newsletter-signup
 *
 * @attr {string} utm-source - Sets the source. Default: what the page's address said when the script ran; likewise
 *   below.
 * @attr {string} utm-medium - Sets the medium.
 * @attr {string} utm-campaign - Sets the campaign.
 * @attr {string} utm-term - Sets the search term.
 * @attr {string} utm-content - Sets the content, or which variant of it.
 * @attr {string} referring-site - Sets the referring site. Default: the origin of the site that linked here.
 * @attr {string} referral-code - Sets the referral code. Default: what the page's address says.
 * @attr {boolean} debug - Explains in the console why an endpoint did not take a signup. For you, while you set it up.
 * @attr {boolean} expose-email - Lets `newsletter-submit` and `newsletter-success` carry the address.
 * @attr {string} turnstile-script - Sets where the script of Turnstile comes from. Default: Cloudflare's own address.
 * @attr {string} text-* - Sets one text, for example `text-button` or `text-email-label`; the names are those of the
 *   `messages` property, in kebab case.
 *
 * @attr {string} open-on - What the dialog opens on besides its triggers: `delay 10s`, `scroll 50%`, `leave`, or
 *   several of them. Default: `click`, its triggers alone.
 * @attr {string} ask-again - When the dialog may open by itself again once the visitor has closed it: on the next
 *   `page`, in the next `session`, or after days, such as `30d`. Default: `page`.
 * @attr {boolean} open - There while the dialog is open. Set by the element; open it with `open()`.
 *
 * @slot head - What stands above the form: a heading, a sentence.
 * @slot trigger - What opens the dialog, such as a button. Elsewhere on the page, `data-newsletter-open` with the
 *   element's `id` does.
 * @slot - `<newsletter-field>` elements, one for each custom field. Nothing in here is shown while the script runs.
 * @slot turnstile - Where Cloudflare Turnstile is shown, while an endpoint asks for it.
 *
 * @fires {NewsletterSubmitEvent} newsletter-submit - The form is complete and about to be sent; cancelable.
 * @fires {NewsletterSuccessEvent} newsletter-success - The endpoint has taken the signup.
 * @fires {NewsletterErrorEvent} newsletter-error - The signup did not go through; what was typed is still there.
 * @fires {NewsletterWarningEvent} newsletter-warning - Something is wrong that visitors do not see; said in the console
 *   too.
 *
 * @csspart surface - What head, form and result stand on.
 * @csspart head - What stands above the form.
 * @csspart form - The form.
 * @csspart field - One field: label, problem, control.
 * @csspart label - The label of a field.
 * @csspart input - A text or date input.
 * @csspart choice - A checkbox or radio button with its label.
 * @csspart remark - What a label adds in small print, such as “(optional)”.
 * @csspart problem - What is wrong with a field.
 * @csspart button - The button.
 * @csspart notice - The result: thanks, or what went wrong.
 * @csspart dialog - The dialog around the surface, with its `::backdrop`.
 * @csspart close - The × of the dialog.
 *
 * @cssprop [--newsletter-accent=CanvasText] - Background of the button, colour of ticked boxes.
 * @cssprop [--newsletter-on-accent=Canvas] - Text on the button.
 * @cssprop [--newsletter-text=CanvasText, in inputs FieldText] - Text in inputs, on a card and in a dialog.
 * @cssprop [--newsletter-muted=70% of the text] - Small print and placeholders.
 * @cssprop [--newsletter-surface=Canvas] - Background of card and dialog.
 * @cssprop [--newsletter-field=Field] - Background of inputs.
 * @cssprop [--newsletter-border=55% of the text] - Lines around inputs.
 * @cssprop [--newsletter-danger=a red] - Problems.
 * @cssprop [--newsletter-focus=CanvasText] - The ring around what has the focus.
 * @cssprop [--newsletter-gap=1rem] - Space between fields.
 * @cssprop [--newsletter-padding=clamp(1.25rem, 6%, 2rem)] - Space inside card and dialog.
 * @cssprop [--newsletter-radius=0.5rem] - Roundness of inputs and button; card and dialog take twice as much, up to
 *   1.25rem.
 * @cssprop [--newsletter-shadow=none] - Shadow of card and dialog.
 * @cssprop [--newsletter-width=32rem] - Width that `stacked`, `card` and `dialog` have at most.
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
    redirectOrigins: { attribute: 'redirect-origins' },
    timeout: { type: Number },
    attribution: {},
    storage: {},
    referralParam: { attribute: 'referral-param' },
    layout: {},
    messages: { attribute: false },
  };

  /** Address the form is posted to: your relay, an n8n webhook, or your own server. */
  declare endpoint: string;
  /**
   * Page to go to after a signup: of the same origin, or of one in `redirectOrigins`. Default: none, the thanks are
   * shown in place of the form.
   */
  declare redirect: string;
  /** Further origins `redirect` may lead to, such as `https://shop.example`, separated by spaces. */
  declare redirectOrigins: string;
  /** How long to wait for the endpoint's answer, in seconds. */
  declare timeout: number;
  /**
   * Which visit counts where several say who brought the visitor: `first` or `last`. Those that say nothing never
   * count.
   */
  declare attribution: 'first' | 'last';
  /**
   * Where that is remembered for the next pages once consent is granted, for 30 days at most: `local`, `session` or
   * `none`.
   */
  declare storage: 'local' | 'session' | 'none';
  /** Query parameter that carries a referral code. */
  declare referralParam: string;
  /**
   * How it is laid out: `inline`, on one line where there is room; `stacked`; `card`, on a surface; `dialog`, which
   * waits to be opened.
   */
  declare layout: 'inline' | 'stacked' | 'card' | 'dialog';
  /**
   * Texts to use instead of those of the page's language; any subset. A `text-*` attribute wins over its entry here.
   */
  declare messages: Partial<Messages>;

  #standing: Standing = { state: 'idle' };
  /** The form in our hands: our own, or the one the owner wrote into this element. */
  #form: HTMLFormElement | null = null;
  #release: Undo | undefined;
  #unmark: Undo | undefined;
  #signup: Signup | undefined;
  #isSending = false;
  #observer: MutationObserver | undefined;
  /** Ends what is listened to while the form is on the page. */
  #stay: AbortController | undefined;
  #dialog: Dialog | undefined;
  /** For which layout looks were fetched, and when they are here. */
  #dressed = 'inline';
  #dressing: Promise<unknown> | undefined;
  readonly #refresh = (): void => this.requestUpdate();
  readonly #internals = this.attachInternals();

  constructor() {
    super();
    this.endpoint = '';
    this.redirect = '';
    this.redirectOrigins = '';
    this.timeout = 20;
    this.attribution = 'first';
    this.storage = 'local';
    this.referralParam = 'ref';
    this.layout = 'inline';
    this.messages = {};
  }

  /** Where the form stands. */
  get state(): SignupState {
    return this.#standing.state;
  }

  /** Sends the form as if its button had been pressed. */
  submit(): void {
    act(this.#form, 'requestSubmit');
  }

  /** Moves the focus to the first field. */
  override focus(options?: FocusOptions): void {
    elementsOf(this.#form)
      .find(({ willValidate }) => willValidate)
      ?.focus?.(options);
  }

  /** Opens the dialog. Does nothing in other layouts. */
  async open(): Promise<void> {
    await this.updateComplete;
    await this.#dressing;
    this.#dialog?.open();
  }

  /** Closes the dialog. */
  close(): void {
    this.#dialog?.close();
  }

  /** Empties the form and shows it again, for the next person. Does nothing while an answer is awaited. */
  reset(): void {
    if (this.#isSending) return;
    act(this.#form, 'reset');
    this.#signup?.end();
    this.#signup = undefined;
    void this.#show({ state: 'idle' });
  }

  /**
   * Lets every form on the page remember who brought the visitor, and read what earlier pages remembered. Call it on
   * each page on which your visitor has agreed; without it nothing is stored. Ignored under Global Privacy Control.
   */
  grantConsent(): void {
    answerConsent(true);
  }

  /** Takes the consent back, and deletes what was stored. */
  revokeConsent(): void {
    answerConsent(false);
  }

  override connectedCallback(): void {
    super.connectedCallback();
    // Fields and texts are light DOM, which may change at any time and need not be there yet; so may languages.
    this.#observer ??= new MutationObserver(this.#refresh);
    this.#observer.observe(this, { attributes: true, childList: true, subtree: true });
    this.#observer.observe(document.documentElement, { attributeFilter: ['lang'] });
    this.#stay = new AbortController();
    addEventListener('newsletter-messages', this.#refresh, this.#stay);
    document.addEventListener('DOMContentLoaded', this.#refresh, this.#stay);
    fetchOnFocus(this);
    followVisits(() => void recall(this));
    this.requestUpdate();
  }

  override disconnectedCallback(): void {
    super.disconnectedCallback();
    this.#observer?.disconnect();
    this.#stay?.abort();
    this.#hold(null);
    this.#dialog?.stop();
  }

  /** Style sheets belong to one document: on its way through another one the form has lost its own. */
  protected adoptedCallback(): void {
    if (!this.shadowRoot || this.ownerDocument !== document) return;
    adoptStyles(this.shadowRoot, [styles]);
    this.#dressed = 'inline';
  }

  protected override render(): TemplateResult {
    const texts = readMessages(this);
    const { state, notice, isQuiet } = this.#standing;
    const isDone = state === 'success';
    // Without an endpoint of its own the tag waits for a form of the owner's, which may still be on its way through the
    // parser.
    const form =
      this.#ownersForm || (!this.endpoint && globalThis.document?.readyState === 'loading')
        ? html`<slot ?hidden=${isDone}></slot>`
        : html`<form part="form" method="post" action=${this.endpoint} ?hidden=${isDone}>
          ${addressView(texts)}
          ${Array.from(this.querySelectorAll('newsletter-field'), (field, position) => fieldView((name) => field.getAttribute(name), `field-${position}`, texts))}
          <button part="button">${state === 'busy' ? texts.busy : texts.button}</button>
        </form>`;
    const content = html`<div part="surface" class=${this.layout}>
      <slot name="head" part="head" id="head"></slot>
      ${form}
      <slot name="turnstile"></slot>
      <p part="notice" class=${state} role="status" aria-live=${isQuiet ? 'off' : nothing} tabindex=${isDone ? '-1' : nothing}>${notice?.(texts)}</p>
    </div>`;
    return this.layout === 'dialog' ? html`<slot name="trigger"></slot>${this.#dialog?.view(texts, content)}` : content;
  }

  protected override updated(): void {
    if (this.isConnected) this.#hold(this.#ownersForm ?? this.renderRoot.querySelector('form'));
    if (this.layout !== this.#dressed) {
      this.#dressed = this.layout;
      this.#dressing = dress(this, this.#dialog).then((dialog) => {
        this.#dialog = dialog;
        this.requestUpdate();
        return this.updateComplete;
      });
    }
  }

  /** Takes this form in hand, and lets go of the one before. */
  #hold(form: HTMLFormElement | null): void {
    this.#unmark?.();
    if (form !== this.#form) {
      this.#release?.();
      this.#form = form;
      this.#release = form ? hold(form, this.#onSubmit) : undefined;
    }
    this.#unmark = form ? this.#standing.mark?.(form, readMessages(this)) : undefined;
    // What we just changed ourselves is no news.
    this.#observer?.takeRecords();
  }

  /** A form for signing up that the owner wrote into this element. */
  get #ownersForm(): HTMLFormElement | null {
    return this.querySelector<HTMLFormElement>('form:has([name=email])');
  }

  readonly #onSubmit = async (event: SubmitEvent): Promise<void> => {
    const form = this.#form;
    // Where the page has already said no, it has its reasons.
    if (!form || event.defaultPrevented) return;
    event.preventDefault();
    if (this.#isSending || this.state === 'success') return;
    this.#isSending = true;
    try {
      this.#signup ??= await createSignup(this, this.#show, form);
      await this.#signup?.send(form);
    } finally {
      this.#isSending = this.state === 'busy';
    }
  };

  readonly #show = (standing: Standing): Promise<unknown> => {
    this.#standing = standing;
    this.#isSending = standing.state === 'busy';
    this.requestUpdate();
    this.#internals.states.clear();
    this.#internals.states.add(standing.state);
    return this.updateComplete;
  };
}

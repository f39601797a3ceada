/** The class of `<newsletter-signup>`. Importing it does not register the element. */
import { LitElement, adoptStyles, html, type TemplateResult } from 'lit';
import { loadPart } from './chunks.ts';
import type { Dialog } from './dialog.ts';
import {
  callForm,
  elementsOf,
  endpointOf,
  isSet,
  keepValues,
  takeOver,
  webAddress,
  type FormView,
  type SignupState,
  type TakenOver,
  type Undo,
} from './form.ts';
import { kinds } from './field-element.ts';
import { readMessages, type Messages } from './messages.ts';
import { createSender } from './sender.ts';
import { styles } from './styles.ts';
import { layouts, pageContent, surfaceTemplate } from './template.ts';
import { actFor, announceConsent, tools } from './visits.ts';
import { oneOf, warn, warningsOf } from './warnings.ts';

/**
 * A newsletter form. It asks for an email address and your custom fields, determines the visitor's attribution, and
 * posts both to your endpoint. It stores nothing, in no cookie either, before you tell it that the visitor
 * has consented.
 *
 * @summary A small, accessible newsletter form.
 * @tagname newsletter-signup
 *
 * @attr {string} utm-source - Sets the source. Default: the parameter in the page's address when the script ran. The
 *   same default applies to the four attributes below.
 * @attr {string} utm-medium - Sets the medium.
 * @attr {string} utm-campaign - Sets the campaign.
 * @attr {string} utm-term - Sets the search term.
 * @attr {string} utm-content - Sets the content, or its variant.
 * @attr {string} referring-site - Sets the referring site. Default: the origin of the site that linked here.
 * @attr {string} referral-code - Sets the referral code. Default: the parameter in the page's address.
 * @attr {string} cookie-domain - Stores the attribution in a cookie for this domain and its subdomains, such as
 *   `example.com`, instead of web storage.
 * @attr {'auto' | 'code' | 'source' | 'none'} [ref-is=auto] - What the referral parameter carries. Default: in `ref`, a
 *   source, and what looks like a code of the service, both; under another name, a code.
 * @attr {string} same-site - Hosts that are no referring site, such as `blog.example.com`, separated by spaces.
 * @attr {boolean} click-ids - Names source and medium by the click id of an ad, where the address has no source.
 * @attr {boolean} referrer-medium - Names source and medium of visits from search engines and social networks.
 * @attr {boolean} debug - Explains problems of the setup in the console and on the page. For you, not for visitors.
 * @attr {boolean} expose-email - Lets `newsletter-submit` and `newsletter-success` carry the address.
 * @attr {string} turnstile-script - Sets the address of Turnstile's script. Default: Cloudflare's own address.
 * @attr {string} text-button - Sets the text of the button.
 * @attr {string} text-email-label - Sets the label of the address field.
 * @attr {string} text-email-placeholder - Sets the example text in the address field.
 * @attr {string} text-thanks - Sets the heading after the signup.
 * @attr {string} text-success - Sets the sentence after the signup. Every other text is in the `messages` property.
 *
 * @attr {string} open-on - When the dialog opens, besides a click on its triggers: one or more of `delay 10s`,
 *   `scroll 50%` and `leave`. Default: `click`, only its triggers.
 * @attr {string} ask-again - When the dialog may open by itself again after the visitor has closed it: on the next
 *   `page`, in the next `session`, or after days, such as `30d`. Default: `page`.
 *
 * @slot head - Content above the form, such as a heading and a sentence.
 * @slot trigger - Opens the dialog, such as a button. Elsewhere on the page, an element opens it whose
 *   `data-newsletter-open` is the `id` of this one.
 * @slot - `<newsletter-field>` elements, one for each custom field. Any other content is hidden once the script runs.
 * @slot fallback - A `<form>` that stands in for the element's own until that is rendered, and wherever the script does
 *   not run. Its `action` is the endpoint; the element's form takes over what was typed, by the names of the controls.
 * @slot picture - The picture of the layout `cover`.
 * @slot note - Small print below the form.
 * @slot proof - Social proof below the form, such as “Join 4,200 readers”.
 * @slot thanks - Content after the thanks.
 * @slot turnstile - Cloudflare Turnstile, while an endpoint asks for it.
 *
 * @fires {NewsletterSubmitEvent} newsletter-submit - The form is complete and about to be sent; cancelable.
 * @fires {NewsletterSuccessEvent} newsletter-success - The endpoint has accepted the signup.
 * @fires {NewsletterErrorEvent} newsletter-error - The signup failed; the values stay in the form.
 * @fires {NewsletterWarningEvent} newsletter-warning - A problem that visitors do not see; it is in the
 *   console too.
 *
 * @csspart surface - The box around head, form and result.
 * @csspart content - The content of the surface, beside the picture.
 * @csspart panel - The content of `card`, `cover` and `dialog`.
 * @csspart head - The box around the slot above the form.
 * @csspart form - The form.
 * @csspart frame - The form of `joined` and `cover` where field and button share one frame.
 * @csspart field - One field: label, problem, control.
 * @csspart label - The label of a field.
 * @csspart input - A text or date input.
 * @csspart box - A checkbox or radio button.
 * @csspart choice - A checkbox or radio button with its label.
 * @csspart chip - One of several choices.
 * @csspart chips - All choices of a field.
 * @csspart remark - The small print of a label, such as “(optional)”.
 * @csspart problem - The error message of a field.
 * @csspart button - The button.
 * @csspart button-text - The text of the button, in black or white, depending on the contrast.
 * @csspart notice - The result: the thanks, or an error message.
 * @csspart tick - The tick beside the thanks.
 * @csspart thanks - The heading of the thanks.
 * @csspart dialog - The dialog around the surface, with its `::backdrop`.
 * @csspart close - The × of the dialog.
 *
 * @cssprop {<color>} [--newsletter-accent=currentColor] - Background of the button, and colour of ticked boxes.
 * @cssprop {<color>} [--newsletter-on-accent=black or white] - Text on the button.
 * @cssprop {<color>} [--newsletter-text=the page's] - Text of `card`, `cover` and `dialog`.
 * @cssprop {<color>} [--newsletter-muted=about 77% of the text] - Small print and placeholders.
 * @cssprop {<color>} [--newsletter-surface=the page, lighter] - Background of `card`, `cover` and `dialog`. Default:
 *   the page behind it, lighter below dark text and darker below light text; in a `dialog`, white or almost black.
 * @cssprop {<color>} [--newsletter-field=the page, lighter] - Background of inputs; the default is that of the
 *   surface.
 * @cssprop {<color>} [--newsletter-border=about 55% of the text] - Lines around inputs.
 * @cssprop {<color>} [--newsletter-danger=a red] - Error messages.
 * @cssprop {<color>} [--newsletter-focus=the accent] - The focus ring.
 * @cssprop [--newsletter-gap=1em] - Space between fields; between heading, form and small print in proportion.
 * @cssprop [--newsletter-padding=clamp(1.25em, 6%, 2em)] - Space inside `card`, `cover` and `dialog`.
 * @cssprop [--newsletter-radius=0.625em] - Corner radius of inputs and button; of a surface twice that, up to 1.5em.
 * @cssprop [--newsletter-shadow=none] - Shadow of `card`, `cover` and `dialog`.
 * @cssprop [--newsletter-width=30em, cover 56em] - Largest width of the form.
 *
 * @cssstate idle - The form waits for input.
 * @cssstate busy - Waiting for the endpoint's answer.
 * @cssstate success - The endpoint has accepted the signup.
 * @cssstate error - A value is invalid, or the request failed.
 */
export class NewsletterSignup extends LitElement {
  static override styles = styles;
  static override properties = {
    endpoint: {},
    layout: {},
    redirect: {},
    redirectOrigins: { attribute: 'redirect-origins' },
    timeout: { type: Number },
    attribution: {},
    storage: {},
    referralParam: { attribute: 'referral-param' },
    messages: { attribute: false },
  };

  /**
   * Address that the form is posted to, such as `https://relay.example/signup`: your relay, an n8n webhook, or your own
   * server. Default: the `action` of the form inside the tag.
   */
  endpoint: string = '';
  /**
   * The layout: `inline`, on one line where there is room; `joined`, address and button in one frame, centred;
   * `stacked`; `card`, on a surface; `cover`, beside or below a picture; `dialog`, opened by a button or by itself.
   */
  layout: 'inline' | 'joined' | 'stacked' | 'card' | 'cover' | 'dialog' = 'inline';
  /**
   * Page that opens after a signup: of the same origin, or of one in `redirectOrigins`. Default: none; the thanks
   * replace the form.
   */
  redirect: string = '';
  /** Further origins that `redirect` may lead to, such as `https://shop.example`, separated by spaces. */
  redirectOrigins: string = '';
  /** How long to wait for the endpoint's answer, in seconds. */
  timeout: number = 20;
  /**
   * Which of the visitor's visits is sent: the `first` or the `last` one with a campaign, a referral code or a
   * referrer, or `none`.
   */
  attribution: 'first' | 'last' | 'none' = 'first';
  /**
   * Where attribution is stored for the next pages after consent, for at most 30 days: `local`, `session` or `none`.
   */
  storage: 'local' | 'session' | 'none' = 'local';
  /** Name of the parameter with the referral code. */
  referralParam: string = 'ref';
  /**
   * Texts that replace those of the page's language; any subset. A `text-*` attribute takes precedence over its entry.
   */
  messages: Partial<Messages> = {};

  #view: FormView = { state: 'idle' };
  /** The form in use: the element's own, or the page's inside the element. */
  #form: HTMLFormElement | null = null;
  #taken: TakenOver | undefined;
  #unmark: Undo | undefined;
  readonly #sender = createSender(this, (view) => this.#show(view));
  #observer: MutationObserver | undefined;
  /** Ends the listeners on the page when the element is disconnected. */
  #connected: AbortController | undefined;
  /** Null if its file cannot be loaded: the form is shown in its place. */
  #dialog: Dialog | null | undefined;
  #dialogLoading: Promise<Dialog | null> | undefined;
  readonly #refresh = (): void => this.requestUpdate();
  #internals: ElementInternals | undefined;
  /** Shows the page's content until the form is rendered, and for good where that fails. */
  readonly #content = ['trigger', '', 'fallback'].map((name) =>
    Object.assign(document.createElement('slot'), { name }),
  );

  /** The state of the form. */
  get state(): SignupState {
    return this.#view.state;
  }

  /** Submits the form as its button does. */
  submit(): void {
    this.#taken?.prepare();
    callForm(this.#form, 'requestSubmit');
  }

  /** Moves the focus to the first field. */
  override focus(options?: FocusOptions): void {
    elementsOf(this.#form)
      .find(({ willValidate }) => willValidate)
      ?.focus?.(options);
  }

  /** Opens the dialog. Does nothing in other layouts. */
  open(): Promise<void> {
    return this.#open();
  }

  /** Closes the dialog. */
  close(): void {
    this.#dialog?.close();
  }

  /** Empties the form and shows it again, for the next person. Does nothing while the form waits for an answer. */
  reset(): void {
    if (!this.#sender.reset()) return;
    callForm(this.#form, 'reset');
    void this.#show({ state: 'idle' });
  }

  /**
   * Lets every form on the page store the visitor's attribution, and read what earlier pages stored. Call it on every
   * page once the visitor has consented; without it nothing is stored. Ignored under Global Privacy Control.
   */
  grantConsent(): void {
    announceConsent(true);
  }

  /** Revokes the consent, and deletes the stored attribution. */
  revokeConsent(): void {
    announceConsent(false);
  }

  override connectedCallback(): void {
    super.connectedCallback();
    // Fields, texts and the language can change at any time.
    this.#observer ??= new MutationObserver(this.#refresh);
    this.#observer.observe(this, { attributes: true, childList: true, subtree: true });
    this.#observer.observe(document.documentElement, { attributeFilter: ['lang'] });
    this.#connected = new AbortController();
    addEventListener('newsletter-messages', this.#refresh, this.#connected);
    document.addEventListener('DOMContentLoaded', this.#refresh, this.#connected);
    document.addEventListener('click', ({ target }) => void this.#open(target), this.#connected);
    this.addEventListener('focusin', this.#sender.prepare, { once: true });
    // Web Forms press the default button of the form around the page.
    this.addEventListener('keypress', (event) => this.closest('form') && event.stopPropagation(), this.#connected);
    // Delayed: frameworks can set the endpoint after the element is connected.
    setTimeout(() => void this.#checkOwner(), 1000);
    actFor(this);
    this.requestUpdate();
  }

  override disconnectedCallback(): void {
    super.disconnectedCallback();
    this.#observer?.disconnect();
    this.#connected?.abort();
    this.#use(null);
    this.#dialog?.stop();
  }

  /** A style sheet belongs to one document: adoption by another document drops it. */
  protected adoptedCallback(): void {
    if (this.shadowRoot && this.ownerDocument === document) adoptStyles(this.shadowRoot, [styles]);
  }

  protected override createRenderRoot(): HTMLElement | DocumentFragment {
    const root = super.createRenderRoot();
    root.append(...this.#content);
    return root;
  }

  protected override render(): TemplateResult {
    const texts = readMessages(this);
    const layout = this.#layout;
    const endpoint = endpointOf(this, this.querySelector('[slot=fallback]'));
    // Without an endpoint the element waits for the page's form, which the parser may not have reached yet.
    const isOwners = this.#ownersForm || (!endpoint && document.readyState === 'loading');
    const shown = { host: this, texts, view: this.#view, layout, endpoint: isOwners ? undefined : endpoint };
    const surface = surfaceTemplate(shown);
    if (layout !== 'dialog' || this.#dialog === null) return surface;
    return html`<slot name="trigger"></slot>${this.#dialog?.template(surface, texts) ?? pageContent}`;
  }

  protected override update(changed: Map<PropertyKey, unknown>): void {
    keepValues(this, () => {
      super.update(changed);
      this.#dialog?.goOn();
    });
    for (const slot of this.#content.splice(0)) slot.remove();
  }

  protected override updated(): void {
    if (!this.isConnected) return;
    this.#use(this.#ownersForm ?? this.renderRoot.querySelector('form'));
    if (this.#layout !== 'dialog') return this.#dialog?.stop();
    this.#dialogLoading ??= this.#loadDialog();
    this.#dialog?.update();
  }

  get #layout(): NewsletterSignup['layout'] {
    return oneOf(this, 'layout', this.layout, ...layouts);
  }

  /** Loads what warns the owner, where endpoint, language or a form around gives a reason, or `debug` asks for it. */
  async #checkOwner(): Promise<void> {
    const endpoint = endpointOf(this, this.#form);
    if (!this.isConnected || !this.#form) return;
    const isDebug = isSet(this, 'debug');
    const lacksLanguage = !globalThis.newsletterMessages && document.querySelector('script[src*="/languages/"]');
    const isRight = webAddress(endpoint) && !endpoint.includes('example') && !lacksLanguage;
    if (!isDebug && !this.closest('form') && isRight) return;
    const doctor = await loadPart(this, 'doctor.js', import('./doctor.ts'));
    doctor?.checkPage(this, endpoint, warn);
    void doctor?.checkLanguage(this, warn);
    if (isDebug) doctor?.showWarnings(this, endpoint, warningsOf(this), warn);
  }

  /** Opens the dialog once its file is loaded, if the target is undefined or one of its triggers. */
  async #open(target?: EventTarget | null): Promise<void> {
    await this.updateComplete;
    (await this.#dialogLoading)?.open(target);
  }

  async #loadDialog(): Promise<Dialog | null> {
    const file = await loadPart(this, 'dialog.js', import('./dialog.ts'));
    this.#dialog = file?.createDialog(this, { ...tools, html }) ?? null;
    this.requestUpdate();
    await this.updateComplete;
    return this.#dialog;
  }

  /** Takes over the submission of this form, and restores the form before it. */
  #use(form: HTMLFormElement | null): void {
    this.#unmark?.();
    if (form !== this.#form) {
      this.#taken?.release();
      this.#form = form;
      this.#taken = form ? takeOver(form, this.#onSubmit) : undefined;
    }
    for (const control of form?.querySelectorAll<HTMLElement>('[data-kind]:not([data-kind=""])') ?? [])
      oneOf(control, 'kind', control.dataset['kind'] ?? '', 'string', ...kinds);
    this.#unmark = form ? this.#view.mark?.(form, readMessages(this)) : undefined;
    // The element's own changes need no update.
    this.#observer?.takeRecords();
  }

  /** The page's own form inside this element, which is not in a slot. */
  get #ownersForm(): HTMLFormElement | null {
    return this.querySelector(':scope form:not([slot]) [name=email]')?.closest('form') ?? null;
  }

  readonly #onSubmit = (event: Event): void => {
    // A listener of the page may have cancelled the event.
    if (!this.#form || event.defaultPrevented) return;
    event.preventDefault();
    if (this.state !== 'success') this.#sender.submit(this.#form);
  };

  #show(view: FormView): Promise<unknown> {
    this.#view = view;
    this.requestUpdate();
    try {
      this.#internals ??= this.attachInternals();
      this.#internals.states.clear();
      this.#internals.states.add(view.state);
    } catch {
      // Browsers before May 2024 have no custom states, or other names for them.
    }
    // What a script of the page breaks once, is rendered again.
    return this.updateComplete.catch(() => {
      this.requestUpdate();
      return this.updateComplete;
    });
  }
}

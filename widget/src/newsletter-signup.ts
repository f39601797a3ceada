/** `<newsletter-signup>`: the form a website shows. The class alone; importing it registers nothing. */
import { LitElement, adoptStyles, type PropertyDeclarations, type TemplateResult } from 'lit';
import { announceConsent, dialogKey, onVisits, readAttribution, updateStored } from './attribution.ts';
import { chunks } from './chunks.ts';
import type { Dialog } from './dialog.ts';
import {
  callForm,
  elementsOf,
  isSet,
  keepFocus,
  markBusy,
  takeOver,
  type FormView,
  type SignupState,
  type Undo,
} from './form.ts';
import { kinds } from './newsletter-field.ts';
import { readMessages, type Messages } from './messages.ts';
import * as events from './events.ts';
import type * as Sender from './signup.ts';
import type { Signup } from './signup.ts';
import { styles } from './styles.ts';
import { customFields, signupTemplate } from './template.ts';
import { oneOf, warn, warningsOf } from './warnings.ts';

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
 * @attr {boolean} debug - Explains in the console and on the page what to mend. For you, while you set it up.
 * @attr {boolean} expose-email - Lets `newsletter-submit` and `newsletter-success` carry the address.
 * @attr {string} turnstile-script - Sets where the script of Turnstile comes from. Default: Cloudflare's own address.
 * @attr {boolean} inbox-link - Offers a link to the visitor's inbox after the signup, for well-known mail services.
 * @attr {string} text-button - Sets the text of the button.
 * @attr {string} text-email-label - Sets the label of the address.
 * @attr {string} text-email-placeholder - Sets the example text in the address field.
 * @attr {string} text-thanks - Sets the heading after the signup.
 * @attr {string} text-success - Sets the sentence after the signup. Every other text is in the `messages` property.
 *
 * @attr {string} open-on - What the dialog opens on besides its triggers: `delay 10s`, `scroll 50%`, `leave`, or
 *   several of them. Default: `click`, its triggers alone.
 * @attr {string} ask-again - When the dialog may open by itself again once the visitor has closed it: on the next
 *   `page`, in the next `session`, or after days, such as `30d`. Default: `page`.
 *
 * @slot head - What stands above the form: a heading, a sentence.
 * @slot trigger - What opens the dialog, such as a button. Elsewhere on the page, `data-newsletter-open` with the
 *   element's `id` does.
 * @slot - `<newsletter-field>` elements, one for each custom field. Nothing in here is shown while the script runs.
 * @slot picture - The picture of the layout `cover`.
 * @slot note - Small print below the form.
 * @slot proof - Social proof below the form, such as “Join 4,200 readers”.
 * @slot thanks - What follows the thanks after a signup.
 * @slot turnstile - Where Cloudflare Turnstile is shown, while an endpoint asks for it.
 *
 * @fires {NewsletterSubmitEvent} newsletter-submit - The form is complete and about to be sent; cancelable.
 * @fires {NewsletterSuccessEvent} newsletter-success - The endpoint has taken the signup.
 * @fires {NewsletterErrorEvent} newsletter-error - The signup did not go through; what was typed is still there.
 * @fires {NewsletterWarningEvent} newsletter-warning - Something is wrong that visitors do not see; said in the console
 *   too.
 *
 * @csspart surface - What head, form and result stand on.
 * @csspart content - What stands on the surface beside the picture.
 * @csspart panel - The content of `card`, `cover` and `dialog`.
 * @csspart head - What stands above the form.
 * @csspart form - The form.
 * @csspart frame - The form of `joined` and `cover` where field and button share one frame.
 * @csspart field - One field: label, problem, control.
 * @csspart label - The label of a field.
 * @csspart input - A text or date input.
 * @csspart box - A checkbox or radio button.
 * @csspart choice - A checkbox or radio button with its label.
 * @csspart chip - A choice among several.
 * @csspart chips - All choices of a field.
 * @csspart remark - What a label adds in small print, such as “(optional)”.
 * @csspart problem - What is wrong with a field.
 * @csspart button - The button.
 * @csspart button-text - The words on the button: their colour is black or white, whichever is readable.
 * @csspart notice - The result: thanks, or what went wrong.
 * @csspart tick - The tick of the thanks.
 * @csspart thanks - The heading of the thanks.
 * @csspart inbox - The link to the visitor's inbox.
 * @csspart dialog - The dialog around the surface, with its `::backdrop`.
 * @csspart close - The × of the dialog.
 *
 * @cssprop [--newsletter-accent=currentColor] - Background of the button, colour of ticked boxes.
 * @cssprop [--newsletter-on-accent=black or white] - Text on the button.
 * @cssprop [--newsletter-text=CanvasText] - Text of `card`, `cover` and `dialog`.
 * @cssprop [--newsletter-muted=70% of the text] - Small print and placeholders.
 * @cssprop [--newsletter-surface=Canvas] - Background of `card`, `cover` and `dialog`.
 * @cssprop [--newsletter-field=5% of the text] - Background of inputs.
 * @cssprop [--newsletter-border=55% of the text] - Lines around inputs.
 * @cssprop [--newsletter-danger=a red] - Problems.
 * @cssprop [--newsletter-focus=the accent] - The ring around what has the focus.
 * @cssprop [--newsletter-gap=1rem] - Space between fields.
 * @cssprop [--newsletter-padding=clamp(1.25rem, 6%, 2rem)] - Space inside `card`, `cover` and `dialog`.
 * @cssprop [--newsletter-radius=0.625rem] - Roundness of inputs and button; a surface has twice as much, up to 1.5rem.
 * @cssprop [--newsletter-shadow=none] - Shadow of `card`, `cover` and `dialog`.
 * @cssprop [--newsletter-width=30rem, cover 56rem] - Largest width of the form.
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
   * The layout: `inline`, on one line where there is room; `joined`, address and button in one frame, centred;
   * `stacked`; `card`, on a surface; `cover`, beside or below a picture; `dialog`, opened by a button or by itself.
   */
  declare layout: 'inline' | 'joined' | 'stacked' | 'card' | 'cover' | 'dialog';
  /**
   * Texts to use instead of those of the page's language; any subset. A `text-*` attribute wins over its entry here.
   */
  declare messages: Partial<Messages>;

  #view: FormView = { state: 'idle' };
  /** The form in use: our own, or the owner's inside this element. */
  #form: HTMLFormElement | null = null;
  #release: Undo | undefined;
  #unmark: Undo | undefined;
  /** `signup.js`, once it is loaded. */
  #sender: typeof Sender | undefined;
  #signup: Signup | undefined;
  #isSending = false;
  #observer: MutationObserver | undefined;
  /** Ends the listeners on the page when the element is disconnected. */
  #connected: AbortController | undefined;
  #dialog: Dialog | undefined;
  /** Resolves once the dialog's file is loaded, or could not be. */
  #dialogLoading: Promise<unknown> | undefined;
  #dialogFailed = false;
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

  /** The state of the form. */
  get state(): SignupState {
    return this.#view.state;
  }

  /** Submits the form as its button does. */
  submit(): void {
    callForm(this.#form, 'requestSubmit');
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
    await this.#dialogLoading;
    this.#dialog?.open();
  }

  /** Closes the dialog. */
  close(): void {
    this.#dialog?.close();
  }

  /** Empties the form and shows it again, for the next person. Does nothing while an answer is awaited. */
  reset(): void {
    if (this.#isSending) return;
    callForm(this.#form, 'reset');
    this.#signup?.end();
    this.#signup = undefined;
    void this.#show({ state: 'idle' });
  }

  /**
   * Lets every form on the page store who brought the visitor, and read what earlier pages stored. Call it on each page
   * on which your visitor has agreed; without it nothing is stored. Ignored under Global Privacy Control.
   */
  grantConsent(): void {
    announceConsent(true);
  }

  /** Revokes the consent, and deletes what was stored. */
  revokeConsent(): void {
    announceConsent(false);
  }

  override connectedCallback(): void {
    super.connectedCallback();
    // Fields and texts are light DOM: they may arrive or change at any time, and so may languages.
    this.#observer ??= new MutationObserver(this.#refresh);
    this.#observer.observe(this, { attributes: true, childList: true, subtree: true });
    this.#observer.observe(document.documentElement, { attributeFilter: ['lang'] });
    this.#connected = new AbortController();
    addEventListener('newsletter-messages', this.#refresh, this.#connected);
    document.addEventListener('DOMContentLoaded', this.#refresh, this.#connected);
    this.addEventListener('focusin', this.#onFocus, { once: true });
    // Later: frameworks may set the endpoint after the element is connected.
    if (!this.endpoint || isSet(this, 'debug')) setTimeout(() => void this.#checkOwner(), 1000);
    onVisits(() => readAttribution(this));
    this.requestUpdate();
  }

  override disconnectedCallback(): void {
    super.disconnectedCallback();
    this.#observer?.disconnect();
    this.#connected?.abort();
    this.#use(null);
    this.#dialog?.stop();
  }

  /** Style sheets belong to one document: adoption by another one drops them. */
  protected adoptedCallback(): void {
    if (this.shadowRoot && this.ownerDocument === document) adoptStyles(this.shadowRoot, [styles]);
  }

  protected override render(): TemplateResult {
    return signupTemplate({
      texts: readMessages(this),
      view: this.#view,
      layout: this.#layout,
      endpoint: this.endpoint,
      fields: customFields(this),
      // Without an endpoint the element waits for the owner's form, which the parser may not have reached yet.
      isOwners: Boolean(this.#ownersForm) || (!this.endpoint && globalThis.document?.readyState === 'loading'),
      dialog: this.#dialogFailed ? 'failed' : this.#dialog ? 'loaded' : 'loading',
    });
  }

  protected override update(changed: Map<PropertyKey, unknown>): void {
    keepFocus(this.shadowRoot, () => super.update(changed));
  }

  protected override updated(): void {
    if (!this.isConnected) return;
    this.#use(this.#ownersForm ?? this.renderRoot.querySelector('form'));
    if (this.#layout !== 'dialog') return this.#dialog?.stop();
    this.#dialogLoading ??= this.#loadDialog();
    this.#dialog?.update();
  }

  get #layout(): NewsletterSignup['layout'] {
    return oneOf(this, 'layout', this.layout, 'inline', 'joined', 'stacked', 'card', 'cover', 'dialog');
  }

  /** Loads the file that sends. A failure to load shows when the form is submitted, which loads again. */
  readonly #onFocus = (): void => {
    this.#loadSender().catch(() => undefined);
  };

  async #loadSender(): Promise<typeof Sender> {
    const sender = await chunks.signup();
    if (!this.#sender) sender.keepAnswers(this);
    return (this.#sender = sender);
  }

  /** Warns the owner of an endpoint that is missing; with `debug`, shows all warnings on the page. */
  async #checkOwner(): Promise<void> {
    const endpoint = this.endpoint || this.#form?.getAttribute('action');
    if (!this.isConnected || !this.#form) return;
    if (!endpoint) warn(this, 'endpoint', 'has no endpoint: set its attribute to the address that takes signups.');
    if (isSet(this, 'debug')) (await chunks.doctor()).showWarnings(this, endpoint, warningsOf(this));
  }

  async #loadDialog(): Promise<void> {
    try {
      const { createDialog } = await chunks.dialog();
      this.#dialog = createDialog(this, { dialogKey, oneOf, updateStored });
    } catch (error) {
      this.#dialogFailed = true;
      warn(this, 'file', `cannot load dialog.js and shows the form in its place: ${String(error)}`);
    }
    this.requestUpdate();
    await this.updateComplete;
  }

  /** Takes over the submission of this form, and gives back the one before. */
  #use(form: HTMLFormElement | null): void {
    this.#unmark?.();
    if (form !== this.#form) {
      this.#release?.();
      this.#form = form;
      this.#release = form ? takeOver(form, this.#onSubmit) : undefined;
    }
    for (const control of form?.querySelectorAll<HTMLElement>('[data-kind]:not([data-kind=""])') ?? [])
      oneOf(control, 'kind', control.dataset['kind'] ?? '', 'string', ...kinds);
    this.#unmark = form ? this.#view.mark?.(form, readMessages(this)) : undefined;
    // Our own changes need no update.
    this.#observer?.takeRecords();
  }

  /** The signup form that the owner wrote into this element. */
  get #ownersForm(): HTMLFormElement | null {
    return this.querySelector<HTMLFormElement>('form:has([name=email])');
  }

  readonly #onSubmit = async (event: SubmitEvent): Promise<void> => {
    const form = this.#form;
    // The page may have cancelled the event for its own reasons.
    if (!form || event.defaultPrevented) return;
    event.preventDefault();
    if (this.#isSending || this.state === 'success') return;
    this.#isSending = true;
    try {
      this.#signup ??= await this.#createSignup(form);
      await this.#signup?.send(form);
    } finally {
      this.#isSending = this.state === 'busy';
    }
  };

  /** @returns undefined where the file cannot be loaded: then the browser has posted the form without it */
  async #createSignup(form: HTMLFormElement): Promise<Signup | undefined> {
    try {
      // Seen, but not announced: nothing is sent before the fields are checked.
      if (!this.#sender) void this.#show({ state: 'busy', mark: markBusy });
      const { createSignup } = await this.#loadSender();
      return createSignup(this, this.#show, { ...events, readAttribution, warn });
    } catch (error) {
      warn(this, 'file', `cannot load signup.js and posts the form without it: ${String(error)}`);
      if (this.endpoint) form.setAttribute('action', this.endpoint);
      callForm(form, 'submit');
      void this.#show({ state: 'idle' });
      return undefined;
    }
  }

  readonly #show = (view: FormView): Promise<unknown> => {
    // The thanks take the place of the form without a jump of what is below.
    const surface = this.renderRoot.querySelector<HTMLElement>('[part=surface]');
    if (surface)
      surface.style.minBlockSize = view.state === 'success' ? `${surface.getBoundingClientRect().height}px` : '';
    this.#view = view;
    this.#isSending = view.state === 'busy';
    this.requestUpdate();
    this.#internals.states.clear();
    this.#internals.states.add(view.state);
    return this.updateComplete;
  };
}

/** `<operator-page>`: signs the operator in, shows the relay's status as it changes, and offers the actions. */
import {
  button,
  formatNumber,
  notice,
  PageElement,
  toast,
  toastError,
  type Mood,
  type Question,
} from '@newsletter-kit/pages';
import { html, nothing, type TemplateResult } from 'lit';
import { repeat } from 'lit/directives/repeat.js';
import type { Status } from '../src/ops/operator.ts';
import type { ListedForm } from '../src/ops/listed-form.ts';
import { forms, readForms } from './form-list.ts';
import { forgetToken, hasToken, keepToken, request, SignedOutError, type OperatorActions } from './operator-api.ts';
import './person-search.ts';
import { discardButton, redriveButton, redriveLabels } from './signup-list.ts';
import { destinations, hourChart, stateBadge, subscriptions, summarize, tiles } from './status-view.ts';

/** The least time between two looks at the relay, in milliseconds. */
const refreshMs = 3000;
const wrongToken = 'The token is wrong. Copy it again, without spaces.';

type HeldState = keyof typeof redriveLabels;

/** The states that wait for the operator or the person: the title of each, and what to do. */
const heldStates: readonly (readonly [state: HeldState, title: string, about: string])[] = [
  [
    'dead',
    'Dead letters',
    'Signups that the API, or whose confirmation mail the mail server, refused for good. Redrive them once the cause is fixed: they wait for delivery, or their mail is sent, again.',
  ],
  ['review', 'Review', 'Suspected to come from robots, and not delivered. Let through those that come from people.'],
  [
    'unconfirmed',
    'Unconfirmed',
    'Delivered only after the person clicks the link in the confirmation mail. A mail that is held is sent when there is room for it.',
  ],
];

export class OperatorPage extends PageElement implements OperatorActions {
  static override properties = {
    status: { state: true },
    listedForms: { state: true },
    signingIn: { state: true },
    connection: { state: true },
    wrong: { state: true },
  };
  /** The last status that was read; undefined before sign-in. */
  declare status: Status | undefined;
  /** Read once; undefined before sign-in. */
  declare listedForms: readonly ListedForm[] | undefined;
  declare signingIn: boolean;
  /** Replaces the badge of the status: there is no current one. */
  declare connection: readonly [mood: Mood, words: string] | undefined;
  /** Why signing in failed. */
  declare wrong: string;
  #timer: ReturnType<typeof setTimeout> | undefined;
  /** Number of the last change that was heard of. */
  #change = 0;

  constructor() {
    super();
    this.signingIn = false;
    this.connection = ['neutral', 'connecting'];
    this.wrong = '';
  }

  override connectedCallback(): void {
    super.connectedCallback();
    document.addEventListener('visibilitychange', () => {
      if (document.visibilityState === 'visible' && this.status) void this.refresh();
    });
    void this.refresh();
  }

  /** Reads and shows the status, now, and from now on whenever it changes, or once a minute. */
  async refresh(): Promise<void> {
    clearTimeout(this.#timer);
    try {
      this.status = await request<Status>('status');
      this.listedForms ??= await readForms();
      this.connection = undefined;
      this.signingIn = false;
    } catch (error) {
      if (error instanceof SignedOutError) return this.#signOut(hasToken() ? wrongToken : '');
      this.connection = ['bad', 'no answer'];
    }
    this.#timer = setTimeout(() => void this.#refreshOnChange(), refreshMs);
    await this.updateComplete;
  }

  async #refreshOnChange(): Promise<void> {
    const timer = this.#timer;
    const since = this.#change;
    const read = await request<{ number: number }>(`changes?since=${since}`).catch(() => undefined);
    this.#change = read?.number ?? 0;
    // Unless it was refreshed, or the operator signed out, in the meantime.
    if (timer === this.#timer && this.status) await this.refresh();
  }

  /** Runs an action and shows why it failed. */
  async run(action: () => Promise<void> | void): Promise<void> {
    try {
      await action();
    } catch (error) {
      if (error instanceof SignedOutError) this.#signOut(wrongToken);
      else if (error instanceof TypeError) toast('The relay does not answer.');
      else toastError(error);
    }
  }

  /** Asks before something is deleted. @returns true for yes */
  confirm(question: Question): Promise<boolean> {
    return document.querySelector('confirm-dialog')?.ask(question) ?? Promise.resolve(false);
  }

  /**
   * Reads everything again after signups left their state, and moves the focus to where their list begins.
   *
   * @param origin - the button that was pressed
   */
  async leaveList(origin: EventTarget | null): Promise<void> {
    const pressed = origin instanceof Element ? origin : null;
    const section = pressed?.closest('section') ?? null;
    const person = pressed?.closest('#person') ? this.querySelector('person-search') : null;
    await this.refresh();
    void this.querySelector('signup-list')?.read();
    if (person) return person.search();
    const target = section?.hidden === false ? section.querySelector<HTMLElement>('h2') : null;
    if (target && target.tabIndex < 0) target.tabIndex = -1;
    (target ?? this.querySelector<HTMLElement>('#main'))?.focus();
  }

  #signOut(why: string): void {
    clearTimeout(this.#timer);
    forgetToken();
    this.status = undefined;
    this.listedForms = undefined;
    this.connection = ['neutral', 'signed out'];
    this.signingIn = true;
    this.wrong = why;
    // No address stays in the page.
    this.querySelector('person-search')?.clear();
    this.querySelector('signup-list')?.clear();
    document.querySelector('confirm-dialog')?.cancel();
    void this.updateComplete.then(() => {
      const token = this.querySelector<HTMLInputElement>('#token');
      if (!token) return;
      token.value = '';
      token.focus();
    });
  }

  #signIn(event: SubmitEvent): void {
    event.preventDefault();
    keepToken(this.querySelector<HTMLInputElement>('#token')?.value.trim() ?? '');
    void this.refresh();
  }

  protected override updated(): void {
    const { counts } = this.status ?? {};
    const open = counts ? counts.waiting + counts.sent : 0;
    document.title = `${open > 0 ? `(${formatNumber(open)}) ` : ''}Newsletter relay`;
  }

  protected override render(): TemplateResult {
    const { status } = this;
    const [mood, words] = this.connection ?? (status ? summarize(status) : (['neutral', 'connecting'] as const));
    return html`<header>
        <h1>Newsletter relay</h1>
        ${stateBadge(mood, words)}
        ${
          status
            ? [
                button({
                  id: 'pause',
                  label: status.paused ? 'Resume delivery' : 'Pause delivery',
                  onClick: () =>
                    this.run(async () => {
                      await request(status.paused ? 'resume' : 'pause', 'POST');
                      await this.refresh();
                    }),
                }),
                button({ id: 'leave', label: 'Sign out', kind: 'quiet', onClick: () => this.#signOut('') }),
              ]
            : nothing
        }
      </header>
      <main id="main" tabindex="-1">
        ${this.#signInForm()}
        <div id="board" ?hidden=${!status}>${this.#board(status)}</div>
      </main>`;
  }

  #signInForm(): TemplateResult {
    return html`<form id="enter" ?hidden=${!this.signingIn} @submit=${(event: SubmitEvent) => this.#signIn(event)}>
      <h2>Sign in</h2>
      <label for="token">Operator token</label>
      <input
        id="token"
        type="password"
        autocomplete="current-password"
        spellcheck="false"
        required
        aria-describedby="where wrong"
      />
      <p id="where" class="soft">
        It is the value of <code>RELAY_OPERATOR_TOKEN</code>, or in the file <code>…-operator</code> beside the relay's
        store. It is kept in this tab only.
      </p>
      <p id="wrong" class="bad" role="alert">${this.wrong}</p>
      <button class="primary">Sign in</button>
    </form>`;
  }

  #board(status: Status | undefined): TemplateResult {
    const counts = status ? JSON.stringify(status.counts) : '';
    return html`${notice('trouble', status?.running?.storeTrouble ?? status?.running?.trouble ?? status?.running?.longReader ?? '')}
      ${notice('unclear-consents', status?.running?.unclearConsents ?? '')}
      ${notice('refused-origins', status?.running?.refusedOrigins ?? '')}
      ${status ? tiles(status) : nothing}
      <section aria-labelledby="newest-title">
        <h2 id="newest-title">Newest signups</h2>
        <p class="soft">Press an address to show it; the log notes that somebody did.</p>
        <signup-list id="newest" .counts=${counts} .page=${this}></signup-list>
      </section>
      ${status ? [forms(status, this.listedForms ?? []), hourChart(status.running?.minutes ?? []), subscriptions(status), destinations(status, this)] : nothing}
      <person-search .page=${this}></person-search>
      ${heldStates.map((each) => this.#held(status, ...each))}`;
  }

  #held(status: Status | undefined, state: HeldState, title: string, about: string): TemplateResult {
    const reasons = state === 'dead' ? status?.deadByReason : status?.held.filter((each) => each.state === state);
    return html`<section id=${state} aria-labelledby="${state}-title" ?hidden=${!status?.counts[state]}>
      <h2 id="${state}-title">${title}</h2>
      <p class="soft">${about}</p>
      <ul class="list reasons">
        ${repeat(
          reasons ?? [],
          ({ reason }) => reason,
          ({ reason, count }) => this.#reason(state, reason, count),
        )}
      </ul>
    </section>`;
  }

  /** A reason, with buttons for all of its signups. */
  #reason(state: HeldState, reason: string, count: number): TemplateResult {
    const filter = { state, reason };
    const text = `This deletes the ${state} signups whose reason contains “${reason}”, ${formatNumber(count)} at present. They are never delivered. The consent ledger keeps its entries.`;
    return html`<li>
      <span><strong>${formatNumber(count)} × </strong>${reason}</span>
      ${
        // Without a reason the filter would mean every signup of the state.
        reason === ''
          ? nothing
          : html`<div class="actions">
              ${redriveButton(`${redriveLabels[state]} all of these`, filter, this)}
              ${discardButton('Discard all of these…', filter, text, this)}
            </div>`
      }
    </li>`;
  }
}

customElements.define('operator-page', OperatorPage);

/**
 * `<signup-list>`: the newest signups, of all states or one, loaded a page at a time. Their addresses are masked until
 * somebody asks for one.
 */
import { badge, button, dateTime, facts, formatCount, type Mood, PageElement, toast } from '@newsletter-kit/pages';
import { html, nothing, type PropertyValues, type TemplateResult } from 'lit';
import { repeat } from 'lit/directives/repeat.js';
import { consentFacts, type Fact, signupFacts, wordsOfKind } from '../src/ops/audit-facts.ts';
import type { ListedSignup } from '../src/ops/listed-signup.ts';
import { discardableStates, type SignupState } from '../src/store/overview.ts';
import { type ConsentRecord, isRedrivable, type StoredSignup } from '../src/store/signup-store.ts';
import { request, type OperatorActions } from './operator-api.ts';

/** Signups of one page. */
const pageSize = 10;

const moods: Readonly<Partial<Record<SignupState, Mood>>> = { delivered: 'good', review: 'wait', dead: 'bad' };

export class SignupList extends PageElement {
  static override properties = {
    counts: { attribute: false },
    page: { attribute: false },
    signups: { state: true },
    hasMore: { state: true },
  };
  /** The number of signups by state, as a text: the list is read again when it changes. Empty before sign-in. */
  declare counts: string;
  declare page: OperatorActions;
  /** Undefined before they are read. */
  declare signups: readonly ListedSignup[] | undefined;
  declare hasMore: boolean;
  /** The addresses that are shown, by id. */
  readonly #shown = new Map<string, string>();
  /** The last reading of the list: each waits for the one before. */
  #reading = Promise.resolve();

  constructor() {
    super();
    this.counts = '';
    this.clear();
  }

  /** Forgets the signups. */
  clear(): void {
    this.signups = undefined;
    this.#shown.clear();
    this.hasMore = false;
  }

  /** Reads the listed signups anew, or a page more of them. */
  read(isMore = false): Promise<void> {
    const read = async (): Promise<void> => {
      const { signups: known = [] } = this;
      const before = isMore ? known : [];
      const query = new URLSearchParams({
        state: this.querySelector('select')?.value ?? '',
        after: before.at(-1)?.id ?? '',
        limit: String(isMore ? pageSize : Math.max(pageSize, known.length)),
      });
      const { signups } = await request<{ signups: readonly ListedSignup[] }>(`signups?${query.toString()}`);
      if (this.counts === '') return;
      this.signups = [...before, ...signups];
      this.hasMore = signups.length > 0 && signups.length % pageSize === 0;
    };
    this.#reading = this.#reading.then(() => this.page.run(read));
    return this.#reading;
  }

  /** Shows the address of a signup, or masks it again. */
  async #toggle(id: string): Promise<void> {
    if (this.#shown.delete(id)) return this.requestUpdate();
    const { signups } = await request<{ signups: readonly StoredSignup[] }>(`signups?whole=true&id=${id}`);
    if (this.counts !== '') for (const { submission } of signups) if (submission) this.#shown.set(id, submission.email);
    // It may have been erased.
    await this.read();
  }

  protected override updated(changed: PropertyValues<this>): void {
    if (changed.has('counts') && this.counts !== '') void this.read();
  }

  protected override render(): TemplateResult {
    const { signups } = this;
    const chosen = (): void => {
      this.clear();
      void this.read();
    };
    return html`<label>
        State
        <select @change=${chosen}>
          <option value="">all</option>
          ${discardableStates.map((state) => html`<option>${state}</option>`)}
        </select>
      </label>
      ${repeat(
        signups ?? [],
        ({ id }) => id,
        (signup) => this.#row(signup),
      )}
      ${signups?.length === 0 ? html`<p class="empty">There is none. The snippet of a form, below, brings them.</p>` : nothing}
      ${this.hasMore ? button({ label: 'Show more', onClick: () => this.read(true) }) : nothing}`;
  }

  #row(signup: ListedSignup): TemplateResult {
    const { id, form, state, address, source, page, receivedAt, attempts, reason, status } = signup;
    const shown = this.#shown.get(id) ?? address;
    const words = [
      `form ${form}`,
      source && `from ${source}`,
      page && `on ${page.replace(/^(.{100}).+$/su, '$1…')}`,
      state !== 'delivered' && formatCount(attempts, 'attempt'),
      reason ?? (state === 'delivered' && status),
    ];
    return html`<article>
      <p class="address">
        ${
          address === null
            ? '(erased)'
            : button({
                label: html`<bdi>${shown}</bdi>`,
                name: `${shown === address ? 'Show' : 'Mask'} ${shown}`,
                kind: 'link',
                onClick: () => this.page.run(() => this.#toggle(id)),
              })
        }
        ${badge(state, moods[state])}
      </p>
      <p class="soft">
        ${dateTime(receivedAt)} ${words.filter(Boolean).map((each) => html` · <bdi>${each}</bdi>`)}
      </p>
      ${signupActions(signup, address, this.page)}
    </article>`;
  }
}

/** What a redrive does, by state. */
export const redriveLabels = { dead: 'Redrive', review: 'Let through', unconfirmed: 'Send' } as const;

/** A filter of the operator API, as query parameters. */
type Filter = Readonly<Record<string, string>>;

/** @param address - of the person, perhaps masked */
function signupActions(
  signup: Omit<StoredSignup, 'submission' | 'intent'>,
  address: string | null,
  page: OperatorActions,
): TemplateResult | typeof nothing {
  const { id, state } = signup;
  if (state !== 'dead' && state !== 'review' && state !== 'unconfirmed') return nothing;
  const text = `This deletes the signup of ${address ?? id}. It is never delivered. The consent ledger keeps its entry.`;
  return html`<div class="actions">
    ${isRedrivable(signup) ? redriveButton(redriveLabels[state], { id }, page) : nothing}
    ${discardButton('Discard…', { id, state }, text, page)}
  </div>`;
}

export function redriveButton(label: string, filter: Filter, page: OperatorActions): TemplateResult {
  return button({
    label,
    onClick: ({ currentTarget }) =>
      page.run(async () => {
        const query = new URLSearchParams(filter).toString();
        const { redriven } = await request<{ redriven: number }>(`redrive?${query}`, 'POST');
        toast(`${formatCount(redriven, 'signup')} queued again.`);
        await page.leaveList(currentTarget);
      }),
  });
}

/** @param text - what happens, for the confirmation */
export function discardButton(label: string, filter: Filter, text: string, page: OperatorActions): TemplateResult {
  return button({
    label,
    onClick: ({ currentTarget }) =>
      page.run(async () => {
        if (!(await page.confirm({ title: 'Delete for good?', text, yes: 'Delete' }))) return;
        const query = new URLSearchParams(filter).toString();
        const { discarded } = await request<{ discarded: number }>(`discard?${query}`, 'POST');
        toast(`${formatCount(discarded, 'signup')} deleted.`);
        await page.leaveList(currentTarget);
      }),
  });
}

/** Labels of facts; submitted fields keep the API's names. */
const labels: Readonly<Partial<Record<string, string>>> = {
  form: 'Form',
  site: 'Site',
  attempts: 'Attempts',
  settled: 'Settled',
  reason: 'Reason',
  subscription: 'Subscription',
  email: 'E-mail address',
  consent: 'Consent',
  sentence: 'Sentence',
  version: 'Version',
  page: 'Page',
  visitor: 'Visitor',
};

/** A signup with everything that is stored about it. */
export function signupDetails(signup: StoredSignup, page: OperatorActions): TemplateResult {
  const { state, submission, receivedAt } = signup;
  return html`<article>
    <h4>Signup: ${state}</h4>
    ${factsOf([['Received', new Date(receivedAt)], ...signupFacts(signup)])}
    ${signupActions(signup, submission?.email ?? null, page)}
  </article>`;
}

/** An entry of the consent ledger. */
export function consentDetails(entry: ConsentRecord): TemplateResult {
  return html`<article>
    <h4>Consent: ${wordsOfKind[entry.kind]}</h4>
    ${factsOf([['At', new Date(entry.at)], ...consentFacts(entry)])}
  </article>`;
}

/** Facts whose values have a direction of their own: an address stays readable on a right-to-left page. */
function factsOf(entries: readonly Fact[]): TemplateResult {
  return facts(
    entries.flatMap(([name, value]) => {
      const shown = value instanceof Date ? dateTime(value.getTime()) : value;
      return shown === null ? [] : [[labels[name] ?? name, html`<bdi>${shown}</bdi>`] as const];
    }),
  );
}

customElements.define('signup-list', SignupList);

declare global {
  interface HTMLElementTagNameMap {
    'signup-list': SignupList;
  }
}

/** `<signup-list>`: the signups of one state, loaded a page at a time once the list is opened. */
import { button, dateTime, facts, formatCount, formatNumber, PageElement, toast } from '@newsletter-kit/pages';
import { html, nothing, type TemplateResult } from 'lit';
import { repeat } from 'lit/directives/repeat.js';
import { auditFacts, statusWords, wordsOfKind } from '../src/ops/audit-facts.ts';
import { type ConsentRecord, isRedrivable, type SignupState, type StoredSignup } from '../src/store/signup-store.ts';
import { request, type OperatorActions } from './operator-api.ts';

/** Signups of one page. */
const pageSize = 25;

export class SignupList extends PageElement {
  static override properties = {
    signupState: { attribute: 'signup-state' },
    count: { type: Number },
    page: { attribute: false },
    signups: { state: true },
    hasMore: { state: true },
  };
  declare signupState: SignupState;
  declare count: number;
  declare page: OperatorActions;
  declare signups: readonly StoredSignup[];
  declare hasMore: boolean;

  constructor() {
    super();
    this.signups = [];
    this.hasMore = false;
  }

  /** Closes the list and forgets the signups. */
  clear(): void {
    this.signups = [];
    this.hasMore = false;
    this.querySelector('details')?.removeAttribute('open');
  }

  async #loadMore(): Promise<void> {
    const after = this.signups.at(-1)?.id;
    const query = new URLSearchParams({ state: this.signupState, limit: String(pageSize), ...(after && { after }) });
    const { signups } = await request<{ signups: readonly StoredSignup[] }>(`signups?${query.toString()}`);
    this.signups = [...this.signups, ...signups];
    this.hasMore = signups.length === pageSize;
  }

  #toggled({ currentTarget }: Event): void {
    this.signups = [];
    this.hasMore = false;
    if (currentTarget instanceof HTMLDetailsElement && currentTarget.open) void this.page.run(() => this.#loadMore());
  }

  protected override render(): TemplateResult {
    return html`<details @toggle=${(event: Event) => this.#toggled(event)}>
      <summary>Show ${formatNumber(this.count)} one by one</summary>
      ${repeat(
        this.signups,
        ({ id }) => id,
        (signup) => this.#row(signup),
      )}
      ${this.hasMore ? button({ label: 'Show more', onClick: () => this.page.run(() => this.#loadMore()) }) : nothing}
    </details>`;
  }

  #row(signup: StoredSignup): TemplateResult {
    const { id, form, state, submission, receivedAt, attempts, reason } = signup;
    return html`<article>
      <p class="address"><bdi>${submission?.email ?? '(erased)'}</bdi></p>
      <p class="soft"
        >${dateTime(receivedAt)} · form ${form} · ${formatCount(attempts, 'attempt')} ·
        ${reason ?? (state === 'review' ? 'suspected' : state)}</p
      >
      ${signupActions(signup, this.page, () => {
        this.signups = this.signups.filter((each) => each.id !== id);
      })}
    </article>`;
  }
}

/** What a redrive does, by state. */
export const redriveLabels = { dead: 'Redrive', review: 'Let through', unconfirmed: 'Send' } as const;

/** A filter of the operator API, as query parameters. */
type Filter = Readonly<Record<string, string>>;

/** @param removed - called once the signup has left its state */
export function signupActions(
  signup: StoredSignup,
  page: OperatorActions,
  removed: () => void,
): TemplateResult | typeof nothing {
  const { id, state, submission } = signup;
  if (state !== 'dead' && state !== 'review' && state !== 'unconfirmed') return nothing;
  const text = `This deletes the signup of ${submission?.email ?? id}. It is never delivered. The consent ledger keeps its entry.`;
  return html`<div class="actions">
    ${isRedrivable(signup) ? redriveButton(redriveLabels[state], { id }, page, removed) : nothing}
    ${discardButton('Discard…', { id, state }, text, page, removed)}
  </div>`;
}

/** @param removed - called once the signups have left their state */
export function redriveButton(
  label: string,
  filter: Filter,
  page: OperatorActions,
  removed: () => void,
): TemplateResult {
  return button({
    label,
    onClick: ({ currentTarget }) =>
      page.run(async () => {
        const query = new URLSearchParams(filter).toString();
        const { redriven } = await request<{ redriven: number }>(`redrive?${query}`, 'POST');
        toast(`${formatCount(redriven, 'signup')} queued again.`);
        await page.leaveList(currentTarget, removed);
      }),
  });
}

/** @param text - what happens, for the confirmation; @param removed - called once the signups are deleted */
export function discardButton(
  label: string,
  filter: Filter,
  text: string,
  page: OperatorActions,
  removed: () => void,
): TemplateResult {
  return button({
    label,
    onClick: ({ currentTarget }) =>
      page.run(async () => {
        if (!(await page.confirm({ title: 'Delete for good?', text, yes: 'Delete' }))) return;
        const query = new URLSearchParams(filter).toString();
        const { discarded } = await request<{ discarded: number }>(`discard?${query}`, 'POST');
        toast(`${formatCount(discarded, 'signup')} deleted.`);
        await page.leaveList(currentTarget, removed);
      }),
  });
}

/** Labels of submitted fields; all others keep the API's names. */
const fieldLabels: Readonly<Partial<Record<string, string>>> = {
  email: 'E-mail address',
  consent: 'Consent',
  page: 'Page',
};

/** A signup with everything that is stored about it. */
export function signupDetails(signup: StoredSignup, page: OperatorActions): TemplateResult {
  const { state, form, submission, origin, receivedAt, settledAt, reason, status, attempts } = signup;
  const { custom_fields: fields = [], audit, ...rest } = submission ?? {};
  return html`<article>
    <h4>Signup: ${state}</h4>
    ${factsOf([
      ['Received', dateTime(receivedAt)],
      ['Form', form],
      ['Site', origin],
      ['Attempts', String(attempts)],
      ['Settled', settledAt === null ? null : dateTime(settledAt)],
      ['Reason', reason],
      ['Subscription', state === 'delivered' ? statusWords(status) : null],
      ...Object.entries(rest).map(([name, value]) => [fieldLabels[name] ?? name, String(value)] as const),
      ...fields.map(({ name, value }) => [`Field “${name}”`, String(value)] as const),
      ...auditFacts(audit).map(([name, value]) => [fieldLabels[name] ?? name, value] as const),
    ])}
    ${signupActions(signup, page, () => undefined)}
  </article>`;
}

/** An entry of the consent ledger. */
export function consentDetails({
  kind,
  at,
  form,
  sentence,
  version,
  page,
  visitor,
  status,
}: ConsentRecord): TemplateResult {
  return html`<article>
    <h4>Consent: ${wordsOfKind[kind]}</h4>
    ${factsOf([
      ['At', dateTime(at)],
      ['Form', form],
      ['Sentence', sentence],
      ['Version', version],
      ['Page', page],
      ['Visitor', visitor],
      ['Subscription', status ?? null],
    ])}
  </article>`;
}

/** Facts whose values have a direction of their own: an address stays readable on a right-to-left page. */
function factsOf(entries: readonly (readonly [name: string, value: string | TemplateResult | null])[]): TemplateResult {
  return facts(
    entries.flatMap(([name, value]) => (value === null ? [] : [[name, html`<bdi>${value}</bdi>`] as const])),
  );
}

customElements.define('signup-list', SignupList);

declare global {
  interface HTMLElementTagNameMap {
    'signup-list': SignupList;
  }
}

/** `<person-search>`: finds, exports and erases everything that is stored about a person. */
import { button, formatCount, formatNumber, PageElement, toast } from '@newsletter-kit/pages';
import { html, nothing, type TemplateResult } from 'lit';
import { mailsLine } from '../src/ops/audit-facts.ts';
import type { HeldAboutPerson } from '../src/store/signup-store.ts';
import { request, type OperatorActions } from './operator-api.ts';
import { consentDetails, signupDetails } from './signup-list.ts';

/** How long a browser may take to begin a download, in milliseconds. */
const downloadMs = 60_000;

/** What is stored about an address. */
interface Found extends HeldAboutPerson {
  readonly email: string;
}

export class PersonSearch extends PageElement {
  static override properties = { page: { attribute: false }, found: { state: true } };
  declare page: OperatorActions;
  declare found: Found | undefined;

  /** Removes the address and what was found. */
  clear(): void {
    this.found = undefined;
    const address = this.#address();
    if (address) address.value = '';
  }

  /** Shows what is stored about the address that was entered, and moves the focus there. */
  async search(): Promise<void> {
    const address = this.#address()?.value.trim() ?? '';
    if (address === '') return;
    this.found = { email: address, ...(await request<HeldAboutPerson>('person', 'POST', { address })) };
    await this.updateComplete;
    this.querySelector<HTMLElement>('#person h3')?.focus();
  }

  #address(): HTMLInputElement | null {
    return this.querySelector<HTMLInputElement>('#address');
  }

  protected override render(): TemplateResult {
    const search = (event: SubmitEvent): void => {
      event.preventDefault();
      void this.page.run(() => this.search());
    };
    return html`<section aria-labelledby="person-title">
      <h2 id="person-title">Find a person</h2>
      <p id="person-about" class="soft"
        >Everything held about an address, in any spelling: signups in every state, and the consent ledger.</p
      >
      <form id="find" role="search" aria-labelledby="person-title" @submit=${search}>
        <label for="address">E-mail address</label>
        <div class="joined">
          <input
            id="address"
            type="text"
            inputmode="email"
            autocomplete="off"
            autocapitalize="none"
            spellcheck="false"
            required
            dir="ltr"
            aria-describedby="person-about"
          />
          <button class="primary">Search</button>
        </div>
      </form>
      <div id="person" ?hidden=${!this.found}>${this.found ? this.#result(this.found) : nothing}</div>
    </section>`;
  }

  #result(found: Found): TemplateResult {
    const { email, signups, consents, mails, suppressed } = found;
    const mailed = mails.map((record) => html`<p>${mailsLine(record)}.</p>`);
    if (signups.length + consents.length === 0)
      return html`<h3 tabindex="-1"
        ><bdi>${email}</bdi>: ${suppressed ? 'erased; a hash of the address is held' : 'nothing is held'}</h3
        >${mailed}`;
    return html`<h3 tabindex="-1"><bdi>${email}</bdi>: ${countHeld(signups.length, consents.length)}</h3>
      <div class="actions">
        ${button({ label: 'Download everything', onClick: () => download({ signups, consents, mails, suppressed }) })}
        ${button({ label: 'Erase…', kind: 'danger', onClick: () => this.page.run(() => this.#erase(found)) })}
      </div>
      ${mailed} ${signups.map((signup) => signupDetails(signup, this.page))} ${consents.map(consentDetails)}`;
  }

  async #erase({ email, signups, consents }: Found): Promise<void> {
    const undelivered = signups.filter(({ state }) => state !== 'delivered').length;
    const lost =
      undelivered === 0
        ? ''
        : `${undelivered === 1 ? 'One signup that is' : `${formatNumber(undelivered)} signups that are`} not yet delivered never will be. `;
    const agreed = await this.page.confirm({
      title: 'Erase this person?',
      text: `This deletes ${countHeld(signups.length, consents.length)} of ${email}. ${lost}A hash of the address stays, to leave it out of imports. What the newsletter service has of this person is not erased here.`,
      yes: 'Erase',
      controls:
        consents.length > 0
          ? html`<label id="keep" class="choice">
              <input id="keep-consent" type="checkbox" />
              <span>Keep the entries of the consent ledger. They hold no address, only a hash of it.</span>
            </label>`
          : nothing,
    });
    if (!agreed) return;
    const keepConsent = document.querySelector<HTMLInputElement>('#keep-consent')?.checked ?? false;
    const erased = await request<{ signups: number; consents: number }>('erase', 'POST', {
      address: email,
      keepConsent,
    });
    toast(`Erased: ${countHeld(erased.signups, erased.consents)}.`);
    await this.page.refresh();
    await this.search();
  }
}

function countHeld(signups: number, entries: number): string {
  return `${formatCount(signups, 'signup')} and ${formatCount(entries, 'entry', 'entries')} of the consent ledger`;
}

function download(data: HeldAboutPerson): void {
  const url = URL.createObjectURL(new Blob([JSON.stringify(data, null, 2)], { type: 'application/json' }));
  const link = document.createElement('a');
  link.href = url;
  link.download = 'held-about-person.json';
  link.click();
  setTimeout(() => URL.revokeObjectURL(url), downloadMs);
}

customElements.define('person-search', PersonSearch);

declare global {
  interface HTMLElementTagNameMap {
    'person-search': PersonSearch;
  }
}

/** `<docs-page>`: lists every operation of the API's description, and shows the chosen one. */
import { PageElement, toastError } from '@newsletter-kit/pages';
import { html, nothing, type TemplateResult } from 'lit';
import { operationsOf, type Description, type Operation } from './description.ts';
import { operationView, overview } from './docs-operation.ts';

class DocsPage extends PageElement {
  static override properties = { description: { state: true }, chosenId: { state: true }, query: { state: true } };
  declare description: Description | undefined;
  /** The operation that the address names. */
  declare chosenId: string;
  /** What was typed to find an operation. */
  declare query: string;
  readonly #wide = matchMedia('(min-width: 56.01rem)');

  constructor() {
    super();
    this.chosenId = '';
    this.query = '';
  }

  override connectedCallback(): void {
    super.connectedCallback();
    addEventListener('hashchange', () => void this.#choose(true));
    this.#read().catch(toastError);
  }

  async #read(): Promise<void> {
    this.description = (await (await fetch('/openapi.json')).json()) as Description;
    await this.#choose(false);
  }

  protected override firstUpdated(): void {
    const fold = (): void => void this.#list()?.toggleAttribute('open', this.#wide.matches);
    this.#wide.addEventListener('change', fold);
    fold();
  }

  #list(): HTMLDetailsElement | null {
    return this.querySelector<HTMLDetailsElement>('#operations');
  }

  /** Shows the operation that the address names. @param moved - whether a person followed a link */
  async #choose(moved: boolean): Promise<void> {
    if (location.hash === '#main') return;
    this.chosenId = decodeURIComponent(location.hash.slice(2));
    await this.updateComplete;
    if (!moved) return this.querySelector('#list [aria-current]')?.scrollIntoView({ block: 'nearest' });
    this.#list()?.toggleAttribute('open', this.#wide.matches);
    const main = this.querySelector<HTMLElement>('#main');
    if (main) main.scrollTop = 0;
    main?.focus({ preventScroll: true });
    if (!this.#wide.matches) scrollTo(0, 0);
  }

  protected override render(): TemplateResult {
    const { description } = this;
    const operations = description ? operationsOf(description) : [];
    const chosen = operations.find(({ object }) => object.operationId === this.chosenId);
    document.title = `${chosen?.object.operationId ?? 'Newsletter Publishing API'} – sandbox`;
    return html`<nav aria-label="Operations">
        <details id="operations" class="operations">
          <summary>Operations</summary>
          <input
            id="search"
            type="search"
            placeholder="Find an operation"
            aria-label="Find an operation"
            autocomplete="off"
            spellcheck="false"
            @input=${({ currentTarget }: InputEvent) => {
              if (currentTarget instanceof HTMLInputElement) this.query = currentTarget.value;
            }}
          />
          <div id="list">${description?.tags.map(({ name }) => this.#group(name, operations))}</div>
        </details>
      </nav>
      <main id="main" tabindex="-1">${
        description ? (chosen ? operationView(chosen, description) : overview(description)) : nothing
      }</main>`;
  }

  #group(tag: string, operations: readonly Operation[]): TemplateResult {
    const words = this.query.toLowerCase().split(/\s+/);
    const items = operations
      .filter(({ object }) => object.tags.includes(tag))
      .map(({ method, object: { operationId, summary } }) => {
        const text = `${operationId} ${summary} ${tag}`.toLowerCase();
        return { method, operationId, summary, isHidden: !words.every((word) => text.includes(word)) };
      });
    return html`<section ?hidden=${items.every(({ isHidden }) => isHidden)}>
      <h2>${tag}</h2>
      <ul>
        ${items.map(
          ({ method, operationId, summary, isHidden }) => html`<li ?hidden=${isHidden}>
            <a href="#/${operationId}" aria-current=${operationId === this.chosenId ? 'page' : nothing}
              ><span class="method" data-method=${method}>${method.toUpperCase()}</span>${summary}</a
            >
          </li>`,
        )}
      </ul>
    </section>`;
  }
}

customElements.define('docs-page', DocsPage);

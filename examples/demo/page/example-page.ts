/** `<example-page>`: a page to copy from in a frame, unchanged, beside what arrived from its form. */
import { copyButton, PageElement } from '@newsletter-kit/pages';
import { html, type TemplateResult } from 'lit';
import { arrivalFeed } from './arrivals.ts';
import './latest-arrival.ts';

class ExamplePage extends PageElement {
  static override properties = { file: {}, heading: {}, language: {}, source: { state: true } };
  declare file: string;
  declare heading: string;
  declare language: string;
  declare source: string;

  constructor() {
    super();
    this.file = '';
    this.heading = '';
    this.language = 'en';
    this.source = '';
  }

  override connectedCallback(): void {
    super.connectedCallback();
    void fetch(this.#address())
      .then((response) => response.text())
      .then((source) => (this.source = source));
  }

  /** With the campaign of this page's address, which the form in the frame reads from its own. */
  #address(): string {
    return `/pages/${this.file}${location.search}`;
  }

  protected override render(): TemplateResult {
    return html`<header class="bar">
        <nav aria-label="Pages"><a href="/pages/">All pages</a></nav>
        <h1 lang=${this.language}>${this.heading}</h1>
        <p class="actions">
          <a class="button" href=${this.#address()}>Open alone</a>
          ${copyButton(this.source, 'the source of this page', 'Copy source')}
        </p>
      </header>
      <main id="main" tabindex="-1">
        <iframe
          title=${`The page ${this.file}`}
          src=${this.#address()}
          @load=${({ currentTarget }: Event) => {
            if (currentTarget instanceof HTMLIFrameElement && currentTarget.contentDocument)
              arrivalFeed.measureSubmits(currentTarget.contentDocument);
          }}
        ></iframe>
        <latest-arrival></latest-arrival>
      </main>
      <page-toast></page-toast>`;
  }
}

customElements.define('example-page', ExamplePage);

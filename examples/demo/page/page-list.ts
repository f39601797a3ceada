/** `<page-list>`: links to the pages of examples/pages. */
import { PageElement } from '@newsletter-kit/pages';
import { html, type TemplateResult } from 'lit';

class PageList extends PageElement {
  static override properties = { pages: { type: Array } };
  declare pages: readonly (readonly [file: string, title: string, language: string])[];

  constructor() {
    super();
    this.pages = [];
  }

  protected override render(): TemplateResult {
    return html`<ul class="cards">
      ${this.pages.map(
        ([file, title, language]) =>
          html`<li><a href=${file} lang=${language}>${title}</a> <code class="soft">${file}</code></li>`,
      )}
    </ul>`;
  }
}

customElements.define('page-list', PageList);

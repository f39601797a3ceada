/** `<page-list>`: the pages of examples/pages as a gallery. */
import { PageElement } from '@newsletter-kit/pages';
import { html, type TemplateResult } from 'lit';

/** A page to copy from. */
interface ExamplePage {
  readonly file: string;
  readonly title: string;
  readonly language: string;
}

class PageList extends PageElement {
  static override properties = { pages: { type: Array } };
  declare pages: readonly ExamplePage[];

  constructor() {
    super();
    this.pages = [];
  }

  protected override render(): TemplateResult {
    return html`<ul class="cards">
      ${this.pages.map(({ file, title, language }) => {
        const name = file.replace('.html', '');
        return html`<li>
          <a href=${name} lang=${language}>${title}</a>
          <code class="soft">${file}</code>
          <picture>
            <source srcset="/pages/pictures/${name}-dark.webp" media="(prefers-color-scheme: dark)" />
            <img src="/pages/pictures/${name}-light.webp" width="640" height="480" alt="" loading="lazy" />
          </picture>
        </li>`;
      })}
    </ul>`;
  }
}

customElements.define('page-list', PageList);

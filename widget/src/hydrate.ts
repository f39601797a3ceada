/**
 * Registers the elements on pages whose server rendered them: forms that are there already are taken over as they
 * stand.
 */
import { hydrate } from '@lit-labs/ssr-client';
import type { PropertyValues } from 'lit';
import { NewsletterField, NewsletterSignup } from './index.ts';

/**
 * Hydrates by itself, so that it matters neither which of Lit's modules a bundler puts first nor what else of the page
 * stands on Lit. Where the server's form is not the one this page wants, it renders anew and keeps what the visitor had
 * entered.
 */
class HydratedSignup extends NewsletterSignup {
  protected override update(changed: PropertyValues<this>): void {
    const { renderRoot, renderOptions } = this;
    const form = this.hasUpdated ? null : renderRoot.querySelector('form');
    if (!form) return super.update(changed);
    const before = Array.from(form.querySelectorAll('input'));
    const focused = before.find((input) => input.matches(':focus'));
    // Lit looks for what it rendered at the node it would render before: here that is the server's style sheet.
    renderOptions.renderBefore = null;
    try {
      hydrate(this.render(), renderRoot, renderOptions);
      super.update(changed);
    } catch {
      renderRoot.replaceChildren();
      // Lit keeps its state at this node: a new one begins anew.
      renderOptions.renderBefore = renderRoot.appendChild(document.createComment(''));
      super.update(changed);
      for (const input of renderRoot.querySelectorAll('input')) {
        const same = before.find(
          ({ name, defaultValue }) => name === input.name && defaultValue === input.defaultValue,
        );
        if (!same) continue;
        input.value = same.value;
        input.checked = same.checked;
        if (same === focused) input.focus();
      }
    }
  }
}

function define(): void {
  if (!customElements.get('newsletter-field')) customElements.define('newsletter-field', NewsletterField);
  if (!customElements.get('newsletter-signup')) customElements.define('newsletter-signup', HydratedSignup);
}

// A form is taken over when all of it is there, with the fields that stand behind it.
if (document.readyState === 'loading') document.addEventListener('DOMContentLoaded', define);
else define();

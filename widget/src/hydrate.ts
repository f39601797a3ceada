/** Registers the elements on pages whose server rendered them: the forms in the page are hydrated. */
import { hydrate } from '@lit-labs/ssr-client';
import type { PropertyValues } from 'lit';
import { NewsletterField, NewsletterSignup } from './index.ts';

/**
 * Calls Lit's `hydrate` itself instead of patching LitElement: then neither the order of modules nor other Lit elements
 * of the page matter. If the server rendered another form, it renders again and keeps the visitor's values.
 */
class HydratedSignup extends NewsletterSignup {
  protected override update(changed: PropertyValues<this>): void {
    const { renderRoot, renderOptions } = this;
    const form = this.hasUpdated ? null : renderRoot.querySelector('form');
    if (!form) return super.update(changed);
    const before = Array.from(form.querySelectorAll('input'));
    const focused = before.find((input) => input.matches(':focus'));
    // Lit keeps its state at the node `renderBefore`, which would be the server's style sheet.
    renderOptions.renderBefore = null;
    try {
      hydrate(this.render(), renderRoot, renderOptions);
      super.update(changed);
    } catch {
      renderRoot.replaceChildren();
      // A new node has no state from the failed hydration.
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

// Hydration needs the whole form, with the fields after its template.
if (document.readyState === 'loading') document.addEventListener('DOMContentLoaded', define);
else define();

/** Registers the elements on pages whose server rendered them: forms that are there already are taken over as they stand. */
import '@lit-labs/ssr-client/lit-element-hydrate-support.js';
import { LitElement, type PropertyValues } from 'lit';
import { NewsletterField, NewsletterSignup } from './index.ts';

// Lit asks for its support when it is evaluated. A bundler may have put that first, or another element of the page.
if (!Object.hasOwn(LitElement, 'observedAttributes')) globalThis.litElementHydrateSupport?.({ LitElement });

declare global {
  /** How Lit's base class is told to take over what a server rendered; put there by `@lit-labs/ssr-client`. */
  var litElementHydrateSupport: ((base: { readonly LitElement: typeof LitElement }) => void) | undefined;
}

/** The visitor's side of a control. */
interface Typed {
  readonly name: string;
  readonly value: string;
  checked: boolean;
}

/** A form that renders anew where the server's is not the one this page wants, and keeps what the visitor had entered. */
class HydratedSignup extends NewsletterSignup {
  protected override update(changed: PropertyValues<this>): void {
    try {
      super.update(changed);
    } catch {
      const before = this.#inputs;
      const focused = before.find((input) => input === this.shadowRoot?.activeElement)?.name;
      this.renderRoot.replaceChildren();
      Reflect.deleteProperty(this.renderRoot, '_$litPart$');
      Reflect.set(this.renderOptions, 'renderBefore', null);
      super.update(changed);
      for (const input of this.#inputs) restore(input, before);
      this.#inputs.find(({ name }) => name === focused)?.focus();
    }
  }

  get #inputs(): readonly HTMLInputElement[] {
    return Array.from(this.renderRoot.querySelectorAll('input'));
  }
}

function restore(input: HTMLInputElement, typed: readonly Typed[]): void {
  const same = typed.filter(({ name }) => name === input.name);
  if (/^(checkbox|radio)$/.test(input.type)) input.checked = same.find(({ value }) => value === input.value)?.checked ?? input.checked;
  else input.value = same[0]?.value ?? input.value;
}

function define(): void {
  if (!customElements.get('newsletter-field')) customElements.define('newsletter-field', NewsletterField);
  if (!customElements.get('newsletter-signup')) customElements.define('newsletter-signup', HydratedSignup);
}

// A form is taken over when all of it is there, with the fields that stand behind it.
if (document.readyState === 'loading') document.addEventListener('DOMContentLoaded', define);
else define();

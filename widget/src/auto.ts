/**
 * Entry of the one-file script: registers the elements, and mounts forms on pages of systems that strip unknown tags:
 * into each `<div data-newsletter-signup>`, or in place of the script itself.
 */
import { currentScript } from './chunks.ts';
import './define.ts';
import { splitChoices } from './form.ts';

/**
 * An element with these attributes, spelled as in `dataset`. No event handlers: who may write `data-*` may not always
 * write code.
 */
function make(name: string, attributes: DOMStringMap): Element {
  const element = document.createElement(name);
  for (const [key, value = ''] of Object.entries(attributes))
    if (!key.startsWith('on')) element.setAttribute(key.replace(/[A-Z]/g, '-$&'), value);
  return element;
}

/**
 * Whatever arrives in a place moves into its form, which shows none of it but a form of the owner's. So this may run at
 * any time, any number of times, in any number of copies.
 */
function mount(): void {
  for (const field of document.querySelectorAll<HTMLElement>('[data-newsletter-field]'))
    field.replaceWith(make('newsletter-field', field.dataset));
  for (const host of document.querySelectorAll<HTMLElement>('body [data-newsletter-signup]')) {
    let form: Element | null = host.querySelector('newsletter-signup');
    if (!form) {
      form = make('newsletter-signup', host.dataset);
      form.append(...splitChoices(host.dataset['fields'] ?? '').map((name) => make('newsletter-field', { name })));
      if (host.matches('script')) host.replaceWith(form);
      else host.append(form);
    }
    for (const node of Array.from(host.childNodes)) if (node !== form) form.append(node);
  }
}

// Modules do not know their own script: those say data-newsletter-signup, like everybody else.
if (currentScript instanceof HTMLElement && currentScript.dataset['endpoint'])
  currentScript.dataset['newsletterSignup'] = '';
mount();
new MutationObserver(mount).observe(document, { childList: true, subtree: true });

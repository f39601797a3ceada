/**
 * Entry of the script file: registers the elements, and creates forms on pages whose system removes unknown tags: in
 * each `<div data-newsletter-signup>`, or in place of the script element.
 */
import { currentScript } from './chunks.ts';
import './define.ts';
import { splitChoices } from './form.ts';
import { make } from './make.ts';

/**
 * Creates the forms that are missing, and moves the content of each `div` into its form, which hides it unless it is a
 * form of the page. Idempotent: it runs at every change of the page, and in every copy of the script.
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
    const { activeElement } = document;
    for (const node of Array.from(host.childNodes)) if (node !== form) form.append(node);
    // A moved element loses the focus.
    if (form.contains(activeElement)) (activeElement as HTMLElement).focus({ preventScroll: true });
  }
}

// A module cannot find its own script element: it needs the attribute data-newsletter-signup, as a div does.
if (currentScript?.dataset?.['endpoint']) currentScript.dataset['newsletterSignup'] = '';
mount();
new MutationObserver(mount).observe(document, { childList: true, subtree: true });

/** Renders `<newsletter-signup>`: head, form, result and small print on one surface, and the dialog around it. */
import { html, nothing, type TemplateResult } from 'lit';
import { customFieldsTemplate, emailField, type Field } from './field.ts';
import type { FormView } from './form.ts';
import type { FormMessages } from './messages.ts';

/** Everything that decides what the element shows. */
interface Shown {
  readonly texts: FormMessages;
  readonly view: FormView;
  readonly layout: string;
  readonly endpoint: string;
  readonly fields: readonly Field[];
  /** True where the form in use is the owner's, inside the element. */
  readonly isOwners: boolean;
  /** The dialog's file; once it failed to load, the form is shown in place of the dialog. */
  readonly dialog: 'loading' | 'loaded' | 'failed';
}

const tick = html`<svg part="tick" viewBox="0 0 24 24" aria-hidden="true"><path d="m5 13 5 5L20 7" /></svg>`;

export function signupTemplate(shown: Shown): TemplateResult {
  const { texts, layout, dialog } = shown;
  const surface = surfaceTemplate(shown);
  if (layout !== 'dialog' || dialog === 'failed') return surface;
  // Lit renders `false` as text.
  return html`<slot name="trigger"></slot>
    ${
      dialog === 'loaded'
        ? html`<dialog part="dialog" aria-labelledby="head" aria-label=${texts.button}>
            ${surface}
            <form method="dialog"><button part="close" aria-label=${texts.close}>×</button></form>
          </dialog>`
        : nothing
    }`;
}

function surfaceTemplate({ texts, view, layout, endpoint, fields, isOwners }: Shown): TemplateResult {
  const { state, notice, isSilent, inbox } = view;
  const isDone = state === 'success';
  // On one line, and in a frame: only where the form asks for nothing but the address.
  const isRow = ['inline', 'joined', 'cover'].includes(layout) && !isOwners && fields.every(({ has }) => has('hidden'));
  const isFramed = isRow && layout !== 'inline';
  const isPanel = ['card', 'cover', 'dialog'].includes(layout);
  const classes = [layout, isOwners && 'owners', isRow && 'row', isFramed && 'framed', state === 'busy' && state];
  const form = isOwners
    ? html`<slot ?hidden=${isDone}></slot>`
    : html`<form part=${isFramed ? 'form frame' : 'form'} method="post" action=${endpoint} ?hidden=${isDone}>
        ${emailField(texts, isFramed)}${customFieldsTemplate(fields, texts)}
        <button part="button"><span part="button-text">${texts.button}</span></button>
      </form>`;
  const heading = html`<strong part="thanks" role="heading" aria-level="2" tabindex="-1">${texts.thanks}</strong>`;
  const link = inbox && html`<a part="inbox" href=${inbox} target="_blank">${texts.inbox}</a>`;
  const thanks = html`${tick}${heading} <span>${texts.success}</span><slot name="thanks"></slot>${link}`;
  return html`<div part="surface" class=${classes.filter(Boolean).join(' ')}>
    <slot name="picture" ?hidden=${layout !== 'cover'}></slot>
    <div part=${isPanel ? 'content panel' : 'content'}>
      <slot name="head" part="head" id="head" ?hidden=${isDone}></slot>
      ${form}
      <slot name="turnstile"></slot>
      <div part="notice" class=${state} role="status" aria-live=${isSilent ? 'off' : nothing}>${isDone ? thanks : notice?.(texts)}</div>
      <slot name="note" ?hidden=${isDone}></slot>
      <slot name="proof" ?hidden=${isDone}></slot>
    </div>
  </div>`;
}

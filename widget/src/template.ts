/** Templates of `<newsletter-signup>`: the surface, and a label and a control for each field. */
import { html, nothing, type TemplateResult } from 'lit';
import { honeypotField, partsOfLabel, type LabelPart } from '@newsletter-kit/core/signup';
import { isSet, splitChoices, webAddress, type FormView } from './form.ts';
import type { Messages } from './messages.ts';
import { warn } from './warnings.ts';

/**
 * Kinds with more than a plain text input: its type, the on-screen keyboard, and the earliest date, because browsers
 * with another order of day and year make the year 501 of a typed `1990-05-01`. The key can be any word.
 */
const textInputs: Readonly<Partial<Record<string, Partial<Record<'type' | 'inputMode' | 'min', string>>>>> = {
  // Not `type="email"`: only Chromium converts an international domain to Punycode, and the same person would have two
  // addresses. Endpoints normalize addresses.
  email: { inputMode: 'email' },
  integer: { inputMode: 'numeric' },
  double: { inputMode: 'decimal' },
  date: { type: 'date', min: '1900-01-01' },
  datetime: { type: 'datetime-local', min: '1900-01-01T00:00' },
};

/** With more options than this, a single choice is a `<select>` instead of radio buttons. */
const radioLimit = 7;

/** What a field reads of its attributes. */
const attributesOf = (source: Pick<Element, 'getAttribute'>) => ({
  text: (attribute: string) => source.getAttribute(attribute)?.trim() ?? '',
  has: (attribute: string) => isSet(source, attribute),
});

/** One field: its attributes and the name of its control, which is unique in the form. */
type Field = ReturnType<typeof attributesOf> & { readonly name: string };

/**
 * The field for the email address, the first of every form.
 *
 * @param hidesLabel - shows an example in the input instead of the label
 */
function emailField(texts: Messages, hidesLabel: boolean): Field {
  const attributes: Readonly<Record<string, string>> = {
    kind: 'email',
    label: texts.emailLabel,
    placeholder: texts.emailPlaceholder || (hidesLabel ? 'name@example.com' : ''),
    autocomplete: 'email',
    required: '',
  };
  return { name: 'email', ...attributesOf({ getAttribute: (name) => attributes[name] ?? null }) };
}

/**
 * The custom fields of a form, by the name of their controls: a moved field keeps its value, a field with another name
 * is another field. A field without a name and a second field with the same name are left out with a warning.
 *
 * Read from attributes, so that the order in which the browser upgrades the elements does not matter.
 */
function customFields(host: Element): readonly Field[] {
  const fields = new Map<string, Field>();
  for (const element of host.querySelectorAll('newsletter-field')) {
    const { text, has } = attributesOf(element);
    const isConsent = text('kind') === 'consent';
    const name = isConsent ? 'consent' : `custom_fields[${text('name')}]`;
    if (!isConsent && !text('name')) warn(host, 'field', 'has a field without a name: it is left out.');
    else if (fields.has(name))
      warn(host, 'field', `has two fields "${text('name') || 'consent'}": the second is left out.`);
    else fields.set(name, { name, text, has });
  }
  return [...fields.values()];
}

/** @param id - of the control: a field's name may not be a valid id */
function fieldTemplate({ name: key, text, has }: Field, id: string, texts: Messages): TemplateResult {
  const kind = text('kind');
  const label = text('label') || text('name');
  const value = text('value');
  const required = has('required');
  const isList = kind === 'list';
  const options = splitChoices(text('options'));
  const { type = 'text', inputMode, min } = textInputs[kind] ?? {};
  const hasChoice = !!options[0] && (isList || (type === 'text' && !inputMode));
  const name = key + (isList && hasChoice ? '[]' : '');

  if (has('hidden'))
    return html`<input type="hidden" name=${name} data-kind=${kind} data-from=${text('from')} value=${value} />`;

  // Without `aria-invalid`, Chromium reports a required checkbox as invalid before it is touched.
  const box = (type: string, part: string, choice: string, words: unknown, isChosen = false): TemplateResult =>
    html`<label part=${part}><input part="box" type=${type} name=${name} data-kind=${kind} value=${choice} aria-invalid="false" ?checked=${isChosen} ?required=${required && !hasChoice} /> <span>${words}</span></label>`;
  if (kind === 'boolean')
    return html`<div part="field">${box('checkbox', 'choice', 'true', label, value === 'true')}</div>`;
  if (kind === 'consent') {
    const parts = partsOfLabel(label, text('href'));
    return html`<div part="field">${box('checkbox', 'choice', parts.map((part) => part.text).join(''), parts.map(withLink))}</div>`;
  }

  const remarks = [isList && !hasChoice && texts.listHint, !required && texts.optional].filter(Boolean).join(' ');
  // The space is part of the label: browsers remove a space between elements from the accessible name.
  const title = html`${label + ' '}${remarks && html`<small part="remark">${remarks}</small>`}`;
  const chosen = splitChoices(value);
  if (hasChoice && !isList && options.length > radioLimit)
    return html`<div part="field">
      <label part="label" for=${id}>${title}</label>
      <select part="input" id=${id} name=${name} data-kind=${kind} ?required=${required}>
        <option value="">${text('placeholder')}</option>
        ${options.map((option) => html`<option ?selected=${chosen.includes(option)}>${option}</option>`)}
      </select>
    </div>`;
  if (hasChoice)
    return html`<fieldset part="field" ?data-required=${required}>
      <legend part="label">${title}${required ? html`<small class="unseen">${texts.required}</small>` : nothing}</legend>
      <div part="chips">${options.map((option) => box(isList ? 'checkbox' : 'radio', 'choice chip', option, option, chosen.includes(option)))}</div>
    </fieldset>`;

  return html`<div part="field">
    <label part="label" for=${id}>${title}</label>
    <input
      part="input"
      id=${id}
      name=${name}
      data-kind=${kind}
      type=${type}
      inputmode=${inputMode ?? nothing}
      autocomplete=${text('autocomplete') || nothing}
      autocapitalize=${kind === 'email' ? 'off' : nothing}
      placeholder=${text('placeholder')}
      min=${text('min') || (min ?? nothing)}
      maxlength="2000"
      value=${value}
      ?required=${required}
    />
  </div>`;
}

/** A part of a sentence; a link opens a new tab, so that the form is kept. */
const withLink = ({ text, address }: LabelPart): unknown =>
  webAddress(address) ? html`<a href=${address} target="_blank">${text}</a>` : text;

/** Every layout, the default first. */
export const layouts = ['inline', 'joined', 'stacked', 'card', 'cover', 'dialog'] as const;

/** What the surface shows. */
interface Shown {
  readonly host: Element;
  readonly texts: Messages;
  readonly view: FormView;
  readonly layout: (typeof layouts)[number];
  /** Of the element's own form; undefined where the form in use is the page's, inside the element. */
  readonly endpoint: string | undefined;
}

const tick = html`<svg part="tick" width="20" viewBox="0 0 24 24" aria-hidden="true"><path d="m5 13 5 5L20 7" /></svg>`;

/** The page's content while the element has no form of its own: in a block, as its margins expect it. */
export const pageContent: TemplateResult = html`<div><slot></slot><slot name="fallback"></slot></div>`;

export function surfaceTemplate({ host, texts, view, layout, endpoint }: Shown): TemplateResult {
  const { state, notice, isSilent } = view;
  const isOwners = endpoint === undefined;
  const fields = isOwners ? [] : customFields(host);
  const isDone = state === 'success';
  // The button shows it; that of the page's form cannot.
  const isBusy = state === 'busy' && !isOwners;
  // On one line, or in a frame: only if the email address is the only visible field.
  const isRow = ['inline', 'joined', 'cover'].includes(layout) && !isOwners && fields.every(({ has }) => has('hidden'));
  const isFramed = isRow && layout !== 'inline';
  const isPanel = ['card', 'cover', 'dialog'].includes(layout);
  const classes = [layout, isOwners && !isPanel && 'owners', isRow && 'row', isFramed && 'framed', isBusy && 'busy'];
  const form = isOwners
    ? pageContent
    : html`<form part=${isFramed ? 'form frame' : 'form'} method="post" action=${endpoint}>
        ${fieldTemplate(emailField(texts, isFramed), 'email', texts)}${fields.map((field, position) => fieldTemplate(field, `field-${position}`, texts))}
        <button part="button"><span part="button-text">${texts.button}</span></button>
        <input name=${honeypotField} hidden />
      </form>`;
  const thanks = html`${tick}<strong part="thanks" role="heading" aria-level="2" tabindex="-1">${texts.thanks}</strong> <span>${texts.success}</span><slot name="thanks"></slot>`;
  return html`<div part="surface" class=${classes.filter(Boolean).join(' ')}>
    <slot name="picture" ?hidden=${layout !== 'cover'}></slot>
    <div part=${isPanel ? 'content panel' : 'content'}>
      <div class="front" aria-hidden=${isDone}>
        <div part="head" id="head" ?hidden=${!host.querySelector('[slot=head]')}><slot name="head"></slot></div>
        ${form}
        <slot name="turnstile"></slot>
      </div>
      <div part="notice" class=${isBusy ? 'unseen' : state} role="status" aria-live=${isSilent ? 'off' : nothing}>${isDone ? thanks : notice?.(texts)}</div>
      <div class="foot" aria-hidden=${isDone} ?hidden=${!host.querySelector('[slot=proof],[slot=note]')}><slot name="proof"></slot><slot name="note"></slot></div>
    </div>
  </div>`;
}

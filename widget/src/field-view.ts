/** How one field looks: a label and the control its kind asks for. */
import { html, nothing, type TemplateResult } from 'lit';
import { parseUrl } from '@newsletter-kit/core/signup';
import { splitChoices, textInputs } from './kinds.ts';
import type { Messages } from './messages.ts';

/** The attributes of a `<newsletter-field>`, or of what stands for one. */
type Attributes = (name: string) => string | null;

/** The first field of every form. */
export function addressView(texts: Messages): TemplateResult | undefined {
  const attributes: Readonly<Record<string, string>> = {
    kind: 'email',
    label: texts.emailLabel,
    placeholder: texts.emailPlaceholder,
    autocomplete: 'email',
    required: '',
  };
  return fieldView((name) => attributes[name] ?? null, 'email', texts);
}

/**
 * Renders a field from attributes, so that it makes no difference which element the browser upgrades first. Its
 * controls have the names of a post without JavaScript.
 *
 * @param id - id of the control; names are anybody's words and may not be fit for one
 */
export function fieldView(attributes: Attributes, id: string, texts: Messages): TemplateResult | undefined {
  const text = (attribute: string): string => attributes(attribute)?.trim() ?? '';
  const kind = text('kind');
  const display = text('name');
  if (!display && kind !== 'consent' && id !== 'email') return undefined;
  const label = text('label') || display;
  const value = text('value');
  const required = attributes('required') !== null;
  const isList = kind === 'list';
  const options = splitChoices(text('options'));
  const { type = 'text', inputMode } = textInputs[kind] ?? {};
  // By what it says, not by whether there is an entry: `toString` is one of every object.
  const hasChoice = !!options[0] && (isList || (type === 'text' && !inputMode));
  const name = display && kind !== 'consent' ? `custom_fields[${display}]${isList && hasChoice ? '[]' : ''}` : kind;

  if (attributes('hidden') !== null) return html`<input type="hidden" name=${name} data-kind=${kind} value=${value} />`;

  // Chromium calls a required box invalid before anybody has touched it, unless it is told better.
  const box = (type: string, choice: string, words: unknown, isChosen = false): TemplateResult =>
    html`<label part="choice"><input type=${type} name=${name} data-kind=${kind} value=${choice} aria-invalid="false" ?checked=${isChosen} ?required=${required && !hasChoice} /> <span>${words}</span></label>`;
  if (kind === 'boolean') return html`<div part="field">${box('checkbox', 'true', label, value === 'true')}</div>`;
  if (kind === 'consent') {
    const sentence = label.split(/[[\]]/);
    return html`<div part="field">${box('checkbox', sentence.join(''), linked(sentence, text('href')))}</div>`;
  }

  const remarks = [isList && !hasChoice && texts.listHint, !required && texts.optional].filter(Boolean).join(' ');
  // The space belongs to the word: browsers leave one that stands alone out of the name of a control.
  const title = html`${label + ' '}${remarks && html`<small part="remark">${remarks}</small>`}`;
  if (hasChoice) {
    const chosen = splitChoices(value);
    return html`<fieldset part="field" ?data-required=${required}>
      <legend part="label">${title}</legend>
      ${options.map((option) => box(isList ? 'checkbox' : 'radio', option, option, chosen.includes(option)))}
    </fieldset>`;
  }

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
      maxlength="2000"
      value=${value}
      ?required=${required}
    />
  </div>`;
}

/** A sentence whose second part leads to a page; in a tab of its own, lest what was typed is lost. */
function linked(sentence: readonly string[], href: string): unknown {
  const [before, words, after] = sentence;
  // Pages fill attributes from query parameters: an address that runs as a script is none. On a server no page is known
  // to start at.
  const isPage = href && parseUrl(href, 'https://example.com')?.protocol.startsWith('http');
  return isPage ? html`${before}<a href=${href} target="_blank">${words}</a>${after}` : sentence.join('');
}

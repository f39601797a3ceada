/** How one field looks: a label and the control its kind asks for. */
import { html, nothing, type TemplateResult } from 'lit';
import type { FieldDefinition } from './field-definition.ts';
import { kinds, splitChoices } from './kinds.ts';
import type { Messages } from './messages.ts';
import { webAddress } from './web-address.ts';

/**
 * Renders a field.
 *
 * @param id - id of the control; positions, because two names may differ in what an id cannot hold
 */
export function fieldView({ name, kind, label, required, options, placeholder, autocomplete, value, hidden, href }: FieldDefinition, id: string, texts: Messages): TemplateResult {
  if (hidden) return html`<input type="hidden" name=${name} data-kind=${kind} value=${value} />`;

  const choice = (type: string, choiceValue: string, text: unknown, isChosen: boolean, isRequired = false): TemplateResult =>
    html`<label part="choice"><input type=${type} name=${name} data-kind=${kind} value=${choiceValue} ?checked=${isChosen} ?required=${isRequired} /> <span>${text}</span></label>`;
  const field = (content: unknown): TemplateResult => html`<div part="field">${content}</div>`;

  if (kind === 'boolean') return field(choice('checkbox', 'true', label, value === 'true', required));
  if (kind === 'consent') return field(choice('checkbox', label.replace(/[[\]]/g, ''), linked(label, href), false, required));

  const remarks = [kind === 'list' && !options[0] && texts.listHint, !required && texts.optional].filter(Boolean).join(' ');
  const title = html`${label} ${remarks && html`<small part="remark">${remarks}</small>`}`;
  if (options[0]) {
    const chosen = splitChoices(value);
    return html`<fieldset part="field" ?data-required=${required}>
      <legend part="label">${title}</legend>
      ${options.map((option) => choice(kind === 'list' ? 'checkbox' : 'radio', option, option, chosen.includes(option)))}
    </fieldset>`;
  }

  const { type = 'text', inputMode = nothing } = kinds[kind];
  return field(html`<label part="label" for=${id}>${title}</label>
    <input
      part="input"
      id=${id}
      name=${name}
      data-kind=${kind}
      type=${type}
      inputmode=${inputMode}
      autocomplete=${autocomplete || nothing}
      autocapitalize=${kind === 'email' ? 'off' : nothing}
      placeholder=${placeholder}
      maxlength="2000"
      value=${value}
      ?required=${required}
    />`);
}

/** A sentence whose part in square brackets leads to a page; in a tab of its own, lest what was typed is lost. */
function linked(sentence: string, href: string): unknown {
  const [before, words, after] = sentence.split(/[[\]]/);
  const page = webAddress(href);
  return page ? html`${before}<a href=${page.href} target="_blank">${words}</a>${after}` : sentence.replace(/[[\]]/g, '');
}

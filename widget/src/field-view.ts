/** How one field looks: a label, the problem with it if there is one, and the control its kind asks for. */
import { html, nothing, type TemplateResult } from 'lit';
import type { FieldDefinition } from './field-definition.ts';
import { kinds } from './kinds.ts';
import type { MessageKey, Messages } from './messages.ts';

/**
 * Renders a field. Ids and control names are positions: names of custom fields are anybody's words, and autofill must not
 * take one for a hint.
 *
 * @param id - id and name of the control
 * @param problem - what is wrong with what was entered, if anything is
 */
export function fieldView({ kind, label, required, options, placeholder }: FieldDefinition, id: string, problem: MessageKey | undefined, texts: Messages): TemplateResult {
  const { type = 'text', inputMode = nothing, autocomplete = nothing } = kinds[kind];
  const describedBy = problem ? `${id}-problem` : nothing;
  const mend = problem && html`<p part="problem" id=${describedBy}>${texts[problem].replace('{label}', () => label)}</p>`;
  const remarks = [kind === 'list' && !options[0] && texts.listHint, !required && texts.optional].filter(Boolean).join(' ');
  const title = html`${label} ${remarks && html`<small part="remark">${remarks}</small>`}`;

  if (options[0]) {
    const choices = options.map(
      (option) => html`<label part="choice"><input name=${id} type=${kind === 'list' ? 'checkbox' : 'radio'} value=${option} /> <span>${option}</span></label>`,
    );
    return html`<fieldset part="field" id=${id} aria-describedby=${describedBy}><legend part="label">${title}</legend> ${mend} ${choices}</fieldset>`;
  }

  const input = html`<input
    part="input"
    id=${id}
    name=${id}
    type=${type}
    inputmode=${inputMode}
    autocomplete=${autocomplete}
    autocapitalize=${autocomplete === nothing ? nothing : 'off'}
    placeholder=${placeholder}
    maxlength="2000"
    ?required=${required}
    aria-invalid=${!!problem}
    aria-describedby=${describedBy}
  />`;
  return html`<div part="field">
    ${kind === 'boolean' ? html`${mend} <label part="choice">${input} <span>${label}</span></label>` : html`<label part="label" for=${id}>${title}</label> ${mend} ${input}`}
  </div>`;
}

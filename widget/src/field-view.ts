/** How one field looks: a label, the problem with it if there is one, and the control its kind asks for. */
import { html, nothing, type TemplateResult } from 'lit';
import { controlName, emailName } from './entry.ts';
import { kinds } from './kinds.ts';
import { fill, type MessageKey, type Messages } from './messages.ts';
import type { FieldDefinition } from './field-definition.ts';

/** What a view needs besides the definition. */
export interface FieldContext {
  readonly id: string;
  /** What is wrong with what was entered, if anything is. */
  readonly problem: MessageKey | undefined;
  readonly texts: Messages;
}

interface Control {
  readonly name: string;
  readonly type: string;
  readonly inputMode?: string | undefined;
  readonly autocomplete?: string;
  readonly required: boolean;
  readonly placeholder: string;
}

/**
 * The field for an e-mail address. Not `type="email"`: Chromium would hand over international domains in Punycode, other
 * browsers as typed, and one person would become two.
 */
export function emailView(context: FieldContext): TemplateResult {
  const { emailLabel, emailPlaceholder } = context.texts;
  const control = { name: emailName, type: 'text', inputMode: 'email', autocomplete: 'email', required: true, placeholder: emailPlaceholder };
  return labelledView(emailLabel, '', control, context);
}

/** The field for a custom field. */
export function fieldView(field: FieldDefinition, context: FieldContext): TemplateResult {
  const { kind, options, label, required } = field;
  const { texts } = context;
  const isChoice = options.length > 0 && (kind === 'list' || kind === 'string');
  const remarks = [!isChoice && kind === 'list' && texts.listHint, !required && texts.optional].filter(Boolean).join(' ');
  const control = { ...field, name: controlName(field), ...kinds[kind] };
  if (kind === 'boolean') return tickView(label, control, context);
  return isChoice ? choiceView(remarks, field, context) : labelledView(label, remarks, control, context);
}

function labelledView(label: string, remarks: string, control: Control, context: FieldContext): TemplateResult {
  return html`<div part="field">
    <label part="label" for=${context.id}>${label} ${remarkView(remarks)}</label>
    ${problemView(label, context)} ${inputView(control, context)}
  </div>`;
}

function tickView(label: string, control: Control, context: FieldContext): TemplateResult {
  return html`<div part="field">
    ${problemView(label, context)}
    <label part="choice">${inputView(control, context)} <span>${label}</span></label>
  </div>`;
}

function choiceView(remarks: string, field: FieldDefinition, context: FieldContext): TemplateResult {
  const { label, kind, options } = field;
  const type = kind === 'list' ? 'checkbox' : 'radio';
  return html`<fieldset part="field" id=${context.id} aria-describedby=${describedBy(context)}>
    <legend part="label">${label} ${remarkView(remarks)}</legend>
    ${problemView(label, context)}
    ${options.map(
      (option) => html`<label part="choice"><input name=${controlName(field)} type=${type} value=${option} /> <span>${option}</span></label>`,
    )}
  </fieldset>`;
}

function inputView({ name, type, inputMode, autocomplete, required, placeholder }: Control, context: FieldContext): TemplateResult {
  return html`<input
    part="input"
    id=${context.id}
    name=${name}
    type=${type}
    inputmode=${inputMode ?? nothing}
    autocomplete=${autocomplete ?? nothing}
    autocapitalize=${autocomplete ? 'off' : nothing}
    placeholder=${placeholder || nothing}
    ?required=${required}
    aria-invalid=${context.problem ? 'true' : nothing}
    aria-describedby=${describedBy(context)}
  />`;
}

function remarkView(remarks: string): unknown {
  return remarks && html`<small part="remark">${remarks}</small>`;
}

function problemView(label: string, { id, problem, texts }: FieldContext): unknown {
  return problem && html`<p part="problem" id="${id}-problem">${fill(texts[problem], { label })}</p>`;
}

function describedBy({ id, problem }: FieldContext): unknown {
  return problem ? `${id}-problem` : nothing;
}

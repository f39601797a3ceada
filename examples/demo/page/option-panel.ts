/**
 * The panel of options: a control for each option of the manifest, and the editor of custom fields. The controls have
 * the names that the query of the address has, and the form around them reads them.
 */
import { button, field as labelled } from '@newsletter-kit/pages';
import { html, nothing, type TemplateResult } from 'lit';
import { live } from 'lit/directives/live.js';
import type { Field, Option, Options, TagSetup } from './options.ts';
import { fieldLimit, fieldPrefix, valueLimit } from './setup.ts';

/** Shows other fields. @returns a promise that resolves once the page shows them */
export type OnFields = (fields: readonly Field[]) => Promise<unknown>;

export function optionPanel(options: Options, setup: TagSetup, onFields: OnFields): TemplateResult {
  const [first, ...others] = options.groups.map(({ title, about, options: list }, at) =>
    group(
      title,
      about,
      list.map((option) => control(option, setup.values[option.key])),
      at === 0,
    ),
  );
  return html`<div id="options">
    ${labelled('theme', 'Theme', choice('theme', optional(options.themes, 'none'), setup.theme))} ${first}
    ${group('Fields', 'Custom fields of your publication, in addition to the email address.', fields(options, setup, onFields), true)}
    ${others}
  </div>`;
}

/** A row of radio buttons. */
export function segments(title: string, name: string, words: readonly string[], chosen: string): TemplateResult {
  return html`<fieldset class="segments">
    <legend>${title}</legend>
    ${words.map(
      (word) =>
        html`<label
          ><input type="radio" name=${name} value=${word} .checked=${live(word === chosen)} /><span>${word}</span></label
        >`,
    )}
  </fieldset>`;
}

/** A list to choose from. @param words - values and what is shown for them; @param hint - the id of a description */
export function choice(id: string, words: ReadonlyMap<string, string>, chosen: string, hint?: string): TemplateResult {
  return html`<select id=${id} name=${id} aria-describedby=${hint ?? nothing}>
    ${Array.from(words, ([word, shown]) => html`<option value=${word} .selected=${live(word === chosen)}>${shown}</option>`)}
  </select>`;
}

/** Words that are shown as they are, after an empty one that is shown as `none`. */
const optional = (words: readonly string[], none: string): ReadonlyMap<string, string> =>
  new Map([['', none], ...words.map((word) => [word, word] as const)]);

function checkbox(id: string, value: string, isChecked: boolean, label: unknown, hint?: string): TemplateResult {
  return html`<label class="check"
    ><input type="checkbox" id=${id} name=${id} value=${value} aria-describedby=${hint ?? nothing} .checked=${live(isChecked)} />
    ${label}</label
  >`;
}

function group(title: string, about: string, content: unknown, isOpen = false): TemplateResult {
  return html`<details ?open=${isOpen}>
    <summary>${title}</summary>
    <div class="group"><p class="soft">${withCode(about)}</p>${content}</div>
  </details>`;
}

/** @param prefix - begins the name of the control */
function control(option: Option, value = '', prefix = ''): TemplateResult {
  const { key, description, initial, control: shape } = option;
  const id = `${prefix}${key}`;
  const hintId = description ? `${id}.hint` : undefined;
  const label = html`<code>${option.name}</code>`;
  const hint = hintId ? html`<p class="soft" id=${hintId}>${withCode(description)}</p>` : nothing;
  if (shape.kind === 'switch')
    return html`<div class="control">${checkbox(id, 'on', value !== '', label, hintId)} ${hint}</div>`;
  if (shape.kind === 'choice') {
    const words = optional(
      shape.choices.filter((word) => word !== initial),
      initial || 'default',
    );
    const list = choice(id, words, value, hintId);
    return html`<div class="control">${labelled(id, label, list)} ${hint}</div>`;
  }
  const input = html`<input
    type=${shape.kind === 'number' ? 'number' : 'text'}
    id=${id}
    name=${id}
    aria-describedby=${hintId ?? nothing}
    autocomplete="off"
    maxlength=${valueLimit}
    placeholder=${initial}
    .value=${live(value)}
  />`;
  const entry = shape.kind === 'colour' ? html`<div class="pair">${picker(option.name, value)}${input}</div>` : input;
  return html`<div class="control">${labelled(id, label, entry)} ${hint}</div>`;
}

/** Writes the picked colour into the input beside it, before the form reads that. */
function picker(name: string, value: string): TemplateResult {
  return html`<input
    type="color"
    aria-label="Pick ${name}"
    .value=${/^#[0-9a-f]{6}$/i.test(value) ? value : '#000000'}
    @input=${({ currentTarget }: Event) => {
      if (!(currentTarget instanceof HTMLInputElement)) return;
      const { nextElementSibling: input, value: picked } = currentTarget;
      if (input instanceof HTMLInputElement) input.value = picked;
    }}
  />`;
}

/** Shows text between backticks as code. */
function withCode(text: string): unknown {
  return text.split('`').map((part, index) => (index % 2 === 1 ? html`<code>${part}</code>` : part));
}

/** The form of the page's own, and the editor of custom fields: the last one is open. */
function fields({ fieldOptions }: Options, setup: TagSetup, onFields: OnFields): TemplateResult {
  const change = async (next: readonly Field[], focus: string): Promise<void> => {
    await onFields(next);
    document.querySelector<HTMLElement>(focus)?.focus();
  };
  const item = (field: Field, at: number): TemplateResult => {
    const title = field['name'] || `field ${at + 1}`;
    return html`<li aria-label=${title}>
      <details ?open=${at === setup.fields.length - 1}>
        <summary>${title}</summary>
        <div class="group">
          <div class="actions">
            ${button({
              label: 'Move up',
              name: `Move up ${title}`,
              disabled: at === 0,
              onClick: () =>
                change(
                  setup.fields.toSpliced(at, 1).toSpliced(at - 1, 0, field),
                  `.fields > li:nth-child(${at}) summary`,
                ),
            })}
            ${button({
              label: 'Remove',
              name: `Remove ${title}`,
              onClick: () => change(setup.fields.toSpliced(at, 1), '#add-field'),
            })}
          </div>
          ${fieldOptions.map((option) => control(option, field[option.key], fieldPrefix(at)))}
        </div>
      </details>
    </li>`;
  };
  return html`${checkbox('mode', 'enhance', setup.mode === 'enhance', 'Your own form, which the script enhances')}
    <ol class="fields">
      ${setup.fields.map(item)}
    </ol>
    ${button({
      id: 'add-field',
      label: 'Add a field',
      disabled: setup.fields.length >= fieldLimit,
      onClick: () =>
        change([...setup.fields, { name: `Field ${setup.fields.length + 1}` }], '.fields > li:last-child input'),
    })}`;
}

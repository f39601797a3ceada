/** The panel of options: a control for each option of the manifest, and the editor of custom fields. */
import { button, field as labelled } from '@newsletter-kit/pages';
import { html, nothing, type TemplateResult } from 'lit';
import { live } from 'lit/directives/live.js';
import { exampleEndpoint } from './fallback.ts';
import { isEssential, type FieldOption, type OptionKind, type Options } from './options.ts';
import { canAddField, moveField, withValue, type Field, type Setup } from './setup.ts';

/**
 * Shows another setup.
 *
 * @param typed - id of the text control, where the change is one key of many
 * @returns a promise that resolves once the page shows it
 */
export type OnChange = (setup: Setup, typed?: string) => Promise<unknown>;

/** A control's value is a text; a switch that is on has the value `on`. */
type OnValue = (value: string, typed?: string) => void;

interface Group {
  readonly kind: OptionKind;
  readonly title: string;
  readonly about: string;
  readonly open?: boolean;
}

const appearance: readonly Group[] = [
  { kind: 'look', title: 'Looks', about: 'A layout, and a theme: a style sheet of the package.', open: true },
  {
    kind: 'style',
    title: 'Colours and shape',
    about: 'CSS custom properties. Everything else is styled through parts.',
  },
  { kind: 'slot', title: 'Around the fields', about: 'Slots: your own content. A picture is entered as its address.' },
];
const behaviour: readonly Group[] = [
  { kind: 'attribute', title: 'Endpoint and behaviour', about: 'Attributes of the tag.', open: true },
  { kind: 'text', title: 'Texts', about: 'Texts that have an attribute. Empty: the text of the language.' },
  {
    kind: 'message',
    title: 'More texts',
    about: 'Entries of the property `messages`. Empty: the text of the language.',
  },
  {
    kind: 'attribution',
    title: 'Where the visitor came from',
    about: 'These values take precedence over the address of the page.',
  },
];
const modeTitles = { own: 'Its own form', enhance: 'Around yours' } as const;

/** A row of radio buttons. */
export function segments<Name extends 'mode' | 'width' | 'scheme' | 'direction' | 'state'>(
  title: string,
  name: Name,
  choices: Readonly<Record<Setup[Name], string>>,
  setup: Setup,
  onChoice: (value: Setup[Name]) => unknown,
): TemplateResult {
  return html`<fieldset class="segment-group">
    <legend>${title}</legend>
    <div class="segments">
      ${(Object.entries(choices) as [Setup[Name], string][]).map(
        ([value, text]) =>
          html`<label
            ><input
              type="radio"
              name=${name}
              value=${value}
              .checked=${live(value === setup[name])}
              @click=${() => onChoice(value)}
            /><span>${text}</span></label
          >`,
      )}
    </div>
  </fieldset>`;
}

export function optionPanel(options: Options, setup: Setup, onChange: OnChange): TemplateResult {
  const groups = (kinds: readonly Group[]): TemplateResult[] =>
    kinds.map((each) => optionGroup(each, options, setup, onChange));
  return html`<div id="options">
    ${groups(appearance)} ${segments('Mode', 'mode', modeTitles, setup, (mode) => onChange({ ...setup, mode }))}
    ${group('Fields', 'Custom fields of your publication, in addition to the email address.', true, fieldEditor(options.fieldOptions, setup, onChange))}
    ${groups(behaviour)}
  </div>`;
}

function optionGroup(
  { kind, title, about, open = false }: Group,
  options: Options,
  setup: Setup,
  onChange: OnChange,
): TemplateResult {
  const controls = options.options
    .filter((option) => option.kind === kind)
    .map((option) =>
      control(option, option.key, setup.values[option.key] ?? '', (value, typed) => {
        void onChange(withValue(setup, option.key, value, option.initial), typed);
      }),
    );
  const chooseTheme = (theme: string): void => void onChange({ ...setup, theme });
  const themes = labelled('theme', 'theme', choice('theme', ['', ...options.themes], 'none', setup.theme, chooseTheme));
  const theme = kind === 'look' ? html`<div class="control">${themes}</div>` : nothing;
  return group(title, about, open, [...controls, theme]);
}

function group(title: string, about: string, open: boolean, content: unknown): TemplateResult {
  return html`<details ?open=${open}>
    <summary>${title}</summary>
    <div class="group"><p class="soft">${withCode(about)}</p>${content}</div>
  </details>`;
}

function control(
  { name, description, initial, control: shape }: FieldOption,
  id: string,
  value: string,
  onValue: OnValue,
): TemplateResult {
  const hintId = description ? `${id}.hint` : undefined;
  const label = html`<code>${name}</code>`;
  const hint = hintId === undefined ? nothing : html`<p class="soft hint" id=${hintId}>${withCode(description)}</p>`;
  if (shape.kind === 'switch')
    return html`<div class="control">
      <label class="check"
        ><input
          type="checkbox"
          id=${id}
          data-option=${id}
          aria-describedby=${hintId ?? nothing}
          .checked=${live(value !== '')}
          @change=${({ currentTarget }: Event) => onValue((currentTarget as HTMLInputElement).checked ? 'on' : '')}
        />${label}</label
      >
      ${hint}
    </div>`;
  if (shape.kind === 'choice') {
    const usual = shape.choices.includes(initial) ? initial : '';
    const choices = ['', ...shape.choices.filter((each) => each !== usual)];
    return html`<div class="control">
      ${labelled(id, label, choice(id, choices, usual || 'default', value, onValue, hintId))} ${hint}
    </div>`;
  }
  const input = html`<input
    type="text"
    id=${id}
    data-option=${id}
    aria-describedby=${hintId ?? nothing}
    autocomplete="off"
    spellcheck=${name.startsWith('text-') ? 'true' : 'false'}
    inputmode=${shape.kind === 'number' ? 'numeric' : nothing}
    placeholder=${name === 'endpoint' ? exampleEndpoint : initial}
    .value=${live(value)}
    @input=${({ currentTarget }: Event) => onValue((currentTarget as HTMLInputElement).value, id)}
  />`;
  const picker = html`<input
    type="color"
    aria-label="Pick ${name}"
    .value=${/^#[0-9a-f]{6}$/i.test(value) ? value : '#000000'}
    @input=${({ currentTarget }: Event) => onValue((currentTarget as HTMLInputElement).value, id)}
  />`;
  return html`<div class="control">
    ${labelled(id, label, shape.kind === 'colour' ? html`<div class="pair">${picker}${input}</div>` : input)} ${hint}
  </div>`;
}

/** @param usual - shown for the empty choice: what holds without the attribute */
function choice(
  id: string,
  choices: readonly string[],
  usual: string,
  chosen: string,
  onValue: OnValue,
  hintId?: string,
): TemplateResult {
  return html`<select
    id=${id}
    data-option=${id}
    aria-describedby=${hintId ?? nothing}
    @change=${({ currentTarget }: Event) => onValue((currentTarget as HTMLSelectElement).value)}
  >
    ${choices.map((value) => html`<option value=${value} .selected=${live(value === chosen)}>${value || usual}</option>`)}
  </select>`;
}

/** Shows text between backticks as code. */
function withCode(text: string): unknown {
  return text.split('`').map((part, index) => (index % 2 === 1 ? html`<code>${part}</code>` : part));
}

function fieldEditor(fieldOptions: readonly FieldOption[], setup: Setup, onChange: OnChange): TemplateResult {
  const { fields } = setup;
  const change = async (next: readonly Field[], focus: string): Promise<void> => {
    await onChange({ ...setup, fields: next });
    document.querySelector<HTMLElement>(focus)?.focus();
  };
  return html`<ol class="fields">
      ${fields.map((_, at) => fieldItem(at, fieldOptions, setup, onChange, change))}
    </ol>
    ${button({
      id: 'add-field',
      label: 'Add a field',
      disabled: !canAddField(setup),
      onClick: () => change([...fields, { name: `Field ${fields.length + 1}` }], '.fields > li:last-child input'),
    })}`;
}

/** @param change - shows other fields, then focuses the element of this selector */
function fieldItem(
  at: number,
  fieldOptions: readonly FieldOption[],
  setup: Setup,
  onChange: OnChange,
  change: (fields: readonly Field[], focus: string) => Promise<void>,
): TemplateResult {
  const { fields } = setup;
  const field = fields[at] ?? {};
  const title = field['name'] || `field ${at + 1}`;
  const controls = (essential: boolean): TemplateResult[] =>
    fieldOptions
      .filter((option) => isEssential(option) === essential)
      .map((option) =>
        control(
          { ...option, description: '' },
          `field.${at}.${option.name}`,
          field[option.name] ?? '',
          (value, typed) => {
            const { [option.name]: _, ...rest } = field;
            const next = value === '' ? rest : { ...rest, [option.name]: value };
            void onChange({ ...setup, fields: fields.with(at, next) }, typed);
          },
        ),
      );
  const move = (label: string, name: string, to: number): TemplateResult =>
    button({
      label,
      name: `${name} ${title}`,
      disabled: to < 0 || to >= fields.length,
      // The focus stays with the moved field, on the same button unless that is disabled now.
      onClick: () =>
        change(
          moveField(fields, at, to),
          `.fields > li:nth-child(${to + 1}) button[aria-label^="${to === 0 ? 'Move down' : to === fields.length - 1 ? 'Move up' : name}"]`,
        ),
    });
  return html`<li aria-label=${title}>
    <div class="actions">
      ${move('↑', 'Move up', at - 1)} ${move('↓', 'Move down', at + 1)}
      ${button({ label: 'Remove', name: `Remove ${title}`, onClick: () => change(fields.toSpliced(at, 1), '#add-field') })}
    </div>
    ${controls(true)}
    <details>
      <summary>More</summary>
      <div class="group">${controls(false)}</div>
    </details>
  </li>`;
}

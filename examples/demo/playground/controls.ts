/** The panel of options: a control for each one the manifest knows, and the builder of fields. */
import { element, find } from './dom.ts';
import { isEssential, type FieldOption, type OptionKind, type Options } from './options.ts';
import { canAddField, initialSetup, moveField, withValue, type Field, type Setup } from './setup.ts';
import { segments } from './segments.ts';
import { exampleEndpoint } from './tag.ts';

/** @param typed - the control, where the change is one of many while somebody types */
type OnChange = (setup: Setup, typed?: string) => void;

/** What a control shows and reports is text; a switch is `''` for off and its own name for on. */
interface Shown {
  readonly node: HTMLElement;
  set(value: string): void;
}

interface Group {
  readonly kind: OptionKind;
  readonly title: string;
  readonly about: string;
  readonly open?: boolean;
}

/** Above the fields: what the form looks like. */
const looks: readonly Group[] = [
  { kind: 'look', title: 'Looks', about: 'A layout, and a style sheet that comes with the tag.', open: true },
  {
    kind: 'style',
    title: 'Colours and shape',
    about: 'CSS custom properties. Everything else is styled through parts.',
  },
  { kind: 'slot', title: 'Around the fields', about: 'Slots: content of your own. A picture is the address of one.' },
];

/** Below the fields. */
const rest: readonly Group[] = [
  { kind: 'attribute', title: 'Endpoint and behaviour', about: 'Attributes of the tag.', open: true },
  { kind: 'text', title: 'Texts', about: 'Texts with an attribute of their own. Empty: as the language says.' },
  { kind: 'message', title: 'More texts', about: 'Entries of the property `messages`. Empty: as the language says.' },
  { kind: 'attribution', title: 'Where the visitor came from', about: 'Wins over what the address of the page says.' },
];

export function showControls(options: Options, onChange: OnChange): { show(setup: Setup): void } {
  let setup: Setup = initialSetup;
  const place = find('#options', HTMLElement);
  const updates: ((setup: Setup) => void)[] = [];

  for (const each of looks) place.append(...optionGroup(each));

  const mode = element('div', { class: 'bar' });
  updates.push(
    segments(mode, 'Mode', 'mode', { own: 'Its own form', enhance: 'Around yours' }, (value) =>
      onChange({ ...setup, mode: value }),
    ),
  );
  place.append(mode);

  const fields = fieldBuilder(options.fieldOptions, (next, typed) => onChange({ ...setup, fields: next }, typed));
  place.append(group('Fields', 'Custom fields of your publication, beside the address.', true, fields.node));
  updates.push(fields.show);

  for (const each of rest) place.append(...optionGroup(each));

  /** @returns nothing where the tag has no such option */
  function optionGroup({ kind, title, about, open = false }: Group): HTMLElement[] {
    const shown = options.options
      .filter((option) => option.kind === kind)
      .map((option) => {
        const { node, set } = control(option, option.key, (value, typed) =>
          onChange(withValue(setup, option.key, value, option.initial), typed),
        );
        updates.push(({ values }) => set(values[option.key] ?? ''));
        return node;
      });
    if (kind === 'look' && options.themes.length > 0) shown.push(themeControl());
    return shown.length > 0 ? [group(title, about, open, ...shown)] : [];
  }

  function themeControl(): HTMLElement {
    const select = element(
      'select',
      { id: 'theme' },
      ...['', ...options.themes].map((name) => element('option', { value: name }, name || 'none')),
    );
    select.addEventListener('change', () => onChange({ ...setup, theme: select.value }));
    updates.push(({ theme }) => (select.value = theme));
    return element('div', { class: 'control' }, element('label', { for: 'theme' }, 'theme'), select);
  }

  return {
    show(next) {
      setup = next;
      for (const update of updates) update(next);
    },
  };
}

function group(title: string, about: string, open: boolean, ...nodes: readonly HTMLElement[]): HTMLElement {
  return element(
    'details',
    { open },
    element('summary', {}, title),
    element('p', { class: 'hint' }, ...inWords(about)),
    ...nodes,
  );
}

function control(
  { name, description, initial, control: { kind }, control: shape }: FieldOption,
  id: string,
  onValue: (value: string, typed?: string) => void,
): Shown {
  const hint = description && element('p', { class: 'hint', id: `${id}.hint` }, ...inWords(description));
  const described = { id, 'data-option': id, 'aria-describedby': hint ? `${id}.hint` : undefined };
  const label = element('label', { for: id }, element('code', {}, name));
  const around = (cssClass: string, ...nodes: readonly HTMLElement[]): HTMLElement =>
    element('div', { class: `control ${cssClass}` }, ...nodes, ...(hint ? [hint] : []));

  if (kind === 'switch') {
    const box = element('input', { ...described, type: 'checkbox' });
    box.addEventListener('change', () => onValue(box.checked ? 'on' : ''));
    return { node: around('switch', box, label), set: (value) => (box.checked = value !== '') };
  }
  if (shape.kind === 'choice') {
    const usual = initial && shape.choices.includes(initial) ? initial : '';
    const rest = shape.choices.filter((choice) => choice !== usual);
    const select = element(
      'select',
      described,
      element('option', { value: '' }, usual || 'default'),
      ...rest.map((choice) => element('option', { value: choice }, choice)),
    );
    select.addEventListener('change', () => onValue(select.value));
    return { node: around('', label, select), set: (value) => (select.value = value) };
  }
  const input = element('input', {
    ...described,
    type: 'text',
    autocomplete: 'off',
    spellcheck: name.startsWith('text-') ? 'true' : 'false',
    inputmode: kind === 'number' ? 'numeric' : undefined,
    placeholder: name === 'endpoint' ? exampleEndpoint : initial,
  });
  input.addEventListener('input', () => onValue(input.value, id));
  const set = (value: string): void => {
    if (input.value !== value) input.value = value;
  };
  if (kind !== 'colour') return { node: around('', label, input), set };
  const picker = element('input', { type: 'color', 'aria-label': `Pick ${name}` });
  picker.addEventListener('input', () => onValue(picker.value, id));
  return {
    node: around('colour', label, element('div', { class: 'pair' }, picker, input)),
    set: (value) => {
      set(value);
      if (/^#[0-9a-f]{6}$/i.test(value)) picker.value = value;
    },
  };
}

/** Text between backticks is code. */
function inWords(description: string): (Node | string)[] {
  return description.split('`').map((part, index) => (index % 2 === 1 ? element('code', {}, part) : part));
}

/** What the buttons of a field do, in their order. */
const fieldActions = ['Move up', 'Move down', 'Remove'];

function fieldBuilder(
  fieldOptions: readonly FieldOption[],
  onFields: (fields: readonly Field[], typed?: string) => void,
): { node: HTMLElement; show(setup: Setup): void } {
  let fields: readonly Field[] = [];
  let shown: Shown[][] = [];
  const list = element('ol', { class: 'fields' });
  const add = element('button', { type: 'button', id: 'add-field' }, 'Add a field');
  add.addEventListener('click', () => {
    onFields([...fields, { name: `Field ${fields.length + 1}` }]);
    list.querySelector<HTMLElement>('li:last-child input')?.focus();
  });

  /** A button of a field; afterwards the focus is where the field went, or where one goes on. */
  function button(
    text: string,
    disabled: boolean,
    act: () => readonly Field[],
    focus: () => HTMLElement | null,
  ): HTMLElement {
    const made = element('button', { type: 'button', class: 'quiet', disabled }, text);
    made.addEventListener('click', () => {
      onFields(act());
      focus()?.focus();
    });
    return made;
  }

  function build(): void {
    const rows = fields.map((_field, at) => {
      const controls = fieldOptions.map((option) =>
        control(option, `field.${at}.${option.name}`, (value, typed) => {
          const { [option.name]: _, ...rest } = fields[at] ?? {};
          onFields(fields.with(at, value === '' ? rest : { ...rest, [option.name]: value }), typed);
        }),
      );
      const nth = (place: number, which: string) => (): HTMLElement | null =>
        list.querySelector(`li:nth-child(${place + 1}) ${which}:enabled`) ??
        list.querySelector(`li:nth-child(${place + 1}) button:enabled`);
      const buttons = element(
        'div',
        { class: 'field-buttons' },
        button('↑', at === 0, () => moveField(fields, at, at - 1), nth(at - 1, 'button:nth-of-type(1)')),
        button(
          '↓',
          at === fields.length - 1,
          () => moveField(fields, at, at + 1),
          nth(at + 1, 'button:nth-of-type(2)'),
        ),
        button(
          'Remove',
          false,
          () => fields.toSpliced(at, 1),
          () => add,
        ),
      );
      const isFirst = (_: Shown, index: number): boolean => isEssential(fieldOptions[index] ?? { name: '' });
      const more = element(
        'details',
        { class: 'more' },
        element('summary', {}, 'More'),
        ...controls.filter((each, index) => !isFirst(each, index)).map(({ node }) => node),
      );
      return { controls, row: element('li', {}, buttons, ...controls.filter(isFirst).map(({ node }) => node), more) };
    });
    shown = rows.map(({ controls }) => controls);
    list.replaceChildren(...rows.map(({ row }) => row));
  }

  return {
    node: element('div', {}, list, add),
    show(setup) {
      const sameShape = shown.length === setup.fields.length;
      fields = setup.fields;
      if (!sameShape) build();
      add.disabled = !canAddField(setup);
      for (const [at, controls] of shown.entries()) {
        const called = fields[at]?.['name'] || `field ${at + 1}`;
        list.children[at]?.setAttribute('aria-label', called);
        list.children[at]
          ?.querySelectorAll('button')
          .forEach((each, index) => each.setAttribute('aria-label', `${fieldActions[index]} ${called}`));
        for (const [index, { name }] of fieldOptions.entries()) controls[index]?.set(fields[at]?.[name] ?? '');
      }
    },
  };
}

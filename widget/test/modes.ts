/** Runs a suite with both kinds of forms: the element's own in the shadow root, and the page's own inside the tag. */

type Mode = 'shadow' | 'page';

let mode: Mode = 'shadow';

/** Registers the same tests twice: in each run `mount` of the harness creates a form of that kind. */
export function inBothModes(name: string, suite: () => void): void {
  for (const each of ['shadow', 'page'] as const) {
    describe(`${name}, with the form of the ${each === 'page' ? 'page' : 'element'}`, () => {
      beforeEach(() => {
        mode = each;
      });
      afterEach(() => {
        mode = 'shadow';
      });
      mode = each;
      suite();
      mode = 'shadow';
    });
  }
}

/** A test only for the element's own form: its labels, its styles, its fields. */
export function itOurs(name: string, test: () => Promise<void>): void {
  if (mode === 'shadow') it(name, test);
}

/** In the second run: replaces the fields by a form as a page would have it. */
export function asOwner(signup: Element): void {
  if (mode === 'shadow') return;
  const fields = Array.from(signup.querySelectorAll('newsletter-field'));
  const form = document.createElement('form');
  form.innerHTML = '<label>Email address <input type="email" name="email" required autocomplete="email"></label>';
  form.append(...fields.map(write), Object.assign(document.createElement('button'), { textContent: 'Subscribe' }));
  signup.replaceChildren(form);
}

/** The HTML of one field, with the name of a form-encoded post. */
function write(field: Element): Element {
  const text = (name: string): string => field.getAttribute(name) ?? '';
  const kind = text('kind') || 'string';
  const label = text('label') || text('name');
  const options = text('options')
    .split(text('options').includes('|') ? ' | ' : ', ')
    .filter(Boolean);
  const name = `custom_fields[${text('name')}]`;
  const required = field.hasAttribute('required') && { required: '' };
  if (options[0]) {
    const group = document.createElement('fieldset');
    group.append(Object.assign(document.createElement('legend'), { textContent: required ? `${label} *` : label }));
    for (const value of options)
      group.append(
        labelled(
          value,
          kind === 'list' ? { type: 'checkbox', name: `${name}[]`, value } : { type: 'radio', name, value },
        ),
      );
    if (required) group.dataset['required'] = '';
    return group;
  }
  const types: Readonly<Record<string, string>> = {
    boolean: 'checkbox',
    date: 'date',
    datetime: 'datetime-local',
    string: 'text',
  };
  // A kind that the type of the input does not imply.
  return labelled(label, {
    type: types[kind] ?? 'text',
    name,
    ...required,
    ...(!types[kind] && { 'data-kind': kind }),
  });
}

function labelled(text: string, attributes: Readonly<Record<string, string>>): HTMLLabelElement {
  const label = document.createElement('label');
  const input = document.createElement('input');
  for (const [name, value] of Object.entries(attributes)) input.setAttribute(name, value);
  label.append(text, ' ', input);
  return label;
}

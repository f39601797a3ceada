/** Runs one suite over both ways to have a form: ours in the shadow root, and one the owner wrote into the tag. */

type Mode = 'ours' | "the owner's";

let mode: Mode = 'ours';

/** Registers the same tests twice. In either run {@link mount} of the harness gives a form of that kind. */
export function inBothModes(name: string, suite: () => void): void {
  for (const each of ['ours', "the owner's"] as const) {
    describe(`${name}, with a form that is ${each}`, () => {
      beforeEach(() => {
        mode = each;
      });
      afterEach(() => {
        mode = 'ours';
      });
      mode = each;
      suite();
      mode = 'ours';
    });
  }
}

/** A test of what only our own form has: its labels, its looks, its fields that come and go. */
export function itOurs(name: string, test: () => Promise<void>): void {
  if (mode === 'ours') it(name, test);
}

/** In the second run: puts in place of the fields a form that an owner might have written. */
export function asOwner(signup: Element): void {
  if (mode === 'ours') return;
  const fields = Array.from(signup.querySelectorAll('newsletter-field'));
  const form = document.createElement('form');
  form.innerHTML = '<label>Email address <input type="email" name="email" required autocomplete="email"></label>';
  form.append(...fields.map(write), Object.assign(document.createElement('button'), { textContent: 'Subscribe' }));
  signup.replaceChildren(form);
}

/** The HTML of one field, under the names of the wire. */
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
  // What the type of an input does not say, the owner does.
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

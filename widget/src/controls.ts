/** The controls of a form, ours or the owner's: which there are, what each asks for, and what it is called. */
import type { ControlKind } from './kinds.ts';
import { elementsOf, type Listed } from './own-members.ts';

/** All controls of one name: an input, or boxes that belong together. */
export interface Control {
  /**
   * The first of them. Of what a select or a custom element lacks, it answers with undefined, which here always means
   * no.
   */
  readonly input: HTMLInputElement;
  /** What is described where something is wrong: the fieldset around several boxes, else the input. */
  readonly described: HTMLElement;
}

/** Every control by its name, in the order of the form. */
export function controlsOf(form: HTMLFormElement): ReadonlyMap<string, Control> {
  const controls = new Map<string, Control>();
  for (const input of elementsOf(form).filter(isInUse)) {
    const first = controls.get(input.name)?.input;
    controls.set(input.name, { input: first ?? input, described: first?.closest('fieldset') ?? first ?? input });
  }
  return controls;
}

function isInUse(element: Listed): element is HTMLInputElement {
  return !!element.name && !element.matches(':disabled, fieldset, button');
}

/** What owners need not write down, because the type of their input says it. */
const kindOfType: Readonly<Record<string, ControlKind>> = {
  number: 'double',
  date: 'date',
  'datetime-local': 'datetime',
};

/** What a control asks for: its `data-kind`, which may be any word, else what its name and type say. */
export function kindOf({ name, type, value, dataset }: HTMLInputElement): string {
  if (dataset['kind']) return dataset['kind'];
  if (name === 'email' || name === 'consent') return name;
  if (name.endsWith('[]')) return 'list';
  return type === 'checkbox' && /^(on|true)$/.test(value) ? 'boolean' : (kindOfType[type] ?? 'string');
}

/**
 * What visitors know a control by: its legend or label without the small print and the asterisk, or what stands in for
 * one.
 */
export function labelOf({ input, described }: Control): string {
  const label = described.querySelector('legend') ?? input.labels?.[0];
  const text = label?.textContent
    .replace(label.querySelector('small')?.textContent ?? '', '')
    .replace(/[\s*:]+$/, '')
    .trim();
  return text || input.ariaLabel || input.placeholder;
}

/** What the form knows about one field: the address, or a custom field as a `<newsletter-field>` describes it. */
import { splitChoices, toKind, type ControlKind } from './kinds.ts';
import type { Messages } from './messages.ts';

/** One field of the form. */
export interface FieldDefinition {
  readonly name: string;
  readonly kind: ControlKind;
  readonly label: string;
  readonly required: boolean;
  /** What to choose from: some of a `list`, one for a `string`. Empty where the visitor types. */
  readonly options: readonly string[];
  readonly placeholder: string;
}

/** The first field of every form. */
export function addressDefinition({ emailLabel, emailPlaceholder }: Messages): FieldDefinition {
  return { name: 'email', kind: 'email', label: emailLabel, required: true, options: [], placeholder: emailPlaceholder };
}

/** Reads a definition off the attributes, so that it makes no difference which element the browser upgrades first. */
export function readDefinition(element: Element): FieldDefinition {
  const text = (name: string): string => element.getAttribute(name)?.trim() ?? '';
  const name = text('name');
  const kind = toKind(text('kind'));
  return {
    name,
    kind,
    label: text('label') || name,
    required: element.hasAttribute('required'),
    options: kind === 'list' || kind === 'string' ? splitChoices(text('options')) : [],
    placeholder: text('placeholder'),
  };
}

/** Id and name of the control of the field at this position. Password managers know the first one by its name. */
export function controlId(position: number): string {
  return position > 0 ? `field-${position}` : 'email';
}

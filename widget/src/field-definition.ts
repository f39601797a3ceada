/** What our form knows about one field: the address, or what a `<newsletter-field>` describes. */
import { splitChoices, toKind, type ControlKind } from './kinds.ts';
import type { Messages } from './messages.ts';

/** One field of the form. */
export interface FieldDefinition {
  /** Name of the control: that of a post without JavaScript. */
  readonly name: string;
  readonly kind: ControlKind;
  readonly label: string;
  readonly required: boolean;
  /** What to choose from: some of a `list`, one for a `string`. Empty where the visitor types. */
  readonly options: readonly string[];
  readonly placeholder: string;
  /** What browsers may fill in. */
  readonly autocomplete: string;
  /** What it begins with. */
  readonly value: string;
  /** Whether the value is the owner's alone. */
  readonly hidden: boolean;
  /** Page that a consent speaks of. */
  readonly href: string;
}

/** The first field of every form. */
export function addressDefinition({ emailLabel, emailPlaceholder }: Messages): FieldDefinition {
  return {
    name: 'email',
    kind: 'email',
    label: emailLabel,
    required: true,
    options: [],
    placeholder: emailPlaceholder,
    autocomplete: 'email',
    value: '',
    hidden: false,
    href: '',
  };
}

/** Reads a definition off the attributes, so that it makes no difference which element the browser upgrades first. */
export function readDefinition(element: Element): FieldDefinition {
  const text = (name: string): string => element.getAttribute(name)?.trim() ?? '';
  const name = text('name');
  const kind = toKind(text('kind'));
  const options = kind === 'list' || kind === 'string' ? splitChoices(text('options')) : [];
  return {
    name: kind === 'consent' ? kind : name && `custom_fields[${name}]${kind === 'list' && options[0] ? '[]' : ''}`,
    kind,
    label: text('label') || name,
    required: element.hasAttribute('required'),
    options,
    placeholder: text('placeholder'),
    autocomplete: text('autocomplete'),
    value: text('value'),
    hidden: element.hasAttribute('hidden'),
    href: text('href'),
  };
}

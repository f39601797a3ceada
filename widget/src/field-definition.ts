/** What a `<newsletter-field>` says about one custom field. */
import { splitChoices, toKind, type FieldKind } from './kinds.ts';

/** What the form knows about a custom field. */
export interface FieldDefinition {
  readonly name: string;
  readonly kind: FieldKind;
  readonly label: string;
  readonly required: boolean;
  readonly options: readonly string[];
  readonly placeholder: string;
}

/** Reads a definition off the attributes, so that it makes no difference which element the browser upgrades first. */
export function readDefinition(element: Element): FieldDefinition {
  const text = (name: string): string => element.getAttribute(name)?.trim() ?? '';
  return {
    name: text('name'),
    kind: toKind(text('kind')),
    label: text('label') || text('name'),
    required: element.hasAttribute('required'),
    options: splitChoices(text('options')),
    placeholder: text('placeholder'),
  };
}

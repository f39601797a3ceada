/** Reads `custom-elements.json`, the source of every description of the tags. */
import { readFile } from 'node:fs/promises';

/** A part of an element with a name and a description. */
export interface Named {
  readonly name: string;
  readonly description?: string;
  readonly default?: string;
  readonly type?: { readonly text: string };
  /** The property that an attribute sets. */
  readonly fieldName?: string;
  /** The syntax of a custom property of CSS, such as `<color>`. */
  readonly syntax?: string;
}

/** A property or method. */
export interface Member extends Named {
  readonly kind: 'field' | 'method';
  readonly privacy?: string;
  readonly readonly?: boolean;
  readonly attribute?: string;
}

/** A custom element in the schema of the Custom Elements Manifest. */
export interface CustomElement {
  readonly tagName: string;
  readonly name: string;
  readonly summary: string;
  readonly description: string;
  readonly attributes?: readonly Named[];
  readonly members?: readonly Member[];
  readonly events?: readonly Named[];
  readonly slots?: readonly Named[];
  readonly cssParts?: readonly Named[];
  readonly cssProperties?: readonly Named[];
  readonly cssStates?: readonly Named[];
}

/** The class of an event. */
export interface EventClass extends Named {
  readonly members?: readonly Named[];
}

/** The elements of the package. */
export async function readElements(): Promise<readonly CustomElement[]> {
  return (await readDeclarations()).filter(
    (declaration): declaration is CustomElement => 'tagName' in declaration && declaration.tagName !== undefined,
  );
}

/** The event classes of the package. */
export async function readEventClasses(): Promise<readonly EventClass[]> {
  return (await readDeclarations()).filter(({ name }) => name.endsWith('Event'));
}

async function readDeclarations(): Promise<readonly (CustomElement | EventClass)[]> {
  const manifest: unknown = JSON.parse(await readFile(new URL('../custom-elements.json', import.meta.url), 'utf8'));
  const { modules } = manifest as { modules: readonly { declarations?: readonly (CustomElement | EventClass)[] }[] };
  return modules.flatMap(({ declarations = [] }) => declarations);
}

/** The values of a type that is a union of strings; empty for any other type. */
export function wordsOf({ type }: Named): readonly string[] {
  return /^\s*\|?\s*'/.test(type?.text ?? '')
    ? Array.from(type?.text.matchAll(/'([^']+)'/g) ?? [], ([, word = '']) => word)
    : [];
}

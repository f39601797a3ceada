/** Writes the types of the tags' attributes, properties and events for the modules of React, Vue and Svelte. */
import { format } from '../../packages/core/scripts/format.ts';
import { readElements, type Named } from './manifest.ts';

/** A comment of lines that fit. */
function comment(text = ''): string {
  const lines = text.replaceAll(/\s+/g, ' ').match(/.{1,108}(?= |$)/g) ?? [];
  return lines.length > 1 ? `/**\n * ${lines.map((line) => line.trim()).join('\n * ')}\n */` : `/** ${text} */`;
}

/** Members of an interface, each with its description. */
const membersOf = (list: readonly Named[] = []): string =>
  list.map(({ name, description, type }) => `${comment(description)}\n'${name}'?: ${type?.text};`).join('\n');

const namesOf = (list: readonly Named[] = []): string => list.map(({ name }) => `'${name}'`).join(' | ');

/** The text of each file, by its path from the root of the repository. */
export async function generate(): Promise<Readonly<Record<string, string>>> {
  const [field, signup] = await readElements();
  const settable = signup?.members?.filter(({ kind, readonly }) => kind === 'field' && !readonly);
  const types = `/** Types of the attributes, properties and events, from the manifest; \`npm run generate\` writes this file. */
    import './events.ts';
    import type { NewsletterSignup } from './signup-element.ts';
    /** Properties of \`<newsletter-signup>\`. */
    export type SignupProperties = Partial<Pick<NewsletterSignup, ${namesOf(settable)}>>;
    /** Attributes of \`<newsletter-signup>\`. */
    export interface SignupAttributes {${membersOf(signup?.attributes)}}
    /** Attributes of \`<newsletter-field>\`. */
    export interface FieldAttributes {${membersOf(field?.attributes)}}
    /** The events of \`<newsletter-signup>\` by name, without \`newsletter-consent\`, which the page sends. */
    export type SignupEvents = Pick<GlobalEventHandlersEventMap, ${namesOf(signup?.events)}>;`;
  return { 'widget/src/attributes.ts': format('attributes.ts', types) };
}

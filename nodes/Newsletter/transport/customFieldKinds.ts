/** The custom fields of the publication, asked for once in a run. */
import type { Engine } from '@newsletter-kit/core/engine';
import { headingReader, type HeadingMeaning } from '@newsletter-kit/core/import';

/** What is known of a publication's custom fields. */
export interface KnownCustomFields {
  /** The kind of each field by its `display` text, the name by which subscriptions refer to it. */
  readonly kinds: ReadonlyMap<string, string>;
  /** What the name of an input field means; undefined where it means no field of a subscription. */
  meaningOf(name: string): HeadingMeaning | undefined;
}

/** An engine lives as long as one run of a node, and so does what was read with it. */
const known = new WeakMap<Engine, Promise<KnownCustomFields>>();

export function readCustomFieldsOf(engine: Engine): Promise<KnownCustomFields> {
  const asked = known.get(engine) ?? ask(engine);
  known.set(engine, asked);
  return asked;
}

async function ask(engine: Engine): Promise<KnownCustomFields> {
  const kinds = new Map<string, string>();
  for await (const { display, kind } of engine.list('customFields.list', {})) kinds.set(display, kind);
  const read = headingReader([...kinds.keys()]);
  const meanings = new Map<string, HeadingMeaning | undefined>();
  return {
    kinds,
    meaningOf(name) {
      // Thousands of items have the same few names.
      if (!meanings.has(name)) meanings.set(name, read(name));
      return meanings.get(name);
    },
  };
}

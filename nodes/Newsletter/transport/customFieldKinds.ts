/** The custom fields of the publication, asked for once in a run. */
import type { Engine } from '@newsletter-kit/core/engine';

/** An engine lives as long as one run of a node, and so does what was read with it. */
const known = new WeakMap<Engine, Promise<ReadonlyMap<string, string>>>();

/** The kind of each field by its `display` text, the name by which subscriptions refer to it. */
export function readKinds(engine: Engine): Promise<ReadonlyMap<string, string>> {
  const asked = known.get(engine) ?? ask(engine);
  known.set(engine, asked);
  return asked;
}

async function ask(engine: Engine): Promise<ReadonlyMap<string, string>> {
  const kinds = new Map<string, string>();
  for await (const { display, kind } of engine.list('customFields.list', {})) kinds.set(display, kind);
  return kinds;
}

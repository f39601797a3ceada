/** Why mutants may survive: mutations that no test can notice, or that no test should. */
import { core } from './explanations/core.ts';
import { nodes } from './explanations/nodes.ts';
import { relay } from './explanations/relay.ts';
import { sandbox } from './explanations/sandbox.ts';

/**
 * Mutants by file, from the root of the repository, and by reason: why the behaviour stays the same, or why the
 * difference does not matter. White space in a mutant is collapsed.
 */
type Explanations = Readonly<
  Record<string, Readonly<Record<string, readonly (readonly [original: string, replacement: string])[]>>>
>;

const explanations: Explanations = { ...core, ...nodes, ...relay, ...sandbox };

/** The reason why a mutant may survive; undefined where none is written down. */
export function reasonFor(file: string, original: string, replacement: string): string | undefined {
  const reasons = Object.entries(explanations[file] ?? {});
  return reasons.find(([, mutants]) =>
    mutants.some(([before, after]) => before === original && after === replacement),
  )?.[0];
}

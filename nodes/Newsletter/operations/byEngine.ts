/**
 * What goes to the service together: a call is about one publication. `Map.groupBy` would need Node 21, and n8n may run
 * on 20.
 */
import type { Engine } from '@newsletter-kit/core/engine';

/** The groups in the order of their first members, each in the order it was given. */
export function byEngine<Member>(
  all: readonly Member[],
  engineOf: (member: Member) => Engine,
): Iterable<readonly Member[]> {
  const groups = new Map<Engine, Member[]>();
  for (const member of all) {
    const engine = engineOf(member);
    const group = groups.get(engine);
    if (group) group.push(member);
    else groups.set(engine, [member]);
  }
  return groups.values();
}

/** Explores a world breadth-first: every order of actions up to a depth. Deterministic. */
import { createHash } from 'node:crypto';
import { actions, settle } from './doors.ts';
import {
  hourMs,
  type Action,
  type Guard,
  publicationNames,
  publications,
  startWorld,
  type Person,
  type Publication,
  type Standing,
  type WorldState,
} from './world.ts';

export interface Found {
  /** Distinct states in which actions were carried out. */
  readonly states: number;
  /** Actions carried out. */
  readonly steps: number;
  readonly depth: number;
  readonly seconds: number;
  /** The shortest way to each problem that was met. */
  readonly counterexamples: readonly Counterexample[];
}

export interface Counterexample {
  readonly problem: string;
  readonly from: readonly Standing[];
  readonly path: readonly string[];
}

/** How the two people stand at the beginning; the other orders are the same with the people exchanged. */
export const beginnings: readonly (readonly Standing[])[] = [
  ['left', 'left'],
  ['left', 'active'],
  ['left', 'unknown'],
  ['active', 'active'],
  ['active', 'unknown'],
  ['unknown', 'unknown'],
];

/** How many actions the slow tests explore; `CONSENT_DEPTH=5` goes deeper. */
export const slowDepth = Number(process.env['CONSENT_DEPTH'] ?? 4);

/** For a run that hangs: the exploration itself has no limit of time. */
export const limitMs = 40 * 60_000;

interface Node {
  readonly text: string;
  readonly from: number;
  readonly parent: number;
  readonly action: string;
}

export async function explore(
  depth: number,
  {
    guardOff,
    only,
    from = beginnings,
    stopAtFirst = false,
  }: {
    readonly guardOff?: Guard | undefined;
    /** Which actions; all where left out. */
    readonly only?: ((action: Action) => boolean) | undefined;
    readonly from?: readonly (readonly Standing[])[] | undefined;
    readonly stopAtFirst?: boolean;
  } = {},
): Promise<Found> {
  const began = performance.now();
  const isOffered = only ?? (() => true);
  const offered = actions.filter(isOffered);
  const nodes: Node[] = [];
  const seen = new Set<string>();
  const counterexamples = new Map<string, Counterexample>();
  let steps = 0;
  let level = -1;
  const add = (state: WorldState, node: Omit<Node, 'text'>): void => {
    // Nothing follows a last state.
    if (level === depth - 1) return;
    const key = createHash('sha1').update(canonical(state)).digest('base64');
    if (seen.has(key)) return;
    seen.add(key);
    nodes.push({ ...node, text: JSON.stringify(state) });
  };
  for (const [index, standings] of from.entries()) {
    const state = startWorld(standings);
    await settle(state);
    add(state, { from: index, parent: -1, action: '' });
  }
  level = 0;
  for (let start = 0; level < depth && start < nodes.length; level += 1) {
    const end = nodes.length;
    for (let at = start; at < end; at += 1) {
      const { text, from: origin } = nodes[at]!;
      const take = async (action: Action): Promise<boolean> => {
        const state = JSON.parse(text) as WorldState;
        if (!state.chosen && action.person === 1) return false;
        if (action.person !== undefined) state.chosen = true;
        const done = await action.run(state, guardOff);
        if (done === null) return false;
        steps += 1;
        state.now += hourMs;
        for (const problem of done.problems)
          if (!counterexamples.has(problem))
            counterexamples.set(problem, {
              problem,
              from: from[origin]!,
              path: [...pathTo(nodes, at), action.name],
            });
        if (done.problems.length === 0) add(state, { from: origin, parent: at, action: action.name });
        return done.wrote;
      };
      for (const action of offered) {
        if (await take(action))
          for (const variant of action.variants ?? []) if (isOffered(variant)) await take(variant);
        if (stopAtFirst && counterexamples.size > 0) return result();
      }
      // A state that was explored is needed for its path alone.
      nodes[at] = { ...nodes[at]!, text: '' };
    }
    start = end;
  }
  return result();

  function result(): Found {
    return {
      states: seen.size,
      steps,
      depth: level,
      seconds: (performance.now() - began) / 1000,
      counterexamples: [...counterexamples.values()],
    };
  }
}

function pathTo(nodes: readonly Node[], at: number): string[] {
  const path: string[] = [];
  for (let node = nodes[at]; node && node.parent >= 0; node = nodes[node.parent]) path.unshift(node.action);
  return path;
}

/** A text that is the same for states that differ in ids, marks and times but not in their order. */
export function canonical(state: WorldState): string {
  const { service, relay, sync, imports, wishes, posted, leftAt, erased, contacts, cautious, chosen } = state;
  const whole = JSON.stringify([relay, imports, posted]);
  const kept = Object.entries(wishes).filter(([mark]) => isIn(whole, mark));
  // Times of different publications are never compared.
  const parts = publicationNames.map((name) => {
    const of = <Value>(all: Readonly<Record<string, Value>>) =>
      Object.entries(all).filter(([key]) => key.startsWith(name));
    const text = JSON.stringify([
      service.subscribers.filter(({ publication }) => publication === publications[name]),
      relay.signup.filter(({ form }) => form === name),
      relay.batch.filter(({ publication }) => publication === publications[name]),
      relay.walk.filter(({ publication }) => publication === publications[name]),
      sync[name],
      of(imports),
      of(posted),
      of(leftAt),
    ]);
    return ranked(text + JSON.stringify(kept.filter(([mark]) => isIn(text, mark))));
  });
  return parts.join() + JSON.stringify([service.made, erased, contacts, cautious, chosen]);
}

const isIn = (text: string, mark: string): boolean => text.includes(`"${mark}"`) || text.includes(`"${mark}\\"`);

const names = /[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}|mark-[0-9]+/g;
const times = /\b1[0-9]{12}\b|\b1[0-9]{9}\b/g;

function ranked(text: string): string {
  const inMs = (time: string): number => (time.length === 10 ? Number(time) * 1000 : Number(time));
  const ranks = new Map(
    [...new Set(text.match(times))].sort((a, b) => inMs(a) - inMs(b)).map((time, rank) => [time, `t${rank}`] as const),
  );
  const known = new Map<string, string>();
  return text
    .replace(times, (time) => ranks.get(time) ?? '')
    .replace(names, (name) => {
      const renamed = known.get(name) ?? `n${known.size}`;
      known.set(name, renamed);
      return renamed;
    });
}

/** Whether an action can happen in a world of one person and one publication. */
export function isAbout(action: Action, person: Person, name: Publication): boolean {
  return (action.person ?? person) === person && (action.publication ?? name) === name;
}

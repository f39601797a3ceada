/** A plugin that leaves out of a bundle what the contract says to people: `doc` and `assumed` of every operation. */
import type { Plugin } from 'vite';

const prose = new Set(['assumed', 'doc']);

interface Node {
  readonly type: string;
  readonly start: number;
  readonly end: number;
  readonly key?: { readonly name?: string };
}

/** The objects that stand somewhere below this one, itself included. */
function* nodesOf(value: unknown): Generator<Node> {
  if (typeof value !== 'object' || value === null) return;
  if (isNode(value)) yield value;
  for (const below of Object.values(value)) yield* nodesOf(below);
}

function isNode(value: object): value is Node {
  return 'type' in value && 'start' in value && 'end' in value;
}

/** Reads the modules as JavaScript, so it comes after the types are taken out. */
export function withoutProse(): Plugin {
  return {
    name: 'without-contract-prose',
    apply: 'build',
    enforce: 'post',
    transform: {
      filter: { id: /packages[\\/]core[\\/]src[\\/]contract[\\/]/ },
      handler(code) {
        let kept = '';
        let from = 0;
        for (const { type, start, end, key } of nodesOf(this.parse(code))) {
          if (type !== 'Property' || !prose.has(key?.name ?? '')) continue;
          kept += code.slice(from, start);
          from = end + (/^\s*,/.exec(code.slice(end))?.[0].length ?? 0);
        }
        return from === 0 ? null : { code: kept + code.slice(from), map: null };
      },
    },
  };
}

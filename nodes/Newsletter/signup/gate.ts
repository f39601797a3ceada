/**
 * Lets a signup start one execution. Requests that arrive together are told apart here, in the memory of the process:
 * n8n gives each its own copy of what it keeps beside the workflow, and the last one saved wins.
 */
import { isRepeat, withMarks, type Marks, type PassedOn } from './passedOn.ts';

/** What a signup is weighed by. */
export interface Claim {
  readonly marks: Marks;
  readonly quietSeconds: number;
  /** Seconds since 1970. */
  readonly now: number;
  /** What n8n kept when the request came in. */
  readonly kept: PassedOn;
}

/** A signup that may start an execution. */
export interface Pass {
  /** What n8n is to keep from now on. */
  readonly kept: PassedOn;
  /** Says whether n8n has the execution. Where it has not, the next attempt goes through. */
  settle(saved: boolean): void;
}

/** One node's gate. */
export class Gate {
  #passedOn: PassedOn = new Map();
  readonly #pending = new Map<string, Promise<boolean>>();
  #minute = 0;
  #started = 0;

  /** Seconds until the next execution may start; 0 where one may start now. */
  waitSeconds(now: number, perMinute: number): number {
    const minute = Math.floor(now / 60);
    return minute === this.#minute && this.#started >= perMinute ? 60 - (now % 60) : 0;
  }

  /**
   * Waits for an attempt of the same signup that is under way.
   *
   * @returns null where the signup was passed on before
   */
  async claim({ marks, quietSeconds, now, kept }: Claim): Promise<Pass | null> {
    for (;;) {
      if (isRepeat(kept, marks, now) || isRepeat(this.#passedOn, marks, now)) return null;
      const underWay = marks.map(({ hash }) => this.#pending.get(hash)).find((each) => each !== undefined);
      if (underWay === undefined) break;
      if (await underWay) return null;
    }
    this.#count(now);
    let resolve!: (saved: boolean) => void;
    const promise = new Promise<boolean>((done) => (resolve = done));
    for (const { hash } of marks) this.#pending.set(hash, promise);
    return {
      kept: withMarks(newest(kept, this.#passedOn), marks, now, quietSeconds),
      settle: (saved) => {
        for (const { hash } of marks) if (this.#pending.get(hash) === promise) this.#pending.delete(hash);
        if (saved) this.#passedOn = withMarks(this.#passedOn, marks, now, quietSeconds);
        resolve(saved);
      },
    };
  }

  #count(now: number): void {
    const minute = Math.floor(now / 60);
    this.#started = minute === this.#minute ? this.#started + 1 : 1;
    this.#minute = minute;
  }
}

function newest(one: PassedOn, other: PassedOn): PassedOn {
  const merged = new Map(one);
  for (const [hash, at] of other) merged.set(hash, Math.max(at, merged.get(hash) ?? at));
  return merged;
}

const gates = new Map<string, Gate>();

/** The gate of a node; there is one for as long as the process lives. */
export function gateOf(scope: string): Gate {
  const gate = gates.get(scope) ?? new Gate();
  gates.set(scope, gate);
  return gate;
}

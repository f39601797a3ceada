/** Why a mutant may survive: mutations that no test can notice, or that no test should. */

export interface Explanation {
  /** Path of the mutated file from the root of the repository. */
  readonly file: string;
  /** The code that is replaced; white space is collapsed. */
  readonly original: string;
  /** The mutation; white space is collapsed. */
  readonly replacement: string;
  /** One sentence: why the behaviour stays the same, or why the difference does not matter. */
  readonly reason: string;
}

export const explanations: readonly Explanation[] = [];

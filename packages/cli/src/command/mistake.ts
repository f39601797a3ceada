/** What the person at the terminal did wrong, in sentences that say what to do; all of it at once. */
export class Mistake extends Error {
  override readonly name = 'Mistake';

  readonly problems: readonly string[];

  constructor(problems: string | readonly string[]) {
    const all = typeof problems === 'string' ? [problems] : problems;
    super(all.length === 1 ? all[0] : ['This cannot work yet:', ...all].join('\n  - '));
    this.problems = all;
  }
}

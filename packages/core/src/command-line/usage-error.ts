/** The error of a command that was called in a way that cannot work. */

/** The command was called in a way that cannot work. The message says what to do. */
export class UsageError extends Error {
  override readonly name = 'UsageError';

  readonly problems: readonly string[];

  /** @param problems - sentences; several are reported together */
  constructor(problems: string | readonly string[], options?: ErrorOptions) {
    const all = typeof problems === 'string' ? [problems] : problems;
    super(all.length === 1 ? all[0] : ['This cannot work yet:', ...all].join('\n  - '), options);
    this.problems = all;
  }
}

/** Quotes an argument for a message, cut after 40 characters: a mistyped one may be a secret or a page of text. */
export function quote(text = ''): string {
  return JSON.stringify(text.length > 40 ? `${text.slice(0, 40)}…` : text);
}

/** What every command is: what it is for, what it takes, and how it runs. */
import { parseArgs, type ParseArgsOptionsConfig } from 'node:util';

/** A command of `newsletter-relay`. */
export interface Command {
  /** What it is for, in one line. */
  readonly about: string;
  /** What follows its name, for example `ADDRESS`; empty where nothing does. */
  readonly takes?: string;
  /** Its options, each with what it is for. */
  readonly options?: Readonly<Record<string, Option>>;
  /**
   * Resolves when it has ended well.
   * @throws UsageError, StartupError or OperatorError with a sentence for the terminal
   */
  run(given: Given): Promise<void>;
}

/** One option. */
export interface Option {
  readonly about: string;
  /** What its value is, for example `WORDS`; left out for a switch. */
  readonly value?: string;
}

/** What was written after the command's name. */
export interface Given {
  readonly words: readonly string[];
  /** Options with a value. */
  readonly values: Readonly<Record<string, string>>;
  /** Switches that were set. */
  readonly switches: ReadonlySet<string>;
}

/** The command was written in a way it does not understand. */
export class UsageError extends Error {
  override readonly name = 'UsageError';
}

/** @throws UsageError that names what is wrong */
export function readGiven(command: Command, args: readonly string[]): Given {
  const config: ParseArgsOptionsConfig = Object.fromEntries(
    Object.entries(command.options ?? {}).map(([name, { value }]) => [
      name,
      { type: value ? ('string' as const) : ('boolean' as const) },
    ]),
  );
  try {
    const { positionals, values } = parseArgs({
      args: [...args],
      options: config,
      allowPositionals: true,
      strict: true,
    });
    if (positionals.length > 0 && !command.takes) throw new UsageError(`"${positionals[0]}" is one word too many.`);
    const entries = Object.entries(values);
    return {
      words: positionals,
      values: Object.fromEntries(entries.filter((entry): entry is [string, string] => typeof entry[1] === 'string')),
      switches: new Set(entries.filter(([, value]) => value === true).map(([name]) => name)),
    };
  } catch (error) {
    if (error instanceof UsageError) throw error;
    // Its first sentence says what is wrong; the rest is advice for other programs.
    throw new UsageError(
      `${error instanceof Error ? error.message.split('. ')[0] : String(error)}.`.replace('..', '.'),
      { cause: error },
    );
  }
}

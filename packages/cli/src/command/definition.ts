/** What a command is made of: a record that help, parsing and dispatch all read. */
import type { Reporter } from '../output/reporter.ts';
import type { ExitCode } from './exit-codes.ts';

/** An option of the command line; its name stands without the dashes. */
export interface Option {
  /** What help calls its value. Left out for one that is on or off. */
  readonly value?: string;
  /** May be given several times. */
  readonly multiple?: true;
  /** The environment variable it stands for. */
  readonly variable?: string;
  readonly help: string;
}

export type Options = Readonly<Record<string, Option>>;

/** What was given, by the name of the option. */
export type Given<O extends Options> = {
  readonly [Name in keyof O]?: O[Name] extends { readonly value: string }
    ? O[Name] extends { readonly multiple: true }
      ? readonly string[]
      : string
    : boolean;
};

export type Environment = Readonly<Record<string, string | undefined>>;

/** One call of a command. */
export interface Call<O extends Options = Options> {
  readonly options: Given<O> & Given<typeof commonOptions>;
  /** What stands beside the options, such as a file. */
  readonly operands: readonly string[];
  readonly env: Environment;
  readonly report: Reporter;
  /** Aborts with the first Ctrl-C or SIGTERM: finish what is under way, then end. */
  readonly interrupted: AbortSignal;
}

export interface Command<O extends Options = Options> {
  readonly about: string;
  /** The operands as help shows them, and how many there may be. */
  readonly operands?: { readonly usage: string; readonly atLeast: number; readonly atMost: number };
  readonly options: O;
  /** What help says below the options. */
  readonly notes?: string;
  /** Loaded when it is called, so that help and mistakes answer at once. */
  load(): Promise<{ run(call: Call<O>): Promise<ExitCode> }>;
}

/** Options that every command has. */
export const commonOptions = {
  json: { help: 'events as JSON lines on stdout, for programs' },
  help: { help: 'this text' },
} as const satisfies Options;

/** Readers of option values and help paragraphs that several commands share. */
import process from 'node:process';
import { InvalidArgumentError, type CommandUnknownOpts } from '@commander-js/extra-typings';

/** Reads a whole number within limits, both inclusive. */
export function wholeNumber(min: number, max: number): (text: string) => number {
  return (text) => {
    const value = /^\d{1,9}$/.test(text) ? Number(text) : Number.NaN;
    if (value >= min && value <= max) return value;
    throw new InvalidArgumentError(`It must be a whole number from ${min} to ${max}.`);
  };
}

/** Collects the values of an option that may be repeated. */
export function collect(value: string, previous: readonly string[] | undefined): readonly string[] {
  return [...(previous ?? []), value];
}

/** Collects values of an option that may be repeated and may hold several, separated by commas. */
export function collectList(value: string, previous: readonly string[] | undefined): readonly string[] {
  const values = value
    .split(',')
    .map((each) => each.trim())
    .filter(Boolean);
  return [...(previous ?? []), ...values];
}

/**
 * Paragraphs below the options in the help of a command, wrapped to the terminal. A paragraph with indented lines stays
 * as it is.
 */
export function notes(...paragraphs: readonly string[]): (context: { readonly command: CommandUnknownOpts }) => string {
  return ({ command }) => {
    const help = command.createHelp();
    const width = process.stdout.isTTY ? process.stdout.columns : 80;
    return `\n${paragraphs.map((each) => (help.preformatted(each) ? each : help.boxWrap(each, width))).join('\n\n')}`;
  };
}

/** A value that may stand at the cursor. `:files` lets the shell complete the name of a file. */
export interface Candidate {
  readonly value: string;
  readonly about: string;
}

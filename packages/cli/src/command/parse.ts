/** Reads the arguments of a command by its table of options. */
import { parseArgs } from 'node:util';
import { commonOptions, type Command, type Given, type Options } from './definition.ts';
import { Mistake } from './mistake.ts';

export interface Parsed {
  readonly options: Given<Options> & Given<typeof commonOptions>;
  readonly operands: readonly string[];
}

/** @throws Mistake that names everything that is wrong */
export function parse(name: string, command: Command, argv: readonly string[]): Parsed {
  const known: Options = { ...commonOptions, ...command.options };
  const { values, positionals, tokens } = parseArgs({
    args: [...argv],
    strict: false, // it would stop at the first mistake
    tokens: true,
    allowPositionals: true,
    options: Object.fromEntries(
      Object.entries(known).map(([option, { value, multiple }]) => [
        option,
        {
          type: value === undefined ? ('boolean' as const) : ('string' as const),
          multiple: multiple ?? false,
          ...(option === 'help' && { short: 'h' }),
        },
      ]),
    ),
  });
  const problems = tokens.flatMap((token): string[] => {
    if (token.kind !== 'option') return [];
    const option = Object.hasOwn(known, token.name) ? known[token.name] : undefined;
    if (!option) return [`There is no option ${token.rawName}; newsletter ${name} --help shows those there are.`];
    if (option.value === undefined) return token.value === undefined ? [] : [`${token.rawName} takes no value.`];
    if (token.value === undefined || (!token.inlineValue && /^-./.test(token.value)))
      return [`${token.rawName} needs a value: ${token.rawName} ${option.value}.`];
    return [];
  });
  const { usage, atLeast, atMost } = command.operands ?? { usage: '', atLeast: 0, atMost: 0 };
  const asksHelp = values['help'] === true;
  if (positionals.length > atMost) problems.push(`${quote(positionals[atMost])} is one argument too many.`);
  if (positionals.length < atLeast && !asksHelp) problems.push(`An argument is missing: newsletter ${name} ${usage}.`);
  if (problems.length > 0) throw new Mistake(problems);
  return { options: values as Parsed['options'], operands: positionals };
}

/** A list given with commas, with several options, or both. */
export function commaSeparated(values: readonly string[] | undefined): readonly string[] {
  return (values ?? [])
    .flatMap((value) => value.split(','))
    .map((each) => each.trim())
    .filter(Boolean);
}

/** A number given as text; what is no such number is told in `problems`. */
export function wholeNumber(
  flag: string,
  text: string | undefined,
  { fallback, least, most }: { readonly fallback: number; readonly least: number; readonly most: number },
  problems: string[],
): number {
  if (text === undefined) return fallback;
  const value = /^\d{1,9}$/.test(text) ? Number(text) : Number.NaN;
  if (value >= least && value <= most) return value;
  problems.push(`${flag} must be a number from ${least} to ${most}, not ${quote(text)}.`);
  return fallback;
}

/** Cut: what was mistyped may be a secret or a page of text. */
export function quote(text = ''): string {
  return JSON.stringify(text.length > 40 ? `${text.slice(0, 40)}…` : text);
}

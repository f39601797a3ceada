/** Reads the command line and the environment. Flags win over variables, variables over defaults. */
import { parseArgs } from 'node:util';
import { profiles, type Profile } from '../api/rate-limit.ts';
import { readings, readingsNamed } from './readings.ts';

export interface CommandOptions {
  readonly host: string;
  readonly port: number;
  /** Host names that reach the sandbox beside loopback names and IP addresses. */
  readonly allowedHosts: readonly string[];
  /** What the control requires; undefined where none was given. */
  readonly controlToken: string | undefined;
  readonly db: string;
  /** Name of a seed or path of a seed file. */
  readonly seed: string;
  /** Subscriptions the first publication is filled up to; undefined where it stays as the seed has it. */
  readonly seedSize: number | undefined;
  readonly profile: Profile;
  /** File that every request is written to; undefined where none is recorded. */
  readonly record: string | undefined;
  /** Recording to replay; null where the sandbox serves. */
  readonly replay: string | null;
  /** The command to run and its arguments; null where the sandbox runs for itself. */
  readonly exec: readonly [string, ...string[]] | null;
  /** How to certify a command; null where none is certified. */
  readonly certify: CertifyOptions | null;
}

export interface CertifyOptions {
  readonly command: readonly [string, ...string[]];
  /** Names of readings to try beside the default one; null for all. */
  readonly only: readonly string[] | null;
  /** Names of readings that are not tried. */
  readonly except: readonly string[];
  /** Stops at the first failure. */
  readonly bail: boolean;
  readonly json: boolean;
  /** Milliseconds a run may take. */
  readonly timeout: number;
}

/** A usage error: a sentence that names the mistake and the remedy. */
export class UsageError extends Error {
  override readonly name = 'UsageError';
}

/** Each option with its variable, its default and what help says about it. */
const table = {
  port: { variable: 'SANDBOX_PORT', fallback: '4010', value: 'NUMBER', help: 'port to listen on; 0 takes a free one' },
  host: {
    variable: 'SANDBOX_HOST',
    fallback: '127.0.0.1',
    value: 'ADDRESS',
    help: 'address to listen on; the default is reached from this machine only',
  },
  'allowed-host': {
    variable: 'SANDBOX_ALLOWED_HOSTS',
    fallback: 'none',
    value: 'NAME',
    help: 'answer requests for this host name too, beside localhost and IP addresses; may be repeated, the variable takes commas',
  },
  'control-token': {
    variable: 'SANDBOX_CONTROL_TOKEN',
    fallback: 'none',
    value: 'TOKEN',
    help: 'require this token for the control and the window; one is made up where --host is not of this machine',
  },
  db: {
    variable: 'SANDBOX_DB',
    fallback: ':memory:',
    value: 'FILE',
    help: 'keep everything in this file, or :memory: to forget it at the end',
  },
  seed: {
    variable: 'SANDBOX_SEED',
    fallback: 'demo',
    value: 'demo|empty|FILE.json',
    help: 'what a new database starts with',
  },
  'seed-size': {
    variable: 'SANDBOX_SEED_SIZE',
    fallback: '0',
    value: 'NUMBER',
    help: 'fill the publication up to so many subscriptions; 0 leaves the seed as it is',
  },
  profile: {
    variable: 'SANDBOX_PROFILE',
    fallback: 'spec',
    value: profiles.join('|'),
    help: 'rate limit: none and no headers, 180 a minute with headers, none',
  },
  record: {
    variable: 'SANDBOX_RECORD',
    fallback: 'none',
    value: 'FILE',
    help: 'write every request with its answer to this file, to replay it',
  },
} as const;
type Name = keyof typeof table;
/** Options that may be repeated. */
type ListName = 'allowed-host';
const names = Object.keys(table) as Name[];

export const help = `newsletter-sandbox – the Newsletter Publishing API on this machine

Usage: newsletter-sandbox [options]
       newsletter-sandbox exec [options] -- COMMAND [arguments]
       newsletter-sandbox certify [options] -- COMMAND [arguments]
       newsletter-sandbox replay FILE

${names.map((name) => `  --${name} ${table[name].value}`.padEnd(38) + `${table[name].help} (${table[name].variable}, default ${table[name].fallback})`).join('\n')}
  --help                              this text

exec starts a fresh sandbox on a free port, runs the command with NEWSLETTER_API_URL, NEWSLETTER_API_KEY and more in its
environment, and ends with the command's exit code; where it failed, the requests it sent are printed with their reasons.

certify does the same once under every reading: the default one, each other value of each assumption, and the main faults.
Exit code 0 of the command is survival; certify ends with 0 where it survived all. Its options:
  --only NAME        try this reading and the default one, such as lost-response, pagination_fields or
                     pagination_fields=nested; may be repeated
  --except NAME      leave this reading out, for it is not claimed to be survived; may be repeated
  --bail             stop at the first failure
  --timeout SECONDS  stop a run that takes longer, and count it as failed (default 60)
  --json             print the result as JSON, and the table on standard error

replay sends the requests of a recording to a fresh sandbox in the recorded state and compares the answers; where one
differs, it prints how and ends with exit code 1.
`;

/** The options, or `help` where that was asked for. @throws {@link UsageError} */
export function readOptions(
  argv: readonly string[],
  env: Readonly<Record<string, string | undefined>>,
): CommandOptions | 'help' {
  const { values: given, verb, command, replay } = parse(argv);
  if (given.help) return 'help';
  const value = (name: Exclude<Name, ListName>): string =>
    given[name] ?? (env[table[name].variable] || table[name].fallback);
  return {
    host: value('host'),
    // Several commands may run at once, so exec and certify take a free port unless `--port` names one.
    port: readPort(command ? (given.port ?? '0') : value('port')),
    db: value('db'),
    allowedHosts: (given['allowed-host'] ?? env[table['allowed-host'].variable]?.split(',') ?? [])
      .map((name) => name.trim())
      .filter((name) => name !== '')
      .map(readHost),
    controlToken: readToken(given['control-token'] ?? env[table['control-token'].variable]),
    seed: value('seed'),
    seedSize: readSize(value('seed-size')),
    profile: readProfile(value('profile')),
    // Every run of a certification would write over the one before.
    record: verb === 'certify' || value('record') === 'none' ? undefined : value('record'),
    replay,
    exec: verb === 'exec' ? command : null,
    certify: verb === 'certify' && command ? readCertify(command, given) : null,
  };
}

function parse(argv: readonly string[]) {
  const text = { type: 'string' } as const;
  try {
    const options = {
      port: text,
      host: text,
      'allowed-host': { type: 'string', multiple: true },
      'control-token': text,
      db: text,
      seed: text,
      'seed-size': text,
      profile: text,
      record: text,
      only: { type: 'string', multiple: true },
      except: { type: 'string', multiple: true },
      bail: { type: 'boolean' },
      json: { type: 'boolean' },
      timeout: text,
      help: { type: 'boolean', short: 'h' },
    } as const;
    const dashes = argv.indexOf('--');
    const { values, positionals } = parseArgs({
      args: dashes < 0 ? [...argv] : argv.slice(0, dashes),
      options,
      allowPositionals: true,
    });
    const [first, second, third] = positionals;
    const verb = first === 'exec' || first === 'certify' || first === 'replay' ? first : null;
    if (dashes >= 0 && first === undefined)
      throw new UsageError(
        'A command behind " -- " needs "exec" or "certify" before it: newsletter-sandbox exec -- npm test.',
      );
    const replays = verb === 'replay';
    if (replays && second === undefined && !values.help)
      throw new UsageError('"replay" needs a recording: newsletter-sandbox replay FILE.');
    const unknown = verb === null ? first : replays ? third : second;
    if (unknown !== undefined)
      throw new UsageError(
        `"${unknown}" is not an option. ${verb && !replays ? `The command stands behind " -- ": newsletter-sandbox ${verb} -- npm test.` : 'Run newsletter-sandbox --help to see them.'}`,
      );
    const misplaced = certifyOptions.find((name) => values[name] !== undefined);
    if (misplaced && verb !== 'certify')
      throw new UsageError(`"--${misplaced}" belongs to certify: newsletter-sandbox certify -- npm test.`);
    if (verb === 'certify' && values.record !== undefined)
      throw new UsageError('certify records nothing: leave out --record, or use it with exec.');
    const runs = verb !== null && !replays && !values.help;
    return {
      values,
      verb,
      replay: replays ? (second ?? null) : null,
      command: runs ? readCommand(verb, dashes < 0 ? [] : argv.slice(dashes + 1)) : null,
    };
  } catch (error) {
    if (error instanceof UsageError || !(error instanceof Error)) throw error;
    const [problem = ''] = error.message.split(/(?<=['"])\. |\n/);
    throw new UsageError(`${problem.replace(/\.?$/, '.')} Run newsletter-sandbox --help to see the options.`, {
      cause: error,
    });
  }
}

function readCommand(verb: string, [command, ...args]: readonly string[]): readonly [string, ...string[]] {
  if (!command) throw new UsageError(`"${verb}" needs a command to run: newsletter-sandbox ${verb} -- npm test.`);
  return [command, ...args];
}

const certifyOptions = ['only', 'except', 'bail', 'json', 'timeout'] as const;

function readCertify(
  command: readonly [string, ...string[]],
  {
    only,
    except = [],
    bail = false,
    json = false,
    timeout = '60',
  }: {
    readonly only?: readonly string[] | undefined;
    readonly except?: readonly string[] | undefined;
    readonly bail?: boolean | undefined;
    readonly json?: boolean | undefined;
    readonly timeout?: string | undefined;
  },
): CertifyOptions {
  const seconds = /^\d{1,5}(?:\.\d+)?$/.test(timeout) ? Number(timeout) : 0;
  if (seconds <= 0) throw new UsageError(`"${timeout}" is not a time. Use a number of seconds with --timeout.`);
  return {
    command,
    only: only ? only.flatMap(readReading) : null,
    except: except.flatMap(readReading),
    bail,
    json,
    timeout: seconds * 1000,
  };
}

function readReading(name: string): readonly string[] {
  const named = readingsNamed(name);
  if (named.length > 0) return named.map((reading) => reading.name);
  throw new UsageError(`There is no reading "${name}". There are ${readings.map((one) => one.name).join(', ')}.`);
}

function readPort(text: string): number {
  const port = /^\d{1,5}$/.test(text) ? Number(text) : Number.NaN;
  if (port >= 0 && port <= 65_535) return port;
  throw new UsageError(`"${text}" is not a port. Use a number from 0 to 65535 with --port or SANDBOX_PORT.`);
}

function readHost(text: string): string {
  if (/^[\w-]+(?:\.[\w-]+)*\.?$/.test(text)) return text;
  throw new UsageError(
    `"${text}" is not a host name. Use one such as host.docker.internal, without scheme and port, with --allowed-host or SANDBOX_ALLOWED_HOSTS.`,
  );
}

function readToken(text: string | undefined): string | undefined {
  if (!text || /^[\w.~-]{8,200}$/.test(text)) return text || undefined;
  throw new UsageError(
    'The control token is 8 to 200 letters, digits and . _ ~ - (--control-token or SANDBOX_CONTROL_TOKEN).',
  );
}

function readSize(text: string): number | undefined {
  const size = /^\d{1,8}$/.test(text) ? Number(text) : Number.NaN;
  if (size >= 0 && size <= largestSize) return size || undefined;
  throw new UsageError(
    `"${text}" is not a size. Use a number of subscriptions up to ${largestSize} with --seed-size or SANDBOX_SEED_SIZE.`,
  );
}

/** The largest size that was tested. */
const largestSize = 10_000_000;

function readProfile(text: string): Profile {
  const profile = profiles.find((known) => known === text);
  if (profile) return profile;
  throw new UsageError(`There is no profile "${text}". Use ${profiles.join(', ')} with --profile or SANDBOX_PROFILE.`);
}

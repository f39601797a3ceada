/** The options of `newsletter-sandbox` and their values. Flags win over variables, variables over defaults. */
import { InvalidArgumentError, Option, type CommandUnknownOpts } from '@commander-js/extra-typings';
import { collectList, UsageError, wholeNumber } from '#command-line';
import { profiles, type Profile } from '../control/rate-limit.ts';

/** What a sandbox on a port is started with, by the names that commander gives the options. */
export interface ServerOptions {
  readonly host: string;
  /** 0 takes a free one. */
  readonly port: number;
  /** Host names that reach the sandbox beside loopback names and IP addresses. */
  readonly allowedHost?: readonly string[];
  /** What the control requires. */
  readonly controlToken?: string;
  readonly db: string;
  /** Name of a seed or path of a seed file. */
  readonly seed: string;
  /** Subscriptions the first publication is filled up to; 0 where it stays as the seed has it. */
  readonly seedSize: number;
  readonly profile: Profile;
  /** Path of a JSON file with assumptions; without one every assumption has its default. */
  readonly assumptions?: string;
  /** Path of a JSON file with the shapes of a service's answers; without one the specification's are answered. */
  readonly shape?: string;
}

/** More has not been tried. */
const largestSeedSize = 10_000_000;

/** The options that every command shares. */
export function serverOptions(): readonly Option[] {
  return [
    setting(
      '--port <number>',
      'port to listen on; 0 selects a free one',
      'SANDBOX_PORT',
      wholeNumber(0, 65_535),
    ).default(4010),
    setting(
      '--host <address>',
      'address to listen on; the default accepts connections from this machine only',
      'SANDBOX_HOST',
      asText,
    ).default('127.0.0.1'),
    setting(
      '--allowed-host <name>',
      'accept requests for this host name as well as for localhost and IP addresses; may be repeated or list several, separated by commas',
      'SANDBOX_ALLOWED_HOSTS',
      (text, previous: readonly string[] | undefined) => collectList(readHostNames(text), previous),
    ),
    setting(
      '--control-token <token>',
      'require this token for the control endpoints and the web interface (default: none, or a random one where --host accepts connections from other machines)',
      'SANDBOX_CONTROL_TOKEN',
      asText,
    ),
    setting('--db <file>', 'database file; :memory: keeps nothing after the end', 'SANDBOX_DB', asText).default(
      ':memory:',
    ),
    setting(
      '--seed <name or file>',
      'content of a new database: demo, empty or a JSON file',
      'SANDBOX_SEED',
      asText,
    ).default('demo'),
    setting(
      '--seed-size <number>',
      'generate subscriptions until the publication has this many; 0 generates none',
      'SANDBOX_SEED_SIZE',
      wholeNumber(0, largestSeedSize),
    ).default(0),
    setting(
      '--profile <name>',
      'rate limit: spec and unlimited have none; service allows 180 requests a minute and sends RateLimit headers, service-30, service-500 and service-800 as many as other plans have',
      'SANDBOX_PROFILE',
      readProfile,
    ).default('spec'),
    setting(
      '--assumptions <file>',
      'answer as this JSON file says where the specification leaves something open',
      'SANDBOX_ASSUMPTIONS',
      asText,
    ),
    setting(
      '--shape <file>',
      'answer in the shapes of this JSON file; newsletter probe --out writes it',
      'SANDBOX_SHAPE',
      asText,
    ),
  ];
}

/**
 * An option with a variable. A blank value counts as not given: the option keeps its default. Without a default
 * commander makes it the empty string.
 */
function setting<Value>(
  flags: string,
  about: string,
  variable: string,
  parse: (text: string, previous: Value | undefined) => Value,
): Option {
  return new Option(flags, about)
    .env(variable)
    .argParser((text: string, previous: Value | undefined) =>
      text.trim() === '' ? previous : parse(text, previous),
    ) as Option;
}

const asText = (text: string): string => text;

/**
 * Reads the shared options of the program.
 *
 * @param runsCommand - for a sandbox that runs beside others for as long as a command does: its port is free unless a
 *   flag gives one
 * @throws {@link UsageError}
 */
export function readServerOptions(
  program: CommandUnknownOpts,
  { runsCommand }: { readonly runsCommand: boolean },
): ServerOptions {
  // serverOptions() defines them.
  const given = Object.entries(program.opts()).filter(([, value]) => value !== '');
  const options = Object.fromEntries(given) as unknown as ServerOptions;
  // Checked here and not by commander, whose message would repeat the token.
  if (options.controlToken !== undefined && !/^[\w.~-]{8,200}$/.test(options.controlToken))
    throw new UsageError(
      'The control token must be 8 to 200 letters, digits or . _ ~ - (--control-token or SANDBOX_CONTROL_TOKEN).',
    );
  return runsCommand && program.getOptionValueSource('port') !== 'cli' ? { ...options, port: 0 } : options;
}

function readHostNames(text: string): string {
  if (text.split(',').every((name) => /^\s*(?:[\w-]+(?:\.[\w-]+)*\.?)?\s*$/.test(name))) return text;
  throw new InvalidArgumentError('Use a host name such as host.docker.internal, without scheme and port.');
}

function readProfile(text: string): Profile {
  const profile = profiles.find((known) => known === text);
  if (profile) return profile;
  throw new InvalidArgumentError(`There is no profile "${text}". Use ${profiles.join(', ')}.`);
}

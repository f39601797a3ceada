/** The settings: flags win over variables, variables over the login that is kept. Every mistake is named at once. */
import type { Environment, Options } from '../command/definition.ts';
import { Mistake } from '../command/mistake.ts';

/** A setting: where it is read, and what is wrong with a value, if anything. */
interface Setting {
  readonly flag: string | null;
  readonly variable: string;
  readonly missing: string;
  readonly problem: (value: string) => string | null;
}

const bare = (value: string): string | null =>
  /^[\x21-\x7e]+$/.test(value) ? null : 'must be bare: no spaces, no line breaks, no quotes around it';
const webAddress = (value: string): boolean => URL.canParse(value) && /^https?:$/.test(new URL(value).protocol);

const table = {
  apiUrl: {
    flag: 'api-url',
    variable: 'NEWSLETTER_API_URL',
    missing: 'the root address of the API, which ends with /v2',
    problem: (value) =>
      webAddress(value) && /\/v2\/?$/.test(value)
        ? null
        : 'must be an http(s) address that ends with /v2, for example http://127.0.0.1:4010/v2',
  },
  appUrl: {
    flag: 'app-url',
    variable: 'NEWSLETTER_APP_URL',
    missing: 'the root address of the app, where people sign in',
    problem: (value) => (webAddress(value) ? null : 'must be an http(s) address, for example http://127.0.0.1:4010'),
  },
  publicationId: {
    flag: 'publication',
    variable: 'NEWSLETTER_PUBLICATION_ID',
    missing: 'the id of the publication, pub_ and a UUID',
    problem: (value) =>
      /^pub_[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i.test(value)
        ? null
        : 'must be pub_ and a UUID, as the service shows it',
  },
  apiKey: { flag: null, variable: 'NEWSLETTER_API_KEY', missing: 'an API key', problem: bare },
  clientId: {
    flag: 'client-id',
    variable: 'NEWSLETTER_OAUTH_CLIENT_ID',
    missing: 'the id of the OAuth app, as the service gave it to you',
    problem: bare,
  },
  clientSecret: {
    flag: null,
    variable: 'NEWSLETTER_OAUTH_CLIENT_SECRET',
    missing: 'the secret of the OAuth app',
    problem: bare,
  },
} as const satisfies Record<string, Setting>;

export type SettingName = keyof typeof table;
export type Settings<Needed extends SettingName> = { readonly [Name in Needed]: string } & {
  readonly [Name in SettingName]: string | undefined;
};

/**
 * Options of the settings, for commands that call the API and those that sign in. Secrets have none: other users see
 * arguments.
 */
export const connectionOptions = {
  'api-url': { value: 'URL', variable: table.apiUrl.variable, help: 'root address of the API; ends with /v2' },
  publication: { value: 'ID', variable: table.publicationId.variable, help: 'publication: pub_ and a UUID' },
} as const satisfies Options;
export const appOptions = {
  'app-url': { value: 'URL', variable: table.appUrl.variable, help: 'root address of the app, where people sign in' },
  'client-id': { value: 'ID', variable: table.clientId.variable, help: 'OAuth app to sign in as' },
} as const satisfies Options;

export interface Sources {
  /** By name, without the dashes. */
  readonly flags: Readonly<Record<string, unknown>>;
  readonly env: Environment;
  /** What the last login was made with. */
  readonly kept?: { readonly [Name in SettingName]?: string | undefined };
  /** Mistakes found before, to be named together with those of the settings. */
  readonly problems?: readonly string[];
}

/**
 * The settings, from wherever they are set; blank counts as not set.
 *
 * @throws Mistake that names every setting that is missing or malformed, and never a secret's value
 */
export function readSettings<Needed extends SettingName>(
  needed: readonly Needed[],
  sources: Sources,
): Settings<Needed> {
  const problems = [...(sources.problems ?? [])];
  const settings = Object.fromEntries(
    Object.entries(table).map(([name, { flag, variable, missing, problem }]: [string, Setting]) => {
      const given = (flag && text(sources.flags[flag])) || undefined;
      const value = given ?? (text(sources.env[variable]) || sources.kept?.[name as SettingName]);
      const wanted = (needed as readonly string[]).includes(name);
      const source = given === undefined ? variable : `--${flag}`;
      if (value === undefined && wanted)
        problems.push(`${variable} is missing: set it ${flag ? `(or --${flag}) ` : ''}to ${missing}.`);
      const wrong = value === undefined ? null : problem(value);
      if (wrong !== null) problems.push(`${source} ${wrong}.`);
      return [name, value?.replace(/(?<=^https?:.*)\/+$/, '')];
    }),
  );
  if (problems.length > 0) throw new Mistake(problems);
  return settings as Settings<Needed>;
}

function text(value: unknown): string {
  return typeof value === 'string' ? value.trim() : '';
}

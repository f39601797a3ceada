/** Named connections, kept in one file of mode 0600; the tokens of a login have a file of their own. */
import { createHash } from 'node:crypto';
import { mkdir } from 'node:fs/promises';
import { homedir } from 'node:os';
import { join } from 'node:path';
import process from 'node:process';
import { UsageError, quote } from '#command-line';
import { modeForOthers, readIfThere, replaceFile } from '@newsletter-kit/core/files';
import { createFileTokenStore } from '@newsletter-kit/core/node';
import type { TokenStore } from '@newsletter-kit/core/oauth';
import type { Environment } from './context.ts';
import type { Shape } from '@newsletter-kit/core/contract';
import { fits } from '@newsletter-kit/core/engine';

/** A named connection. Its key and its tokens are sent to `apiUrl` only. */
export interface Profile {
  readonly apiUrl: string;
  readonly appUrl?: string | undefined;
  readonly publicationId?: string | undefined;
  /** Null without a login. */
  readonly credential: { readonly kind: 'key'; readonly key: string } | Login | null;
}

/** A login by OAuth; its tokens are in the token store of the profile. */
export interface Login {
  readonly kind: 'login';
  readonly appUrl: string;
  readonly clientId: string;
}

export interface Profiles {
  /** The profile that is used where none is named; null where there is none yet. */
  readonly current: string | null;
  readonly profiles: Readonly<Record<string, Profile>>;
}

/** The sandbox on its default port. */
export const sandboxUrl = 'http://127.0.0.1:4010';

/** The built-in profile. */
export const sandboxName = 'sandbox';
export const sandboxProfile: Profile = {
  apiUrl: `${sandboxUrl}/v2`,
  appUrl: sandboxUrl,
  publicationId: 'pub_00000000-0000-4000-8000-000000000001',
  credential: { kind: 'key', key: 'sandbox-key' },
};

/** The folder of the command's files: below XDG_CONFIG_HOME, by default ~/.config. */
function configFolder(env: Environment): string {
  const home = env['HOME'] || homedir();
  const base = env['XDG_CONFIG_HOME'] || (process.platform === 'win32' && env['APPDATA']) || join(home, '.config');
  return join(base, 'newsletter-kit');
}

export const profilesFile = (env: Environment): string => join(configFolder(env), 'profiles.json');

/** The token file of a login; each profile, app and service has its own. */
export function tokenStore(env: Environment, profile: string, { appUrl, clientId }: Login): Required<TokenStore> {
  const name = createHash('sha256').update(`${profile}\n${appUrl}\n${clientId}`).digest('hex').slice(0, 16);
  return createFileTokenStore(join(configFolder(env), `tokens-${name}.json`));
}

/** @throws UsageError where the file cannot be read as profiles, or other users can read it */
export async function readProfiles(env: Environment): Promise<Profiles> {
  const path = profilesFile(env);
  const text = await readIfThere(path);
  if (text === null) return { current: null, profiles: {} };
  if ((await modeForOthers(path)) !== null)
    throw new UsageError(`Other users may read or write ${path}, and keys are in it. Run chmod 600 ${path}.`);
  const profiles = parse(text);
  if (!profiles) throw new UsageError(`${path} holds no profiles. Delete it, then run newsletter login.`);
  return profiles;
}

export async function writeProfiles(env: Environment, profiles: Profiles): Promise<void> {
  await mkdir(configFolder(env), { recursive: true, mode: 0o700 });
  await replaceFile(profilesFile(env), `${JSON.stringify(profiles, null, 2)}\n`, 0o600);
}

/** Stores a profile; the first one becomes the current one. */
export async function saveProfile(env: Environment, name: string, profile: Profile): Promise<void> {
  const { current, profiles } = await readProfiles(env);
  await writeProfiles(env, { current: current ?? name, profiles: { ...profiles, [name]: profile } });
}

/**
 * The profile with this name.
 *
 * @throws UsageError where there is none
 */
export function profileNamed({ profiles }: Profiles, name: string): Profile {
  const profile = Object.hasOwn(profiles, name) ? profiles[name] : undefined;
  if (profile) return profile;
  if (name === sandboxName) return sandboxProfile;
  const known = [...new Set([...Object.keys(profiles), sandboxName])].join(', ');
  throw new UsageError(
    `There is no profile ${quote(name)}. The profiles are ${known}. Run newsletter login --profile ${name} to create it.`,
  );
}

const text: Shape = { is: 'string' };
const optionalText: Shape = { ...text, optional: true, nullable: true };
const object = (of: Readonly<Record<string, Shape>>): Shape => ({ is: 'object', of });
const login = object({ kind: { is: 'string', words: ['login'] }, appUrl: text, clientId: text });
const key = object({ kind: { is: 'string', words: ['key'] }, key: text });
const profile = object({
  apiUrl: text,
  appUrl: optionalText,
  publicationId: optionalText,
  credential: { is: 'union', of: [key, login], optional: true, nullable: true },
});
const file = object({ current: optionalText, profiles: { is: 'record', of: profile } });

function parse(content: string): Profiles | null {
  try {
    const value: unknown = JSON.parse(content);
    return fits(file, value) ? (value as Profiles) : null;
  } catch {
    return null;
  }
}

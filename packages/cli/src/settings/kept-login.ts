/** The login that outlives the command: what it was made with, and its tokens, in files of the person's own. */
import { createHash } from 'node:crypto';
import { mkdir, readFile, rm } from 'node:fs/promises';
import { homedir } from 'node:os';
import { join } from 'node:path';
import process from 'node:process';
import { createFileTokenStore, replaceFile } from '@newsletter-kit/core/node';
import type { TokenStore } from '@newsletter-kit/core/oauth';
import type { Environment } from '../command/definition.ts';
import { Mistake } from '../command/mistake.ts';

/** What a login was made with. Its tokens are sent to `apiUrl` and nowhere else. */
export interface KeptLogin {
  readonly apiUrl: string;
  readonly appUrl: string;
  readonly clientId: string;
  readonly publicationId?: string | undefined;
}

/** The folder of this command's files: below XDG_CONFIG_HOME, which is ~/.config where it is not set. */
export function configFolder(env: Environment): string {
  const home = env['HOME'] || homedir();
  const base = env['XDG_CONFIG_HOME'] || (process.platform === 'win32' && env['APPDATA']) || join(home, '.config');
  return join(base, 'newsletter-kit');
}

const loginFile = (env: Environment): string => join(configFolder(env), 'login.json');

/** The tokens of an app at a service have a file of their own, so that those of one service never reach another. */
export function tokenStore(
  env: Environment,
  { appUrl, clientId }: Pick<KeptLogin, 'appUrl' | 'clientId'>,
): Required<TokenStore> {
  const name = createHash('sha256').update(`${appUrl}\n${clientId}`).digest('hex').slice(0, 16);
  return createFileTokenStore(join(configFolder(env), `tokens-${name}.json`));
}

/** @returns null where nobody is logged in @throws Mistake where the file is not one of ours */
export async function readLogin(env: Environment): Promise<KeptLogin | null> {
  const path = loginFile(env);
  const text = await readFile(path, 'utf8').catch((error: unknown) => {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return null;
    throw error;
  });
  if (text === null) return null;
  const { apiUrl, appUrl, clientId, publicationId } = parse(text);
  if (typeof apiUrl !== 'string' || typeof appUrl !== 'string' || typeof clientId !== 'string') {
    throw new Mistake(`${path} is no login of this command. Delete it, then run newsletter login.`);
  }
  return { apiUrl, appUrl, clientId, ...(typeof publicationId === 'string' && { publicationId }) };
}

export async function keepLogin(env: Environment, login: KeptLogin): Promise<void> {
  await mkdir(configFolder(env), { recursive: true, mode: 0o700 });
  await replaceFile(loginFile(env), `${JSON.stringify(login, null, 2)}\n`, 0o600);
}

export async function forgetLogin(env: Environment): Promise<void> {
  await rm(loginFile(env), { force: true });
}

function parse(text: string): Readonly<Partial<Record<keyof KeptLogin, unknown>>> {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === 'object' && value !== null ? value : {};
  } catch {
    return {};
  }
}

/** An n8n on this machine: its settings, the wait until it is ready, and its owner account. */
import { randomBytes } from 'node:crypto';
import { readFile, writeFile } from 'node:fs/promises';
import { setTimeout as sleep } from 'node:timers/promises';
import { serverUrl } from '../servers.ts';
import type { RunningProcess } from '../program.ts';

/** The folder and ports of an n8n. */
export interface N8nLocation {
  readonly userFolder: string;
  readonly port: number;
  /** The port of the task broker. */
  readonly broker: number;
}

/** Time limit for a start that hangs, in milliseconds: on a busy machine it takes minutes. */
const startLimit = 300_000;

/** Variables of an n8n that listens on this machine alone and sends no telemetry. */
export function settingsOf({ userFolder, port, broker }: N8nLocation): Readonly<Record<string, string>> {
  return {
    N8N_USER_FOLDER: userFolder,
    N8N_PORT: String(port),
    N8N_LISTEN_ADDRESS: '127.0.0.1',
    N8N_RUNNERS_BROKER_PORT: String(broker),
    N8N_SECURE_COOKIE: 'false',
    // The base of redirect addresses; the session's cookie belongs to this host.
    N8N_EDITOR_BASE_URL: serverUrl(port),
    WEBHOOK_URL: serverUrl(port),
    N8N_DIAGNOSTICS_ENABLED: 'false',
    N8N_VERSION_NOTIFICATIONS_ENABLED: 'false',
    N8N_TEMPLATES_ENABLED: 'false',
    N8N_PERSONALIZATION_ENABLED: 'false',
    GENERIC_TIMEZONE: 'UTC',
  };
}

/** @throws Error with the last lines of its output where it ends, or is not ready in time */
export async function untilReady(url: string, running: RunningProcess): Promise<void> {
  let ended: number | string | undefined;
  void running.ended.then((how) => (ended = how));
  for (const deadline = Date.now() + startLimit; Date.now() < deadline; await sleep(250)) {
    if (ended !== undefined) throw new Error(`n8n ended with ${ended} instead of starting:\n${running.output()}`);
    const response = await fetch(`${url}/healthz/readiness`).catch(() => undefined);
    await response?.body?.cancel();
    if (response?.ok) return;
  }
  throw new Error(`n8n was not ready within ${startLimit / 1000} s:\n${running.output()}`);
}

/** The account that n8n's sign-in page asks for. */
export interface Owner {
  readonly email: string;
  readonly firstName: string;
  readonly lastName: string;
  readonly password: string;
}

/**
 * Reads the owner from a file, or creates one there. An account of n8n can run programs on this machine: the password
 * is random, and only the current user may read the file.
 */
export async function storedOwner(file: string): Promise<Owner> {
  try {
    return JSON.parse(await readFile(file, 'utf8')) as Owner;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error;
    // n8n wants a capital letter and a digit in it.
    const owner = {
      email: 'owner@example.com',
      firstName: 'Ada',
      lastName: 'Owner',
      password: `N8n-${randomBytes(6).toString('hex')}`,
    };
    await writeFile(file, JSON.stringify(owner, null, 2), { mode: 0o600 });
    return owner;
  }
}

/** Creates the owner in an n8n that has none. @returns n8n's answer; not ok where there is an owner already */
export function setUpOwner(url: string, owner: Owner): Promise<Response> {
  return post(`${url}/rest/owner/setup`, owner);
}

/** @returns n8n's answer; not ok where the user has changed address or password */
export function signIn(url: string, { email, password }: Pick<Owner, 'email' | 'password'>): Promise<Response> {
  return post(`${url}/rest/login`, { emailOrLdapLoginId: email, password });
}

async function post(url: string, body: unknown): Promise<Response> {
  // A kept connection breaks where n8n closes it after some idle seconds.
  const headers = { 'content-type': 'application/json', connection: 'close' };
  return fetch(url, { method: 'POST', headers, body: JSON.stringify(body) });
}

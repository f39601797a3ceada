/** The owner account of the n8n that `npm run n8n` starts. */
import { randomBytes } from 'node:crypto';
import { readFile, writeFile } from 'node:fs/promises';

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

/** @returns false where the user has changed address or password */
export async function canSignIn(url: string, { email, password }: Owner): Promise<boolean> {
  const { ok } = await post(`${url}/rest/login`, { emailOrLdapLoginId: email, password });
  return ok;
}

async function post(url: string, body: unknown): Promise<Response> {
  return fetch(url, { method: 'POST', headers: { 'content-type': 'application/json' }, body: JSON.stringify(body) });
}

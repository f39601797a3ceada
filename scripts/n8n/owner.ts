/** The person who owns an n8n of ours. */
import { randomBytes } from 'node:crypto';
import { readFile, writeFile } from 'node:fs/promises';

/** Whom n8n asks for at its sign-in page. */
export interface Owner {
  readonly email: string;
  readonly firstName: string;
  readonly lastName: string;
  readonly password: string;
}

/**
 * The owner of the n8n of this file's folder. Whoever signs in can run programs on this machine, and other people may
 * have accounts on it: the password is made up here, and only its owner may read the file.
 */
export async function keptOwner(file: string): Promise<Owner> {
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

/** Makes the owner of an n8n that has none. @returns its answer; not ok where there is one already */
export function setUpOwner(url: string, owner: Owner): Promise<Response> {
  return post(`${url}/rest/owner/setup`, owner);
}

/** @returns false where the person has chosen another address or password since */
export async function canSignIn(url: string, { email, password }: Owner): Promise<boolean> {
  const { ok } = await post(`${url}/rest/login`, { emailOrLdapLoginId: email, password });
  return ok;
}

async function post(url: string, body: unknown): Promise<Response> {
  return fetch(url, { method: 'POST', headers: { 'content-type': 'application/json' }, body: JSON.stringify(body) });
}

/** A secret of the relay's own, made once and kept beside the store where only its owner can read it. */
import { randomBytes } from 'node:crypto';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { StartupError } from './startup-error.ts';

/** Bytes of a secret, and characters that it has at least in its file. */
const secretBytes = 24;

/**
 * The secret in the file, made if there is none.
 *
 * @param what - what it is, for the error
 * @param setting - where one can be given instead
 * @throws StartupError where the file cannot be read or written, or holds no secret
 */
export function keptSecret(file: string, what: string, setting: string): string {
  let secret: string;
  try {
    if (!existsSync(file))
      writeFileSync(file, `${randomBytes(secretBytes).toString('base64url')}\n`, { mode: 0o600, flag: 'wx' });
    secret = readFileSync(file, 'utf8').trim();
  } catch (cause) {
    throw new StartupError(`${what} could not be kept in ${file}. Set ${setting}, or make the folder writable.`, {
      cause,
    });
  }
  if (secret.length < secretBytes)
    throw new StartupError(
      `${what} in ${file} is cut off. Delete the file, so that a new one is made, or set ${setting}.`,
    );
  return secret;
}

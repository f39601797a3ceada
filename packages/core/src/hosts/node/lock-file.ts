/** Lets one process at a time do something, by a file that exists while it does. Survives processes that die at it. */
import { randomUUID } from 'node:crypto';
import { link, readFile, rename, rm, stat, writeFile } from 'node:fs/promises';
import { hostname } from 'node:os';
import process from 'node:process';
import { setTimeout as sleep } from 'node:timers/promises';

/** Somebody else holds the lock for longer than anybody should. */
export class LockedError extends Error {
  override readonly name = 'LockedError';
}

/** How patient {@link withLock} is. */
export interface LockOptions {
  /** Milliseconds to wait for the others. Default 60,000. */
  readonly waitMs?: number | undefined;
  /** Age in milliseconds from which a lock counts as left behind, even if a process of its number lives. Default 600,000. */
  readonly staleMs?: number | undefined;
}

/**
 * Runs `work` while no other process that asks for the same file runs theirs. What a dead process of this machine left
 * behind is taken over at once.
 *
 * @throws LockedError where the others take too long
 */
export async function withLock<T>(path: string, work: () => Promise<T>, options: LockOptions = {}): Promise<T> {
  const { waitMs = 60_000, staleMs = 600_000 } = options;
  const claim = JSON.stringify({ pid: process.pid, host: hostname(), id: randomUUID() });
  const giveUp = Date.now() + waitMs;
  while (!(await take(path, claim))) {
    await removeLeftBehind(path, staleMs);
    if (Date.now() >= giveUp) {
      throw new LockedError(`Another process has held ${path} for ${Math.round(waitMs / 1000)} s. If none is running, delete that file.`);
    }
    await sleep(10 + Math.random() * 40);
  }
  try {
    return await work();
  } finally {
    // Somebody who thought this process dead may hold it by now.
    if ((await read(path)) === claim) await rm(path, { force: true });
  }
}

/** A link appears with its content or not at all, so that nobody ever reads half a claim. */
async function take(path: string, claim: string): Promise<boolean> {
  const own = `${path}.${randomUUID()}`;
  await writeFile(own, claim, { flag: 'wx', mode: 0o600 });
  try {
    await link(own, path);
    return true;
  } catch (error) {
    if (codeOf(error) === 'EEXIST') return false;
    throw error;
  } finally {
    await rm(own, { force: true });
  }
}

async function removeLeftBehind(path: string, staleMs: number): Promise<void> {
  const claim = await read(path);
  if (claim === null || !(await isLeftBehind(path, claim, staleMs))) return;
  const aside = `${path}.${randomUUID()}`;
  try {
    await rename(path, aside);
  } catch (error) {
    if (codeOf(error) === 'ENOENT') return;
    throw error;
  }
  // Between reading and renaming somebody may have cleared the same lock and taken it: give it back.
  if ((await read(aside)) !== claim) await link(aside, path).catch(() => undefined);
  await rm(aside, { force: true });
}

async function isLeftBehind(path: string, claim: string, staleMs: number): Promise<boolean> {
  const holder = parse(claim);
  if (holder?.host === hostname() && !isAlive(holder.pid)) return true;
  const age = await stat(path).then(({ mtimeMs }) => Date.now() - mtimeMs, () => 0);
  return age > staleMs;
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0); // signal 0 asks only whether it is there
    return true;
  } catch (error) {
    return codeOf(error) === 'EPERM';
  }
}

function parse(claim: string): { readonly pid: number; readonly host: string } | null {
  try {
    const value: unknown = JSON.parse(claim);
    if (typeof value !== 'object' || value === null || !('pid' in value) || !('host' in value)) return null;
    const { pid, host } = value;
    return typeof pid === 'number' && typeof host === 'string' ? { pid, host } : null;
  } catch {
    return null;
  }
}

async function read(path: string): Promise<string | null> {
  try {
    return await readFile(path, 'utf8');
  } catch (error) {
    if (codeOf(error) === 'ENOENT') return null;
    throw error;
  }
}

function codeOf(error: unknown): unknown {
  return error instanceof Error && 'code' in error ? error.code : undefined;
}

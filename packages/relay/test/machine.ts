/** Tools of the system for tests: tracing of system calls, a disk of a limited size, PgBouncer. */
import { execFileSync } from 'node:child_process';

/** Whether the system calls of a process may be traced: `strace` is there, and nothing forbids it. */
export function canTrace(): boolean {
  return process.platform === 'linux' && works('strace', ['-o', '/dev/null', 'true']);
}

/** Whether a file system may be mounted. */
export function canMount(): boolean {
  if (process.platform !== 'linux' || process.getuid?.() !== 0) return false;
  return works('unshare', ['--mount', 'mount', '-t', 'tmpfs', 'tmpfs', '/mnt']);
}

/** Whether PgBouncer is installed. */
export function canBounce(): boolean {
  return works('pgbouncer', ['--version']);
}

function works(command: string, args: readonly string[]): boolean {
  try {
    execFileSync(command, args, { stdio: 'ignore' });
    return true;
  } catch {
    return false;
  }
}

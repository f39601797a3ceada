/** Keeps what Node compiles for the commands under test in the checkout instead of the system's temporary folder. */
import process from 'node:process';
import { fileURLToPath } from 'node:url';

export function setup(): void {
  process.env['NODE_COMPILE_CACHE'] ??= fileURLToPath(new URL('../../.cache/compiled', import.meta.url));
}

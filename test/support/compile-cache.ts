/** Puts Node's compile cache of the commands under test into the checkout instead of the temporary folder. */
import process from 'node:process';
import { fileURLToPath } from 'node:url';

export function setup(): void {
  process.env['NODE_COMPILE_CACHE'] ??= fileURLToPath(new URL('../../.cache/compiled', import.meta.url));
}

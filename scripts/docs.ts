/** The documentation site. */
import { run } from './command.ts';
import { UserError } from './user-error.mjs';

const commands = ['dev', 'build', 'preview'];

/** Serves the site while its pages change (`dev`), builds it into `docs/dist`, or serves what was built (`preview`). */
export async function runDocs([command = 'dev', ...args]: readonly string[]): Promise<boolean> {
  if (!commands.includes(command))
    throw new UserError(
      `There is no command "${command}" for the site.`,
      `The commands are ${commands.join(', ')}; without one, the site is served while its pages change.`,
    );
  return run(process.execPath, ['node_modules/astro/bin/astro.mjs', command, ...args], {
    cwd: 'docs',
    env: { ASTRO_TELEMETRY_DISABLED: '1' },
  });
}

/** The documentation site: its generated pages, then Astro. */
import { buildIfStale } from './build.ts';
import { run } from './command.ts';
import { UserError } from './user-error.mjs';

/** Workspace packages are read from their sources. */
const nodeOptions = ['--conditions=@newsletter-kit/source', '--disable-warning=ExperimentalWarning'];
const commands = ['dev', 'build', 'preview'];

/** Serves the site while its pages change (`dev`), builds it into `docs/dist`, or serves what was built (`preview`). */
export async function runDocs([command = 'dev', ...args]: readonly string[]): Promise<boolean> {
  if (!commands.includes(command))
    throw new UserError(
      `There is no command "${command}" for the site.`,
      `The commands are ${commands.join(', ')}; without one, the site is served while its pages change.`,
    );
  if (command !== 'preview') {
    await buildIfStale('docs');
    if (!(await run(process.execPath, [...nodeOptions, 'docs/generate.ts']))) return false;
  }
  // Without its cache: a page that did not change may link to one that is gone.
  const fresh = command === 'build' ? ['--force'] : [];
  return run(process.execPath, ['node_modules/astro/bin/astro.mjs', command, ...fresh, ...args], {
    cwd: 'docs',
    env: { ASTRO_TELEMETRY_DISABLED: '1' },
  });
}

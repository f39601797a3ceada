/** The documentation site: its generated pages, then Astro. */
import { buildIfStale } from './build.ts';
import { run } from './command.ts';
import { UserError } from './user-error.mjs';

/** Workspace packages are read from their sources. */
const nodeOptions = ['--conditions=@newsletter-kit/source', '--disable-warning=ExperimentalWarning'];

/**
 * Astro's steps for each command, by the command's name. Only a built site has an index for the search. A build goes
 * without its cache: a page that did not change may link to one that is gone.
 */
const commands: Readonly<Partial<Record<string, readonly (readonly string[])[]>>> = {
  '': [['build', '--force'], ['preview']],
  build: [['build', '--force']],
  preview: [['preview']],
  dev: [['dev']],
};

/**
 * Builds the site and serves it; or only builds it into `docs/dist` (`build`), serves what was built (`preview`), or
 * serves the pages while they change, without a search (`dev`). Options such as `--port 4400` go to the last step.
 */
export async function runDocs(args: readonly string[]): Promise<boolean> {
  const command = args.find((arg, index) => index === 0 && !arg.startsWith('-')) ?? '';
  const steps = Object.hasOwn(commands, command) ? commands[command] : undefined;
  if (!steps)
    throw new UserError(
      `There is no command "${command}" for the site.`,
      'The commands are build, preview and dev; without one, the site is built and served.',
    );
  if (command !== 'preview') {
    await buildIfStale('docs');
    if (!(await run(process.execPath, [...nodeOptions, 'docs/generate.ts']))) return false;
  }
  for (const step of steps) {
    const options = step === steps.at(-1) ? args.slice(command === '' ? 0 : 1) : [];
    const astro = ['node_modules/astro/bin/astro.mjs', ...step, ...options];
    if (!(await run(process.execPath, astro, { cwd: 'docs', env: { ASTRO_TELEMETRY_DISABLED: '1' } }))) return false;
  }
  return true;
}

/** The browser engines that the tag is tested in, and the ones installed on this machine. */
import { UserError } from '../../../scripts/user-error.mjs';
import { findChromium, findFirefox, findWebKit } from './find.ts';

export type EngineName = 'chromium' | 'firefox' | 'webkit';

export interface Engine {
  readonly name: EngineName;
  readonly title: string;
  /** Debian's packages. */
  readonly packages: string;
  /** Whether this machine has it. */
  readonly isInstalled: () => boolean;
}

const engines: readonly Engine[] = [
  { name: 'chromium', title: 'Chromium', packages: 'chromium', isInstalled: () => findChromium() !== undefined },
  { name: 'firefox', title: 'Firefox', packages: 'firefox-esr', isInstalled: () => findFirefox() !== undefined },
  {
    name: 'webkit',
    title: 'WebKitGTK',
    packages: 'webkit2gtk-driver xvfb',
    isInstalled: () => findWebKit() !== undefined,
  },
];

/**
 * The engines to test in: those that are installed. In CI that must be all of them; elsewhere a missing one is
 * skipped with a line that says how to install it.
 *
 * @param names - some of the engines, all of which must be there; by default those that `WIDGET_ENGINES` names, such as
 *   `WIDGET_ENGINES=chromium,webkit`
 * @throws UserError where one that is needed is missing, or a name is not an engine's
 */
export function enginesToTest(
  names: readonly string[] | undefined = process.env['WIDGET_ENGINES']?.split(',').filter(Boolean),
): readonly Engine[] {
  const unknown = names?.find((name) => !engines.some((engine) => engine.name === name));
  if (unknown)
    throw new UserError(
      `WIDGET_ENGINES names "${unknown}", which is not an engine.`,
      `Take some of ${engines.map(({ name }) => name).join(', ')}.`,
    );
  const wanted = engines.filter(({ name }) => names?.includes(name) ?? true);
  const missing = wanted.filter(({ isInstalled }) => !isInstalled());
  if (missing.length > 0 && (names || process.env['CI'])) {
    throw new UserError(
      `${missing.map(({ title }) => title).join(' and ')} is missing, and these tests need it.`,
      `Install it (Debian: "sudo apt-get install ${missing.map(({ packages }) => packages).join(' ')}") and run the command again.`,
    );
  }
  for (const { title, packages } of missing)
    console.error(`– left out ${title}, which is not installed (Debian: sudo apt-get install ${packages})`);
  return wanted.filter(({ isInstalled }) => isInstalled());
}

/** The engines that the tag is tested in, and which of them this machine can run. */
import { Complaint } from '../bring/complaint.mjs';
import { findChromium, findFirefox, findWebKit } from './find.ts';

export type EngineName = 'chromium' | 'firefox' | 'webkit';

export interface Engine {
  readonly name: EngineName;
  readonly title: string;
  /** Debian's packages. */
  readonly packages: string;
  /** Whether this machine has it. */
  readonly isHere: () => boolean;
}

const engines: readonly Engine[] = [
  { name: 'chromium', title: 'Chromium', packages: 'chromium', isHere: () => findChromium() !== undefined },
  { name: 'firefox', title: 'Firefox', packages: 'firefox-esr', isHere: () => findFirefox() !== undefined },
  { name: 'webkit', title: 'WebKitGTK', packages: 'webkit2gtk-driver xvfb', isHere: () => findWebKit() !== undefined },
];

/**
 * The engines to test in: those that are installed. In CI that must be all of them; elsewhere a missing one costs a
 * line that says how to get it.
 *
 * @param names - some of the engines, all of which must be there; by default those that `WIDGET_ENGINES` names, such as
 *   `WIDGET_ENGINES=chromium,webkit`
 * @throws Complaint where one that is needed is missing, or a name is no engine's
 */
export function enginesToTest(
  names: readonly string[] | undefined = process.env['WIDGET_ENGINES']?.split(',').filter(Boolean),
): readonly Engine[] {
  const unknown = names?.find((name) => !engines.some((engine) => engine.name === name));
  if (unknown)
    throw new Complaint(
      `WIDGET_ENGINES names "${unknown}", which is no engine.`,
      `Take some of ${engines.map(({ name }) => name).join(', ')}.`,
    );
  const wanted = engines.filter(({ name }) => names?.includes(name) ?? true);
  const missing = wanted.filter(({ isHere }) => !isHere());
  if (missing.length > 0 && (names || process.env['CI'])) {
    throw new Complaint(
      `${missing.map(({ title }) => title).join(' and ')} is missing, and these tests need it.`,
      `Install it (Debian: "sudo apt-get install ${missing.map(({ packages }) => packages).join(' ')}") and run the command again.`,
    );
  }
  for (const { title, packages } of missing)
    console.log(`– left out ${title}, which is not installed (Debian: sudo apt-get install ${packages})`);
  return wanted.filter(({ isHere }) => isHere());
}

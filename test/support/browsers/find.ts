/** Finds browsers and their drivers on this machine. */
import { accessSync, constants, globSync, statSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { UserError } from '../../../scripts/user-error.mjs';
import { root } from '../../../scripts/root.ts';

/** Names on the PATH, the open build first. */
const names = [
  'chromium',
  'chromium-browser',
  'google-chrome-stable',
  'google-chrome',
  'microsoft-edge',
  'chrome.exe',
  'msedge.exe',
];

/** Installation paths outside the PATH. */
const installPaths: Readonly<Partial<Record<NodeJS.Platform, readonly string[]>>> = {
  darwin: [
    '/Applications/Chromium.app/Contents/MacOS/Chromium',
    '/Applications/Google Chrome.app/Contents/MacOS/Google Chrome',
    '/Applications/Microsoft Edge.app/Contents/MacOS/Microsoft Edge',
  ],
  win32: ['PROGRAMFILES', 'PROGRAMFILES(X86)', 'LOCALAPPDATA'].flatMap((variable) => {
    const folder = process.env[variable];
    return folder
      ? [
          join(folder, 'Chromium/Application/chrome.exe'),
          join(folder, 'Google/Chrome/Application/chrome.exe'),
          join(folder, 'Microsoft/Edge/Application/msedge.exe'),
        ]
      : [];
  }),
};

/** Version of the package from which `npm test` installs a Chromium where the system has none and nobody is root. */
export const npmVersion = '153.0.0';

/** Where a Chromium from npm is installed, by the version of its package. */
export function npmFolder(version: string): string {
  return join(root, '.cache', 'chromium', version);
}

/** Program of a Chromium from npm, in its folder. */
export const npmProgram = 'chromium.sh';

/** WebKitGTK's browser is not on the PATH; each distribution has a folder for it. */
const miniBrowsers = ['/usr/lib/*/webkit2gtk-4.1/MiniBrowser', '/usr/lib{,64,exec}/webkit2gtk-4.1/MiniBrowser'];

/**
 * The path of a browser to run tests in: the one `CHROMIUM` names, else what the system has, else the one of npm.
 *
 * @returns undefined where there is none
 * @throws UserError where `CHROMIUM` names no program
 */
export function findChromium(): string | undefined {
  const configured = process.env['CHROMIUM'];
  if (configured) {
    if (isProgram(configured)) return configured;
    throw new UserError(
      `CHROMIUM is "${configured}", and there is no program there.`,
      'Set it to the path of a Chromium or Chrome, or unset it to search for one.',
    );
  }
  return findProgram(names, [...(installPaths[process.platform] ?? []), join(npmFolder(npmVersion), npmProgram)]);
}

/**
 * Whether the browser of the tests is the headless shell from npm, which lacks autofill and
 * the back/forward cache.
 */
export function isHeadlessShell(): boolean {
  return findChromium() === join(npmFolder(npmVersion), npmProgram);
}

/** Firefox, the extended support release first: it changes once a year. */
export function findFirefox(): string | undefined {
  return findProgram(
    ['firefox-esr', 'firefox'],
    process.platform === 'darwin' ? ['/Applications/Firefox.app/Contents/MacOS/firefox'] : [],
  );
}

/** The programs that run WebKitGTK without a screen. */
export interface WebKit {
  readonly browser: string;
  readonly driver: string;
  /** The X server without a screen. */
  readonly display: string;
}

/** @returns undefined where a part of it is missing */
export function findWebKit(): WebKit | undefined {
  const browser = findProgram([], globSync(miniBrowsers));
  const driver = findProgram(['WebKitWebDriver']);
  const display = findProgram(['Xvfb']);
  return browser && driver && display ? { browser, driver, display } : undefined;
}

/** The first program of these names on the PATH, else the first of these paths that is one. */
export function findProgram(programs: readonly string[], paths: readonly string[] = []): string | undefined {
  const folders = (process.env['PATH'] ?? '').split(delimiter).filter(Boolean);
  return [...programs.flatMap((name) => folders.map((folder) => join(folder, name))), ...paths].find(isProgram);
}

function isProgram(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return statSync(path).isFile();
  } catch {
    return false;
  }
}

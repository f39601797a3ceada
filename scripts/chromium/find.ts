/** Finds a Chromium, or another browser built on it, on this machine. */
import { accessSync, constants, statSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { Complaint } from '../bring/complaint.mjs';

/** Names on the PATH, the open build first. */
const names = ['chromium', 'chromium-browser', 'google-chrome-stable', 'google-chrome', 'microsoft-edge', 'chrome.exe', 'msedge.exe'];

/** Where installers put it when it is not on the PATH. */
const places: Readonly<Partial<Record<NodeJS.Platform, readonly string[]>>> = {
  darwin: [
    '/Applications/Chromium.app/Contents/MacOS/Chromium',
    '/Applications/Google Chrome.app/Contents/MacOS/Google Chrome',
    '/Applications/Microsoft Edge.app/Contents/MacOS/Microsoft Edge',
  ],
  win32: ['PROGRAMFILES', 'PROGRAMFILES(X86)', 'LOCALAPPDATA'].flatMap((variable) => {
    const folder = process.env[variable];
    return folder ? [join(folder, 'Chromium/Application/chrome.exe'), join(folder, 'Google/Chrome/Application/chrome.exe'), join(folder, 'Microsoft/Edge/Application/msedge.exe')] : [];
  }),
};

/**
 * The path of a browser to run tests in: `CHROMIUM` from the environment, else what the system has.
 *
 * @returns undefined where there is none
 * @throws Complaint where `CHROMIUM` names no program
 */
export function findChromium(): string | undefined {
  const asked = process.env['CHROMIUM'];
  if (asked) {
    if (isProgram(asked)) return asked;
    throw new Complaint(`CHROMIUM is "${asked}", and there is no program there.`, 'Set it to the path of a Chromium or Chrome, or unset it to have one looked for.');
  }
  const folders = (process.env['PATH'] ?? '').split(delimiter).filter(Boolean);
  const candidates = [...names.flatMap((name) => folders.map((folder) => join(folder, name))), ...(places[process.platform] ?? [])];
  return candidates.find(isProgram);
}

function isProgram(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return statSync(path).isFile();
  } catch {
    return false;
  }
}

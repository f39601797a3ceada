/** `newsletter-relay init`: writes a folder that runs the relay on Node or deploys its Worker. */
import { existsSync } from 'node:fs';
import { constants, copyFile, mkdir, readFile, writeFile } from 'node:fs/promises';
import { basename, join, resolve } from 'node:path';
import process from 'node:process';
import { fileURLToPath } from 'node:url';
import type { Command } from '@commander-js/extra-typings';
import { type ListedSetting, settings } from '../config/settings.ts';
import { StartupError } from '../errors.ts';
import { refuseRemote } from './with-operator.ts';

const packageFolder = fileURLToPath(new URL('../..', import.meta.url));

/** What is written besides the relay's package itself. */
interface Kind {
  /** The folder of the package whose files are copied. */
  readonly source: string;
  readonly copied: readonly string[];
  readonly scripts: Readonly<Record<string, string>>;
  readonly devDependencies?: Readonly<Record<string, string>>;
  /** Names for `.gitignore`. */
  readonly ignored: readonly string[];
}

const runRelay = 'node --env-file=relay.env node_modules/@newsletter-kit/relay/dist/main.js';

const kinds = {
  node: {
    source: 'deploy/node',
    copied: ['README.md'],
    scripts: { start: `${runRelay} serve`, relay: runRelay },
    ignored: ['node_modules', 'relay.env', 'relay.db*'],
  },
  worker: {
    source: 'deploy/worker',
    copied: ['README.md', 'index.js', 'wrangler.jsonc'],
    scripts: {
      start: 'npm run tag && wrangler dev',
      deploy: 'npm run tag && wrangler deploy',
      // Adds the files of the form of this version to those of earlier ones.
      tag: `node -e "fs.cpSync('node_modules/@newsletter-kit/relay/dist/tag', 'tag', { recursive: true, filter: (file) => !/\\.(br|gz)$/.test(file) })"`,
    },
    // The version of the documentation.
    devDependencies: { wrangler: '4.116.0' },
    ignored: ['node_modules', '.dev.vars', '.wrangler'],
  },
} as const satisfies Readonly<Record<string, Kind>>;

export function define(command: Command) {
  return command
    .argument('[folder]', 'where to write; created if it does not exist', 'newsletter-relay')
    .option('--worker', 'for Cloudflare Workers, in place of Node')
    .action(async (folder, { worker }) => {
      refuseRemote(command);
      await writeFolder(resolve(folder), worker ? 'worker' : 'node');
      process.stdout.write(`The next command: cd ${folder} && npm install\nREADME.md there has what follows.\n`);
    });
}

/** @throws StartupError where a file exists; nothing is written then */
async function writeFolder(folder: string, name: keyof typeof kinds): Promise<void> {
  const kind: Kind = kinds[name];
  const { specifier, tarball } = await ownPackage();
  const written: Readonly<Record<string, string>> = {
    'package.json': `${JSON.stringify(
      {
        name: 'newsletter-relay',
        private: true,
        type: 'module',
        scripts: kind.scripts,
        dependencies: { '@newsletter-kit/relay': specifier },
        devDependencies: kind.devDependencies,
      },
      null,
      2,
    )}\n`,
    '.gitignore': `${kind.ignored.join('\n')}\n`,
    ...(name === 'node' && { 'relay.env': environmentFile() }),
  };
  const copies = new Map(kind.copied.map((file) => [file, join(packageFolder, kind.source, file)]));
  if (tarball) copies.set(basename(tarball), tarball);

  const existing = [...Object.keys(written), ...copies.keys()].filter((file) => existsSync(join(folder, file)));
  if (existing.length > 0)
    throw new StartupError(
      `${folder} has ${existing.join(', ')} already, so nothing was written. Name another folder: newsletter-relay init FOLDER`,
    );
  try {
    await mkdir(folder, { recursive: true });
    // The settings will contain a key.
    for (const [file, text] of Object.entries(written))
      await writeFile(join(folder, file), text, { flag: 'wx', mode: file === 'relay.env' ? 0o600 : 0o666 });
    for (const [file, source] of copies) await copyFile(source, join(folder, file), constants.COPYFILE_EXCL);
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    throw new StartupError(`${folder} cannot be written: ${reason}. Name another folder.`, { cause: error });
  }
  process.stdout.write(`Wrote ${[...Object.keys(written), ...copies.keys()].toSorted().join(', ')} into ${folder}.\n`);
}

/** The version of this package, or the tarball that npm installed it from, which the folder then contains. */
async function ownPackage(): Promise<{ readonly specifier: string; readonly tarball?: string }> {
  const { name, version } = (await readJson(join(packageFolder, 'package.json'))) as Record<'name' | 'version', string>;
  const modules = resolve(packageFolder, '../..');
  const lock = (await readJson(join(modules, '.package-lock.json')).catch(() => ({}))) as {
    readonly packages?: Readonly<Record<string, { readonly resolved?: string }>>;
  };
  const [, path] = /^file:(.+\.tgz)$/.exec(lock.packages?.[`node_modules/${name}`]?.resolved ?? '') ?? [];
  const tarball = path && resolve(modules, '..', path);
  if (!tarball || !existsSync(tarball)) return { specifier: version };
  return { specifier: `file:${basename(tarball)}`, tarball };
}

async function readJson(file: string): Promise<unknown> {
  return JSON.parse(await readFile(file, 'utf8'));
}

/** Every setting for Node with its explanation; the required ones first, the others as comments. */
function environmentFile(): string {
  const here = settings.filter(({ about }) => !about.startsWith('Only on a Worker'));
  const paragraph = ({ name, about, default: value }: ListedSetting, prefix: string): string =>
    `# ${about}\n${prefix}${name}=${value ?? ''}\n`;
  return [
    '# The settings of the relay. These four are required.\n',
    ...here.filter(({ isRequired }) => isRequired).map((each) => paragraph(each, '')),
    '# All others have the value shown, or none. Remove the # before a name to set it.\n',
    ...here.filter(({ isRequired }) => !isRequired).map((each) => paragraph(each, '#')),
  ].join('\n');
}

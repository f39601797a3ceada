/**
 * A machine of somebody new to the project: an empty home folder, one version of Node, and a first terminal that clones
 * the repository and runs `npm start`. If a port is in use on this machine, another one takes its place, in the
 * commands too.
 */
import { existsSync } from 'node:fs';
import { mkdir, mkdtemp, readdir, realpath, rm, symlink } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { delimiter, dirname, join } from 'node:path';
import { git, gitEnvironment } from '../../scripts/git.ts';
import { listenOn } from '../../scripts/ports.ts';
import { root } from '../../scripts/root.ts';
import { servers, serverUrl } from '../../scripts/servers.ts';
import { findProgram } from '../support/browsers/find.ts';
import { freePort } from '../support/free-ports.ts';
import { documentedPort } from './page.ts';
import { openTerminal, type Terminal } from './terminal.ts';

/** The first command of README.md: the first terminal runs it. */
export const firstCommand =
  'git clone https://github.com/newsletter-kit/newsletter-kit.git && cd newsletter-kit && npm start';

/** What `npm start` prints once everything answers. */
export const startedLine = 'Ctrl-C stops everything.';

export interface Newcomer {
  readonly clone: string;
  /** The first terminal. */
  readonly first: Terminal;
  /** Where what the documentation has on a port listens. */
  address(port: number): string;
  /** The text with the ports that are used: word for word where none is taken. */
  moved(text: string): string;
  /** Undoes what an earlier page did, and prepares an empty home. */
  openPage(): Promise<Reader>;
  close(): Promise<void>;
}

/** Somebody who follows one page. */
export interface Reader {
  readonly home: string;
  /** The terminal for the next block: a new one where a server runs in the last one. */
  terminal(): Promise<Terminal>;
  /** Leaves a server running in the current terminal. */
  leaveRunning(): void;
  /** Stops the servers with Ctrl-C and closes the terminals. */
  close(): Promise<void>;
}

/**
 * @param node - the executable of the newcomer's Node
 * @param texts - everything the newcomer reads, for its ports
 */
export async function startNewcomer(node: string, texts: readonly string[]): Promise<Newcomer> {
  const folder = await realpath(await mkdtemp(join(tmpdir(), 'newsletter-newcomer-')));
  const clone = join(folder, 'newsletter-kit');
  const home = join(folder, 'home');
  await mkdir(home);
  const programs = join(folder, 'bin');
  await mkdir(programs);
  await symlink(node, join(programs, 'node'));
  const ports = await portsToUse(texts);
  const env = environment(ports, [programs, systemPath()].join(delimiter));
  const first = await openTerminal(folder, { ...env, HOME: home });
  await first.type(firstCommand);
  await first.shows(startedLine);
  const atStart = new Set(await untracked(clone));

  const address = (port: number): string => serverUrl(ports.get(port) ?? port);
  let pages = 0;
  return {
    clone,
    first,
    address,
    moved: (text) => text.replaceAll(documentedPort, (port) => String(ports.get(Number(port)) ?? port)),
    async openPage() {
      for (const file of await untracked(clone)) if (!atStart.has(file)) await rm(join(clone, file), { force: true });
      git(['checkout', '--quiet', '.'], clone);
      await fetch(`${address(4010)}/_sandbox/reset`, { method: 'POST' });
      pages += 1;
      return openReader(clone, env, await emptyHome(join(folder, `home-${pages}`), home));
    },
    async close() {
      await first.close();
      await rm(folder, { recursive: true, force: true, maxRetries: 5 });
    },
  };
}

function openReader(clone: string, env: Readonly<Record<string, string>>, home: string): Reader {
  let current: Terminal | undefined;
  const all: Terminal[] = [];
  const serving: Terminal[] = [];
  return {
    home,
    async terminal() {
      if (current) return current;
      current = await openTerminal(clone, { ...env, HOME: home });
      all.push(current);
      return current;
    },
    leaveRunning() {
      if (current) serving.push(current);
      current = undefined;
    },
    async close() {
      for (const terminal of serving.toReversed()) {
        terminal.interrupt();
        await terminal.finished();
      }
      for (const terminal of all) await terminal.close();
      await rm(home, { recursive: true, force: true, maxRetries: 5 });
    },
  };
}

/** A home that holds nothing but the downloads of npm and pnpm, so that no page fetches them again. */
async function emptyHome(home: string, downloads: string): Promise<string> {
  for (const cache of ['.npm', '.cache/pnpm', '.local/share/pnpm']) {
    if (!existsSync(join(downloads, cache))) continue;
    await mkdir(dirname(join(home, cache)), { recursive: true });
    await symlink(join(downloads, cache), join(home, cache));
  }
  await mkdir(home, { recursive: true });
  return home;
}

/** The files that a clone did not bring, without those of an install and of the running servers. */
async function untracked(clone: string): Promise<string[]> {
  const listed = git(['ls-files', '--others', '--directory', '-z'], clone)
    .split('\0')
    .filter((path) => path && !/(?:^|\/)(?:node_modules|\.cache)(?:\/|$)/.test(path));
  const files = listed.map(async (path) => {
    if (!path.endsWith('/')) return [path];
    const entries = await readdir(join(clone, path), { recursive: true, withFileTypes: true });
    return entries
      .filter((entry) => !entry.isDirectory())
      .map((entry) => join(entry.parentPath, entry.name).slice(clone.length + 1));
  });
  return (await Promise.all(files)).flat();
}

/** What a newcomer's terminal holds: no setting of this project or of npm, and the system's programs. */
function environment(ports: ReadonlyMap<number, number>, path: string): Readonly<Record<string, string>> {
  // Those that a machine needs to reach the registry.
  const network = /^(https?_proxy|no_proxy|npm_config_registry|node_extra_ca_certs|ssl_cert_(file|dir)|lang)$/i;
  const kept = Object.entries(process.env).flatMap(([name, value]) =>
    network.test(name) && value !== undefined ? [[name, value] as const] : [],
  );
  const movedPorts = servers.flatMap(({ portVariable, usualPort }) => {
    const used = ports.get(usualPort);
    return used === usualPort ? [] : [[portVariable, String(used)] as const];
  });
  return {
    ...Object.fromEntries([...kept, ...movedPorts]),
    PATH: path,
    ...gitEnvironment,
    // The repository is this one, also where a page clones it by its address.
    GIT_CONFIG_COUNT: '1',
    GIT_CONFIG_KEY_0: `url.${root}.insteadOf`,
    GIT_CONFIG_VALUE_0: 'https://github.com/newsletter-kit/newsletter-kit.git',
  };
}

/** Without the tools of this checkout. */
function systemPath(): string {
  const own = process.env['PATH'] ?? '';
  const system = own.split(delimiter).filter((path) => path && !path.includes('node_modules'));
  process.env['PATH'] = system.join(delimiter);
  const names = ['npm', 'git', 'bash'];
  const programs = names.map((name) => findProgram([name]));
  process.env['PATH'] = own;
  const folders = programs.map((program, place) => {
    if (!program) throw new Error(`${names[place]} is not on the PATH of this system.`);
    return dirname(program);
  });
  return [...new Set([...folders, '/usr/bin', '/bin'])].join(delimiter);
}

/** The documented ports, or a free one in place of each that is taken. */
async function portsToUse(texts: readonly string[]): Promise<Map<number, number>> {
  const named = texts.flatMap((text) => [...text.matchAll(documentedPort)].map(([port]) => Number(port)));
  const used = new Map<number, number>();
  for (const port of new Set([...servers.map(({ usualPort }) => usualPort), ...named])) {
    const isFree = await listenOn(port).then(
      ({ release }) => release().then(() => true),
      () => false,
    );
    used.set(port, isFree ? port : await freePort());
  }
  return used;
}

/**
 * Images without Docker: the COPY and RUN instructions of a Dockerfile are carried out in order on a clean clone, with
 * a folder for the root of each stage. Paths are those of the image, below that folder.
 *
 * What an image has and this machine has not: the base image, whose Node is the one of this process, and its account
 * `node`, so that `chown` only notes what it was given.
 */
import { execFile, execFileSync } from 'node:child_process';
import { chmodSync, cpSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { delimiter, dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { root } from '../../scripts/root.ts';
import { contextOf, environmentOf, readDockerfile, wordsOf, type Stage } from './dockerfile.ts';

const ask = promisify(execFile);

export interface Image extends Built {
  /** What its Dockerfile sets, its PATH included. */
  readonly env: NodeJS.ProcessEnv;
  /** What it starts. */
  readonly command: readonly string[];
  readonly healthCheck: readonly string[];
  readonly stopSignal: NodeJS.Signals;
}

/** Builds the image of a Dockerfile. @param scratch - an empty folder */
export async function buildImage(dockerfile: string, scratch: string): Promise<Image> {
  const clone = join(scratch, 'clone');
  execFileSync('git', ['clone', '--quiet', root, clone]);
  const inContext = contextOf(readFileSync(join(clone, '.dockerignore'), 'utf8'));
  const context = join(scratch, 'context');
  const files = execFileSync('git', ['ls-files', '-z'], { cwd: clone, encoding: 'utf8' }).split('\0').filter(Boolean);
  for (const file of files.filter(inContext)) cpSync(join(clone, file), join(context, file));

  const stages = readDockerfile(readFileSync(join(clone, dockerfile), 'utf8'));
  const built = new Map<string, Built>();
  for (const [n, stage] of stages.entries())
    built.set(stage.name ?? 'image', await build(stage, join(scratch, `stage-${n}`), context, built));
  const image = built.get('image');
  const last = stages.at(-1);
  if (!image || !last) throw new Error('The Dockerfile has no last stage.');
  const preset = Object.entries(environmentOf(last)).map(([name, value]) => [name, mapped(value, image)] as const);
  const list = (words: string): string[] => JSON.parse(words) as string[];
  return {
    ...image,
    env: { ...Object.fromEntries(preset), PATH: commandPath(image) },
    command: [...list(wordsOf(last, 'ENTRYPOINT')), ...list(wordsOf(last, 'CMD'))],
    healthCheck: list(wordsOf(last, 'HEALTHCHECK').replace(/^.* CMD /, '')),
    stopSignal: wordsOf(last, 'STOPSIGNAL') as NodeJS.Signals,
  };
}

/** A stage carried out: its files below `root`, its commands in `folder`. */
interface Built {
  readonly root: string;
  readonly folder: string;
}

/** Paths of the image, as they stand in a command or a value, below the folder that stands for its root. */
function mapped(text: string, built: Pick<Built, 'root'>): string {
  return text.replaceAll(/(?<![\w.@/-])\/(source|app|data|usr\/local\/bin)\b/g, (path) => join(built.root, path));
}

/** What reaches the registry and npm's cache from here, and nothing else of this environment. */
export function network(): NodeJS.ProcessEnv {
  const kept = /^(https?_proxy|no_proxy|npm_config_registry|node_extra_ca_certs|home)$/i;
  return Object.fromEntries(Object.entries(process.env).filter(([name]) => kept.test(name)));
}

/** Programs of this system, and Node 24 before its own. */
export function systemPath(): string[] {
  const system = (process.env['PATH'] ?? '').split(delimiter).filter((path) => !path.includes('node_modules'));
  return [dirname(process.execPath), ...system];
}

/** What a command finds on its PATH: the image's own folder, Node 24, and a `chown` that notes its arguments. */
function commandPath({ root: folder }: Pick<Built, 'root'>): string {
  const tools = join(folder, 'tools');
  mkdirSync(tools, { recursive: true });
  writeFileSync(join(tools, 'chown'), `#!/bin/sh\necho "$@" >> ${join(tools, 'chown.log')}\n`);
  chmodSync(join(tools, 'chown'), 0o755);
  return [tools, join(folder, 'usr/local/bin'), ...systemPath()].join(delimiter);
}

async function build(
  stage: Stage,
  folder: string,
  context: string,
  stages: ReadonlyMap<string, Built>,
): Promise<Built> {
  let built: Built = { root: folder, folder };
  mkdirSync(join(folder, 'usr/local/bin'), { recursive: true });
  const PATH = commandPath(built);
  for (const { name, words } of stage.instructions) {
    if (name === 'WORKDIR') {
      built = { ...built, folder: join(folder, words) };
      mkdirSync(built.folder, { recursive: true });
    } else if (name === 'COPY') {
      const [, from, source = '', target = ''] = /^(?:--from=(\S+) )?(\S+) (\S+)$/.exec(words) ?? [];
      const origin = from === undefined ? context : (stages.get(from)?.root ?? '');
      const into = target.startsWith('/') ? join(folder, target) : join(built.folder, target);
      cpSync(join(origin, source), into, { recursive: true, verbatimSymlinks: true });
    } else if (name === 'RUN') {
      const env = { ...network(), PATH };
      await ask('/bin/sh', ['-c', mapped(words, built)], { cwd: built.folder, env, maxBuffer: 1e8 });
    }
  }
  return built;
}

/** Parses a Dockerfile and a .dockerignore, with the syntax that those of relay and sandbox use. */

/** One instruction, its continuation lines joined. */
export interface Instruction {
  readonly name: string;
  readonly words: string;
}

export interface Stage {
  readonly base: string;
  readonly name: string | undefined;
  readonly instructions: readonly Instruction[];
}

export function readDockerfile(text: string): Stage[] {
  const lines = text
    .split('\n')
    .filter((line) => !/^\s*(#|$)/.test(line))
    .join('\n')
    .replaceAll(/\\\n\s*/g, ' ')
    .split('\n');
  const stages: { base: string; name: string | undefined; instructions: Instruction[] }[] = [];
  for (const line of lines) {
    const [, name = '', words = ''] = /^([A-Z]+)\s+(.*)$/.exec(line) ?? [];
    if (name === 'FROM') {
      const [base = '', , as] = words.split(' ');
      stages.push({ base, name: as, instructions: [] });
    } else stages.at(-1)?.instructions.push({ name, words });
  }
  return stages;
}

/** The words of the last instruction of this name in a stage. @throws where it has none */
export function wordsOf({ instructions }: Stage, name: string): string {
  const found = instructions.findLast((each) => each.name === name);
  if (!found) throw new Error(`The stage has no ${name}.`);
  return found.words;
}

/** Reads `NAME=value …`. */
export function environmentOf(stage: Stage): Record<string, string> {
  return Object.fromEntries(
    [...wordsOf(stage, 'ENV').matchAll(/(\w+)=(\S+)/g)].map(([, name, value]) => [name, value]),
  );
}

/** Whether a file is part of the context. The last pattern that names it or a folder around it decides. */
export function contextOf(ignoreFile: string): (path: string) => boolean {
  const patterns = ignoreFile
    .split('\n')
    .filter((line) => line && !line.startsWith('#'))
    .map((line) => ({ kept: line.startsWith('!'), pattern: line.replace(/^!/, '') }));
  const folders = (path: string): string[] => path.split('/').map((_, n, all) => all.slice(0, n + 1).join('/'));
  return (path) => {
    const around = folders(path);
    return patterns.findLast(({ pattern }) => around.some((part) => matches(part, pattern)))?.kept ?? true;
  };
}

function matches(path: string, pattern: string): boolean {
  const expression = pattern.replaceAll(/\*\*\/|\*|[.+?^${}()|[\]\\]/g, (found) =>
    found === '**/' ? '(.*/)?' : found === '*' ? '[^/]*' : `\\${found}`,
  );
  return new RegExp(`^${expression}$`).test(path);
}

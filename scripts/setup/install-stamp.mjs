/**
 * Records the lockfile and manifests of the last install, so that a start with unchanged ones skips the install.
 */
import { createHash } from 'node:crypto';
import { existsSync, readFileSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

const stampFile = join('node_modules', '.installed');
const rootFiles = ['package.json', 'pnpm-lock.yaml', 'pnpm-workspace.yaml'];

/**
 * The folders that `pnpm-workspace.yaml` lists as members. Its `packages:` block is plain enough to read line by line.
 *
 * @param {string} root
 */
function memberFolders(root) {
  const lines = readFileSync(join(root, 'pnpm-workspace.yaml'), 'utf8').split('\n');
  const start = lines.findIndex((line) => line.startsWith('packages:'));
  const globs = [];
  for (const line of lines.slice(start + 1)) {
    const [, glob] = /^\s+-\s+['"]?([^'"\s]+)/.exec(line) ?? [];
    if (!glob) break;
    globs.push(glob);
  }
  return globs.flatMap((glob) => {
    if (!glob.endsWith('/*')) return [glob];
    const parent = glob.slice(0, -2);
    return readdirSync(join(root, parent)).map((name) => `${parent}/${name}`);
  });
}

/**
 * A fingerprint of everything an install depends on.
 *
 * @param {string} root
 */
export function fingerprint(root) {
  const files = [
    ...rootFiles,
    ...memberFolders(root)
      .sort()
      .map((folder) => `${folder}/package.json`),
  ];
  const hash = createHash('sha256').update(`${process.platform}-${process.arch}`);
  for (const file of files) {
    if (existsSync(join(root, file))) hash.update(`\n${file}\n`).update(readFileSync(join(root, file)));
  }
  return hash.digest('hex');
}

/**
 * @param {string} root
 * @param {string} print
 */
export function isInstalled(root, print) {
  const path = join(root, stampFile);
  return existsSync(path) && readFileSync(path, 'utf8') === print;
}

/**
 * @param {string} root
 * @param {string} print
 */
export function markInstalled(root, print) {
  writeFileSync(join(root, stampFile), print);
}

/**
 * Installs pnpm, Node 24 and what a command needs with a line of progress, unless the last install still matches. Each
 * known failure has a message of its own. Everything is printed on stderr: stdout belongs to the command that runs
 * afterwards.
 */
import { spawn, spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { UserError } from './user-error.mjs';

const manifestFile = join(dirname(dirname(fileURLToPath(import.meta.url))), 'package.json');
/** The root's package.json. */
export const manifest =
  /** @type {{ name: string; version: string; packageManager: string; scripts: Readonly<Record<string, string>> }} */ (
    JSON.parse(readFileSync(manifestFile, 'utf8'))
  );
/** The package manager, pinned in the root's package.json; npx downloads it. */
export const pnpm = manifest.packageManager;
const windows = process.platform === 'win32';
/**
 * The npm scripts that run without development tools: they install `scripts/package.json` with its dependencies. Every
 * other script installs everything.
 *
 * @type {ReadonlySet<string>}
 */
export const scriptsWithoutTools = new Set(['start', 'sandbox', 'relay', 'newsletter', 'node']);
/** Node from this version on runs everything; for an older one, Node 24 is installed. */
const newEnough = 24;
const ownNode = Number.parseInt(process.versions.node, 10) >= newEnough ? process.execPath : undefined;
/** The package with Node 24 for this platform, by the names that its makers gave them. */
const nodePackage = `${process.platform === 'darwin' && process.arch === 'arm64' ? 'node-bin' : 'node'}-${windows ? 'win' : process.platform}-${process.arch}`;
/** A tool that no script of {@link scriptsWithoutTools} installs. */
const tool = join('node_modules', 'typescript');
/** Records the fingerprint of the last install, so that a command with an unchanged one skips the install. */
const stampFile = join('node_modules', '.installed');
const rootFiles = ['.pnpmfile.cjs', 'pnpm-lock.yaml', 'pnpm-workspace.yaml'];
/** pnpm checked the age of every release when it wrote the lockfile; to check again it would download 250 MB. */
const installOptions = ['--frozen-lockfile', '--trust-lockfile', '--reporter=append-only'];
/** pnpm's options for what is installed. */
const selections = {
  packages: [
    '--prod',
    '--filter-prod=@newsletter-kit/scripts...',
    ...(ownNode ? [] : ['--filter-prod=@newsletter-kit/node']),
  ],
  /** @type {string[]} */
  everything: [],
};
/** @typedef {keyof typeof selections} Level */
/** Milliseconds between two lines of progress. */
const progressEvery = 5000;

/** Known failures of an install, recognised by its output; the first match counts. */
const knownFailures = [
  {
    pattern: /ENOSPC|no space left on device/i,
    problem: 'The disk is full: the install could not be written.',
    remedy: 'Free about 2 GB and run the command again; it continues where it stopped.',
  },
  {
    pattern:
      /ENOTFOUND|EAI_AGAIN|ECONNREFUSED|ECONNRESET|ETIMEDOUT|ENETUNREACH|EHOSTUNREACH|META_FETCH_FAIL|network request|fetch failed/i,
    problem: 'The npm registry cannot be reached.',
    remedy:
      'Check the connection and, behind a proxy, HTTPS_PROXY and "npm config get registry"; then run the command again.',
  },
  {
    pattern: /CERT_|self.signed|unable to get local issuer/i,
    problem: "The npm registry's certificate is not trusted here.",
    remedy: "Point NODE_EXTRA_CA_CERTS at your network's certificate file and run the command again.",
  },
  {
    pattern: /OUTDATED_LOCKFILE|frozen-lockfile/i,
    problem: 'pnpm-lock.yaml does not match the package.json files.',
    remedy: `Run "npx ${pnpm} install --no-frozen-lockfile" and commit the lockfile.`,
  },
  {
    pattern: /EACCES|EPERM|EROFS/,
    problem: 'The install may not write into this folder.',
    remedy: 'Make the folder (and the npm cache in your home folder) writable for this user and run the command again.',
  },
];

/**
 * Installs what a script needs unless the last install still matches the lockfile. Development tools that are there
 * already are kept up to date.
 *
 * @param {string} root
 * @param {string} script
 * @returns {Promise<string>} the path of the Node to run the script with
 */
export async function ensureInstalled(root, script) {
  const hasTools = existsSync(join(root, tool));
  const level = hasTools || !scriptsWithoutTools.has(script) ? 'everything' : 'packages';
  const stamp = join(root, stampFile);
  const installed = existsSync(stamp);
  const print = fingerprint(root, level);
  const node = findNode(root);
  if (node && installed && readFileSync(stamp, 'utf8') === print) return node;
  checkNpm();
  await install(root, level, installed && !hasTools);
  writeFileSync(stamp, print);
  const runs = findNode(root);
  if (runs && spawnSync(runs, ['--version']).status === 0) return runs;
  throw new UserError(
    `Node 24 was installed but does not run on this machine (${process.platform} ${process.arch}).`,
    `A 64-bit Linux with glibc, macOS or Windows is needed, or a Node ${newEnough} or newer of your own.`,
  );
}

/**
 * The Node 24 that was installed, or else the one that runs this if it is new enough.
 *
 * @param {string} root
 */
function findNode(root) {
  const brought = join(root, 'scripts', 'node', 'node_modules', nodePackage, 'bin', windows ? 'node.exe' : 'node');
  return existsSync(brought) ? brought : ownNode;
}

/**
 * The manifests that the lockfile has an installation for, from the root.
 *
 * @param {string} root
 */
function memberManifests(root) {
  const [importers = ''] = /^importers:\n.*?^\S/ms.exec(readFileSync(join(root, 'pnpm-lock.yaml'), 'utf8')) ?? [];
  return [...importers.matchAll(/^ {2}(\S+):$/gm)].map(([, folder = '']) => join(folder, 'package.json'));
}

/**
 * A fingerprint of everything an install depends on.
 *
 * @param {string} root
 * @param {Level} level
 */
function fingerprint(root, level) {
  const hash = createHash('sha256').update(`${process.platform}-${process.arch} ${level}`);
  for (const file of [...rootFiles, ...memberManifests(root)]) {
    if (existsSync(join(root, file))) hash.update(`\n${file}\n`).update(readFileSync(join(root, file)));
  }
  return hash.digest('hex');
}

function checkNpm() {
  if (spawnSync('npx', ['--version'], { shell: windows }).status === 0) return;
  throw new UserError(
    'npm was not found: "npx" does not run.',
    'Install npm (it comes with Node; on Debian: apt-get install npm) and run the command again.',
  );
}

/**
 * @param {string} root
 * @param {Level} level
 * @param {boolean} toolsAreNew - whether development tools are all that is missing
 */
async function install(root, level, toolsAreNew) {
  const what =
    level === 'packages'
      ? `${ownNode ? 'pnpm' : 'pnpm, Node 24'} and what this command runs (${pnpm}; half a minute the first time)`
      : toolsAreNew
        ? 'the development tools, which this command needs (about a minute the first time)'
        : `pnpm, Node 24, all packages and the development tools (${pnpm}; about a minute the first time)`;
  console.error(`▸ Installing ${what}`);
  const begun = Date.now();
  const child = spawn('npx', ['--yes', pnpm, 'install', ...installOptions, ...selections[level]], {
    cwd: root,
    shell: windows,
    stdio: ['ignore', 'pipe', 'pipe'],
    // CI=true keeps pnpm from asking questions; browsers come from the system, never from an install script.
    // An inherited log level "silent" would hide why npm failed.
    // By default npm tries an unreachable registry again for 70 seconds before it says so.
    env: {
      npm_config_fetch_retry_mintimeout: '1000',
      npm_config_fetch_retry_factor: '3',
      ...process.env,
      npm_config_loglevel: 'warn',
      CI: 'true',
      PUPPETEER_SKIP_DOWNLOAD: '1',
      PLAYWRIGHT_SKIP_BROWSER_DOWNLOAD: '1',
    },
  });
  let output = '';
  const keep = (/** @type {Buffer} */ chunk) => (output += chunk);
  child.stdout.on('data', keep);
  child.stderr.on('data', keep);
  const seconds = () => Math.round((Date.now() - begun) / 1000);
  const timer = setInterval(() => {
    const progress =
      output
        .match(/Progress: [^\n]+/g)
        ?.at(-1)
        ?.replace('Progress: ', '') ?? 'fetching pnpm';
    console.error(`  ${seconds()} s: ${progress}`);
  }, progressEvery);
  try {
    /** @type {number | null} */
    const code = await new Promise((resolve, reject) => {
      child.once('error', reject);
      child.once('close', resolve);
    });
    if (code !== 0) throw explain(output);
  } finally {
    clearInterval(timer);
  }
  console.error(`✓ Installed in ${seconds()} s`);
}

/** @param {string} output */
function explain(output) {
  console.error(
    output
      .trim()
      .split('\n')
      .slice(-15)
      .map((line) => `  │ ${line}`)
      .join('\n'),
  );
  const known = knownFailures.find(({ pattern }) => pattern.test(output));
  return known
    ? new UserError(known.problem, known.remedy)
    : new UserError(
        'The install failed; its last lines are above.',
        'Run the command again; if it fails the same way, delete node_modules first.',
      );
}

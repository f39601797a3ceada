/**
 * The starter behind every npm script: installs what is missing, with Node, npm and git alone, then runs a task of
 * `scripts/tasks.ts` or the command of a package. Plain JavaScript without dependencies, because nothing is installed
 * yet.
 */
import { spawn } from 'node:child_process';
import { constants } from 'node:os';
import { delimiter, dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { UserError } from './user-error.mjs';
import { ensureInstalled, manifest } from './install.mjs';

const root = dirname(dirname(fileURLToPath(import.meta.url)));
const oldestNode = 20;
/** The npm scripts that this file runs, each under its own name. */
const scripts = Object.fromEntries(
  Object.entries(manifest.scripts).filter(([name, script]) => script === `node scripts/run.mjs ${name}`),
);

/**
 * The packages' commands, run from their sources in the caller's folder: the arguments before the caller's.
 *
 * @type {ReadonlyMap<string, readonly string[]>}
 */
const commands = new Map([
  ['relay', [join(root, 'packages', 'relay', 'src', 'main.ts')]],
  ['sandbox', [join(root, 'packages', 'sandbox', 'src', 'main.ts')]],
  ['newsletter', [join(root, 'packages', 'cli', 'src', 'main.ts')]],
  // Node itself, for a file that imports the packages.
  ['node', []],
]);

/**
 * Finds the program and the folder of a task or command.
 *
 * @param {string | undefined} name
 * @returns {{ name: string; program: readonly string[]; folder: string }}
 */
function findProgram(name) {
  const command = name === undefined ? undefined : commands.get(name);
  if (name && command) return { name, program: command, folder: callerFolder(name) };
  if (name && Object.hasOwn(scripts, name))
    return { name, program: [join(root, 'scripts', 'tasks.ts'), name], folder: root };
  throw new UserError(
    name ? `There is no task "${name}".` : 'No task was named.',
    `Run "node scripts/run.mjs NAME", where NAME is ${Object.keys(scripts).join(', ')}.`,
  );
}

/**
 * npm runs scripts in the folder of package.json and names the caller's in INIT_CWD, so that relative paths mean what
 * the caller means. Another npm further up may have left its own INIT_CWD.
 *
 * @param {string | undefined} name
 */
function callerFolder(name) {
  const { INIT_CWD: caller, npm_lifecycle_event: script } = process.env;
  return caller && script === name ? caller : process.cwd();
}

function checkNode() {
  if (Number.parseInt(process.versions.node, 10) >= oldestNode) return;
  throw new UserError(
    `Node ${process.versions.node} is too old: ${oldestNode} or newer is needed.`,
    'Install a current Node from your system or version manager and run the command again; the project then installs the exact version it needs by itself.',
  );
}

/**
 * Runs the program in the foreground and resolves to the exit code to end with.
 *
 * @param {string} node
 * @param {readonly string[]} program
 * @param {string} folder
 * @returns {Promise<number>}
 */
function run(node, program, folder) {
  // The tools run with the same Node, whatever Node is on the path.
  const tools = [join(root, 'node_modules', '.bin'), dirname(node)].join(delimiter);
  // Windows spells it "Path", and a copy of the environment is case-sensitive.
  const path = Object.keys(process.env).find((name) => name.toUpperCase() === 'PATH') ?? 'PATH';
  const child = spawn(
    node,
    ['--conditions=@newsletter-kit/source', '--disable-warning=ExperimentalWarning', ...program],
    {
      cwd: folder,
      stdio: 'inherit',
      env: { ...process.env, [path]: `${tools}${delimiter}${process.env[path] ?? ''}` },
    },
  );
  // A terminal's Ctrl-C reaches the whole group, so the child has it already, also where its input is a pipe or a file;
  // what is sent to this process alone is passed on.
  const atTerminal = [process.stdin, process.stdout, process.stderr].some(({ isTTY }) => isTTY);
  process.on('SIGINT', () => {
    if (!atTerminal) child.kill('SIGINT');
  });
  process.on('SIGTERM', () => child.kill('SIGTERM'));
  process.on('SIGHUP', () => child.kill('SIGHUP'));
  endWithShell(child);
  return new Promise((resolve, reject) => {
    child.once('error', reject);
    child.once('exit', (code, signal) => resolve(code ?? 128 + (signal ? constants.signals[signal] : 1)));
  });
}

/**
 * npm runs a script through a shell and sends SIGTERM to that shell alone, which ends without passing it on.
 *
 * @param {import('node:child_process').ChildProcess} child
 */
function endWithShell(child) {
  if (!process.env['npm_lifecycle_event'] || process.platform === 'win32') return;
  const shell = process.ppid;
  const watch = setInterval(() => {
    if (process.ppid === shell) return;
    clearInterval(watch);
    child.kill('SIGTERM');
  }, 500);
  child.once('exit', () => clearInterval(watch));
}

try {
  checkNode();
  const [given, ...args] = process.argv.slice(2);
  const { name, program, folder } = findProgram(given);
  const node = await ensureInstalled(root, name);
  process.exitCode = await run(node, [...program, ...args], folder);
} catch (error) {
  if (!(error instanceof UserError)) throw error;
  console.error(`\n${error.message}`);
  process.exitCode = 1;
}

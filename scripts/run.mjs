/**
 * The starter behind every npm script: brings the tools with nothing but Node, npm and git at hand, then runs
 * `scripts/tasks/<task>.ts` with them. Plain JavaScript without dependencies, because nothing is installed yet.
 */
import { spawn } from 'node:child_process';
import { existsSync, readdirSync } from 'node:fs';
import { constants } from 'node:os';
import { delimiter, dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { Complaint } from './bring/complaint.mjs';
import { bring } from './bring/install.mjs';

const root = dirname(dirname(fileURLToPath(import.meta.url)));
const oldestNode = 20;

/** @param {string | undefined} task */
function taskFile(task) {
  const tasks = readdirSync(join(root, 'scripts', 'tasks')).map((name) => name.replace(/\.ts$/, ''));
  if (task && tasks.includes(task)) return join(root, 'scripts', 'tasks', `${task}.ts`);
  throw new Complaint(
    task ? `There is no task "${task}".` : 'No task was named.',
    `Run one of: ${tasks.map((name) => `node scripts/run.mjs ${name}`).join(', ')}.`,
  );
}

function checkNode() {
  if (Number.parseInt(process.versions.node, 10) >= oldestNode) return;
  throw new Complaint(
    `Node ${process.versions.node} is too old: ${oldestNode} or newer is needed to begin with.`,
    'Install a current Node from your system or version manager and run the command again; the exact version the project works with comes along by itself.',
  );
}

/**
 * Runs the task in the foreground and resolves to the exit code to end with.
 *
 * @param {string} node
 * @param {string} file
 * @param {string[]} args
 * @returns {Promise<number>}
 */
function runTask(node, file, args) {
  const bin = join(root, 'node_modules', '.bin');
  // Windows spells it "Path", and a copy of the environment is case-sensitive.
  const path = Object.keys(process.env).find((name) => name.toUpperCase() === 'PATH') ?? 'PATH';
  const child = spawn(node, ['--conditions=source', '--disable-warning=ExperimentalWarning', file, ...args], {
    cwd: root,
    stdio: 'inherit',
    env: { ...process.env, [path]: `${bin}${delimiter}${process.env[path] ?? ''}` },
  });
  // A terminal's Ctrl-C reaches the whole group, so the child has it already; what is sent to this process alone is passed on.
  process.on('SIGINT', () => {
    if (!process.stdin.isTTY) child.kill('SIGINT');
  });
  process.on('SIGTERM', () => child.kill('SIGTERM'));
  process.on('SIGHUP', () => child.kill('SIGHUP'));
  return new Promise((resolve, reject) => {
    child.once('error', reject);
    child.once('exit', (code, signal) => resolve(code ?? 128 + (signal ? constants.signals[signal] : 1)));
  });
}

try {
  checkNode();
  const [task, ...args] = process.argv.slice(2);
  const file = taskFile(task);
  const node = await bring(root);
  if (!existsSync(node))
    throw new Complaint('Node 24 did not arrive.', 'Delete the folder node_modules and run the command again.');
  process.exitCode = await runTask(node, file, args);
} catch (error) {
  if (!(error instanceof Complaint)) throw error;
  console.error(`\n${error.message}`);
  process.exitCode = 1;
}

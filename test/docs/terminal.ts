/** A terminal window with bash in it, on a pseudo-terminal: a Ctrl-C is a real one. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { stripVTControlCharacters } from 'node:util';

export interface Terminal {
  /** What the last block printed, without the block itself. */
  screen(): string;
  /** Runs a block of lines in this shell, as if they had been typed one after the other. */
  type(block: string): Promise<void>;
  /** Waits until a server shows this. @throws with the screen, where the server ends before or takes too long */
  shows(pattern: RegExp | string): Promise<void>;
  /** Waits until the shell takes commands again. @returns 0, or the exit code of the last command that failed */
  finished(): Promise<number>;
  /** Presses Ctrl-C while a command runs. */
  interrupt(): void;
  /** Closes the window, which ends what still runs in it. */
  close(): Promise<void>;
}

/** Ends what would never end; a fresh installation on a busy machine takes minutes. */
const patience = 600_000;

export async function openTerminal(folder: string, env: Readonly<Record<string, string>>): Promise<Terminal> {
  const blocks = await mkdtemp(join(tmpdir(), 'newsletter-terminal-'));
  const settings = join(blocks, 'settings');
  // The prompt is a control sequence that no screen shows, with the exit code in it.
  await writeFile(
    settings,
    `trap 'failed=$?' ERR\nPS1=''\nPROMPT_COMMAND='printf "\\033]9;%s\\007" "\${failed:-$?}"'\n`,
  );
  // Without the settings of a user, and without a line editor, which would echo every line.
  const shell = ['bash', '--noprofile', '--rcfile', settings, '--noediting', '-i'];
  // util-linux's `script` and that of BSD take the command in different places.
  const args =
    process.platform === 'darwin'
      ? ['-q', '/dev/null', ...shell]
      : ['-q', '-e', '-f', '-c', shell.join(' '), '/dev/null'];
  const window = spawn('script', args, {
    cwd: folder,
    stdio: ['pipe', 'pipe', 'inherit'],
    env: { ...env, TERM: 'dumb' },
  });
  let isClosed = false;
  const closed = once(window, 'close').then(() => (isClosed = true));
  /** What came from the terminal since the last command, control sequences included. */
  let received = '';
  let count = 0;
  window.stdout.on('data', (chunk: Buffer) => (received += chunk.toString()));
  /** The exit code in the prompt; nothing while a command runs. */
  const exitCode = (): number | undefined => {
    const [, after = ''] = received.split('\u001B]9;', 2);
    return after.includes('\u0007') ? Number.parseInt(after, 10) : undefined;
  };
  const screen = (): string => stripVTControlCharacters(received);

  const until = async (holds: () => boolean, what: string): Promise<void> => {
    for (const end = Date.now() + patience; !holds(); await sleep(50)) {
      if (isClosed || Date.now() > end) throw new Error(`${what} did not come on this screen:\n${screen()}`);
    }
  };
  const finished = async (): Promise<number> => {
    await until(() => exitCode() !== undefined, 'The prompt');
    return exitCode() ?? Number.NaN;
  };
  // The shell reads its first line only once it is there.
  await finished();
  return {
    screen,
    async type(block) {
      count += 1;
      // A file and not the keyboard, of which a running command would read the lines that follow it.
      const file = join(blocks, String(count));
      await writeFile(file, block.endsWith('\n') ? block : `${block}\n`);
      const echo = `failed=; . '${file}'`;
      received = '';
      window.stdin.write(`${echo}\n`);
      await until(() => received.includes(echo), 'The command');
      received = received.slice(received.indexOf(echo) + echo.length);
    },
    async shows(pattern) {
      const isShown = (): boolean =>
        typeof pattern === 'string' ? screen().includes(pattern) : pattern.test(screen());
      await until(() => isShown() || exitCode() !== undefined, String(pattern));
      if (!isShown()) throw new Error(`The command ended before it showed ${pattern}:\n${screen()}`);
    },
    finished,
    interrupt: () => void window.stdin.write('\u0003'),
    async close() {
      // The system then hangs up on everything that runs in it.
      window.kill('SIGKILL');
      await closed;
      await rm(blocks, { recursive: true, force: true });
    },
  };
}

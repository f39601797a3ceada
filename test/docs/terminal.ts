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
  /** Waits until the screen shows this. @throws with the screen, where it does not come */
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
  // Without the settings of a user, and without a line editor, which would echo every line.
  const shell = ['bash', '--noprofile', '--norc', '--noediting', '-i'];
  // util-linux's `script` and that of BSD take the command in different places.
  const args =
    process.platform === 'darwin'
      ? ['-q', '/dev/null', ...shell]
      : ['-q', '-e', '-f', '-c', shell.join(' '), '/dev/null'];
  const window = spawn('script', args, {
    cwd: folder,
    stdio: ['pipe', 'pipe', 'inherit'],
    env: { ...env, TERM: 'dumb', PS1: '' },
  });
  let isClosed = false;
  const closed = once(window, 'close').then(() => (isClosed = true));
  let screen = '';
  let count = 0;
  window.stdout.on('data', (chunk: Buffer) => (screen += stripVTControlCharacters(chunk.toString())));

  const shows = async (pattern: RegExp | string): Promise<void> => {
    const isShown = (): boolean => (typeof pattern === 'string' ? screen.includes(pattern) : pattern.test(screen));
    for (const end = Date.now() + patience; !isShown(); await sleep(50)) {
      if (isClosed || Date.now() > end) throw new Error(`No ${pattern} on this screen:\n${screen}`);
    }
  };
  const finished = async (): Promise<number> => {
    count += 1;
    // What is typed is on the screen as well, but with the percent sign.
    window.stdin.write(`printf 'finished %s with %s.\\n' ${count} "\${failed:-$?}"\n`);
    const line = new RegExp(`finished ${count} with (\\d+)\\.`);
    await shows(line);
    return Number(line.exec(screen)?.[1]);
  };
  window.stdin.write("trap 'failed=$?' ERR\n");
  // The shell reads its first line only once it is there.
  await finished();
  return {
    screen: () => screen,
    async type(block) {
      count += 1;
      // A file and not the keyboard, of which a running command would read the lines that follow it.
      const file = join(blocks, String(count));
      await writeFile(file, block.endsWith('\n') ? block : `${block}\n`);
      const echo = `failed=; . '${file}'`;
      screen = '';
      window.stdin.write(`${echo}\n`);
      await shows(echo);
      screen = screen.slice(screen.indexOf(echo) + echo.length);
    },
    shows,
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

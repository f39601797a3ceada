/** A terminal window with a shell in it, on a pseudo-terminal: commands are typed, and Ctrl-C is Ctrl-C. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import { stripVTControlCharacters } from 'node:util';

export interface Terminal {
  /** Everything on the screen since the last command was typed. */
  screen(): string;
  /** Types a block of lines and presses Enter. */
  type(block: string): void;
  /** Waits until the screen shows this. @throws with the screen, where it does not come */
  shows(pattern: RegExp): Promise<void>;
  /** Waits until the shell takes commands again. @returns the exit code of the last command */
  finished(): Promise<number>;
  /** Presses Ctrl-C while a command runs. */
  interrupt(): void;
  /** Closes the window, which ends what still runs in it. */
  close(): Promise<void>;
}

/** Ends what would never end; a fresh installation on a busy machine takes minutes. */
const patience = 600_000;

export async function openTerminal(folder: string, env: Readonly<Record<string, string>>): Promise<Terminal> {
  // util-linux's `script` and that of BSD take the command in different places.
  const args =
    process.platform === 'darwin' ? ['-q', '/dev/null', 'sh', '-i'] : ['-q', '-e', '-f', '-c', 'sh -i', '/dev/null'];
  const window = spawn('script', args, {
    cwd: folder,
    stdio: ['pipe', 'pipe', 'inherit'],
    env: { ...env, TERM: 'dumb', PS1: '' },
  });
  let isClosed = false;
  const closed = once(window, 'close').then(() => (isClosed = true));
  let screen = '';
  let asked = 0;
  window.stdout.on('data', (chunk: Buffer) => (screen += stripVTControlCharacters(chunk.toString())));

  const shows = async (pattern: RegExp): Promise<void> => {
    for (const end = Date.now() + patience; !pattern.test(screen); await sleep(50)) {
      if (isClosed || Date.now() > end) throw new Error(`No ${pattern} on this screen:\n${screen}`);
    }
  };
  const finished = async (): Promise<number> => {
    asked += 1;
    // What is typed is on the screen as well, but with the percent sign.
    window.stdin.write(`printf 'finished %s with %s.\\n' ${asked} $?\n`);
    const line = new RegExp(`finished ${asked} with (\\d+)\\.`);
    await shows(line);
    return Number(line.exec(screen)?.[1]);
  };
  // The shell reads its first line only once it is there.
  await finished();
  return {
    screen: () => screen,
    type: (block) => {
      screen = '';
      window.stdin.write(block.endsWith('\n') ? block : `${block}\n`);
    },
    shows,
    finished,
    interrupt: () => void window.stdin.write('\u0003'),
    async close() {
      // The system then hangs up on everything that runs in it.
      window.kill('SIGKILL');
      await closed;
    },
  };
}

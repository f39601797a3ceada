/** Runs WebKitGTK's WebDriver on a virtual screen. Both end with this process. */
import { spawn, type ChildProcess, type StdioOptions } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import type { Readable } from 'node:stream';
import { setTimeout as sleep } from 'node:timers/promises';
import { freePort } from '../free-ports.ts';
import { findProgram, findWebKit } from './find.ts';

export interface WebKitDriver {
  /** Port of the WebDriver on 127.0.0.1. */
  readonly port: number;
  /** What a session asks for. */
  readonly capabilities: {
    readonly browserName: string;
    readonly 'webkitgtk:browserOptions': { readonly binary: string; readonly args: string[] };
  };
  /** Ends the browser, the driver and the screen. */
  stop(): Promise<void>;
}

/** Time limit for the start of the screen and the driver, in milliseconds. */
const startLimit = 60_000;

/**
 * @param zone - time zone of the browser
 * @throws Error where WebKitGTK is not installed, or does not start
 */
export async function startWebKitDriver(zone = 'UTC'): Promise<WebKitDriver> {
  const found = findWebKit();
  if (!found) throw new Error('WebKitGTK is not installed (Debian: webkit2gtk-driver xvfb).');
  const running: ChildProcess[] = [];
  const stop = async (): Promise<void> => {
    process.off('exit', endAll);
    // The screen ends last: a browser that loses it prints many errors.
    for (const child of running.toReversed()) await end(child);
  };
  const endAll = (): void => running.forEach((child) => void child.kill());
  process.on('exit', endAll);
  try {
    const screen = start(found.display, ['-displayfd', '3', '-screen', '0', '1280x1024x24', '-nolisten', 'tcp'], {}, [
      'ignore',
      'ignore',
      'ignore',
      'pipe',
    ]);
    running.push(screen);
    const display = await firstLine(screen.stdio[3] as Readable);
    const port = await freePort();
    const environment = {
      DISPLAY: `:${display}`,
      TZ: zone,
      LANG: 'en_US.UTF-8',
      // WebKit's own sandbox needs rights that containers do not give; the pages are ours.
      WEBKIT_DISABLE_SANDBOX_THIS_IS_DANGEROUS: '1',
      LIBGL_ALWAYS_SOFTWARE: '1',
      NO_AT_BRIDGE: '1',
      GIO_USE_PROXY_RESOLVER: 'dummy',
    };
    running.push(start(found.driver, [`--port=${port}`], environment, 'ignore'));
    await answers(`http://127.0.0.1:${port}/status`);
    const capabilities = {
      browserName: 'MiniBrowser',
      'webkitgtk:browserOptions': { binary: found.browser, args: ['--automation'] },
    };
    return { port, capabilities, stop };
  } catch (error) {
    await stop();
    throw error;
  }
}

function start(
  program: string,
  args: readonly string[],
  environment: Readonly<Record<string, string>>,
  stdio: StdioOptions,
): ChildProcess {
  // The kernel ends it with us even where we are killed and can end nothing ourselves.
  const tie = findProgram(['setpriv']);
  const [command = program, ...rest] = [...(tie ? [tie, '--pdeathsig', 'TERM'] : []), program, ...args];
  return spawn(command, rest, { stdio, env: { ...process.env, ...environment } });
}

async function end(child: ChildProcess): Promise<void> {
  if (child.pid === undefined || child.exitCode !== null || child.signalCode !== null) return;
  const gone = once(child, 'exit');
  child.kill();
  const late = setTimeout(() => child.kill('SIGKILL'), 3000);
  await gone;
  clearTimeout(late);
}

async function firstLine(stream: Readable): Promise<string> {
  for await (const line of createInterface({ input: stream, signal: AbortSignal.timeout(startLimit) })) return line;
  throw new Error('Xvfb did not start.');
}

async function answers(address: string): Promise<void> {
  for (const end = Date.now() + startLimit; ; await sleep(50)) {
    const status = await fetch(address).then(
      (response) => response.ok,
      () => false,
    );
    if (status) return;
    if (Date.now() > end) throw new Error(`WebKitWebDriver did not start: nothing answers at ${address}.`);
  }
}

/** From the start of the built command to its first answer, as another process sees it. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { median, reportFigures } from '../figure.ts';

const command = fileURLToPath(new URL('../../../packages/sandbox/dist/main.js', import.meta.url));
const port = 47_310;
const patience = 20_000;

/** @param linger - milliseconds it is left running after its first answer */
async function start(linger = 0): Promise<number> {
  const begun = performance.now();
  const child = spawn(process.execPath, [command, '--port', String(port)], { stdio: 'ignore' });
  try {
    while (performance.now() - begun < patience) {
      const answered = await fetch(`http://127.0.0.1:${port}/v2/publications`).then(
        (answer) => answer.status > 0,
        () => false,
      );
      if (answered) {
        const took = performance.now() - begun;
        await new Promise((resolve) => setTimeout(resolve, linger));
        return took;
      }
      await new Promise((resolve) => setTimeout(resolve, 2));
    }
    throw new Error('The command did not answer.');
  } finally {
    const ended = once(child, 'exit');
    child.kill('SIGKILL');
    await ended;
  }
}

const cold = await start(1500);
const runs: number[] = [];
for (let n = 0; n < 9; n += 1) runs.push(await start());
reportFigures({
  start: {
    value: median(runs),
    detail: `median of ${runs.length}, seed demo; the fastest ${Math.round(Math.min(...runs))} ms; the first, before Node has kept what it compiled, ${Math.round(cold)} ms`,
  },
});

/** `npm run worker`, by the guide docs/src/content/docs/relay/worker.md. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { expect, it, onTestFinished } from 'vitest';
import { root } from '../../scripts/root.ts';
import { waitUntil } from '../support/waits.ts';
import { arrivalOf, openBrowser, subscribe, visit } from '../e2e/visitor.ts';
import { freePorts } from '../support/free-ports.ts';

it('shows a signup by the demo’s form in the sandbox with npm run worker, and stops on Ctrl-C', async () => {
  const { demo, sandbox, relay } = await freePorts();
  const child = spawn(process.execPath, ['scripts/run.mjs', 'worker'], {
    cwd: root,
    env: {
      ...process.env,
      DEMO_PORT: String(demo),
      SANDBOX_PORT: String(sandbox),
      RELAY_PORT: String(relay),
    },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  onTestFinished(() => void child.kill('SIGTERM'));
  let output = '';
  for (const stream of [child.stdout, child.stderr])
    stream.setEncoding('utf8').on('data', (text: string) => (output += text));
  await waitUntil('everything runs', () => output.includes('Ctrl-C stops everything'));
  const session = await openBrowser();
  onTestFinished(() => session.close());
  const email = `person-${child.pid}@example.com`;
  const { page: demoPage } = await visit(session.browser, `http://127.0.0.1:${demo}/`);
  await subscribe(demoPage, { email });
  await arrivalOf(demoPage, email);
  const list = await fetch(`http://127.0.0.1:${sandbox}/_sandbox/subscriptions?limit=200`);
  expect(await list.text()).toContain(email);
  const ended = once(child, 'exit');
  child.kill('SIGINT');
  expect(await ended).toEqual([0, null]);
});

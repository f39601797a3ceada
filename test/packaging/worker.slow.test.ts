/** `npm run worker`, by the guide docs/src/content/docs/relay/worker.md. */
import { expect, it, onTestFinished } from 'vitest';
import { useBrowser } from '../e2e/use-browser.ts';
import { arrivalOf, subscribe, visit } from '../e2e/visitor.ts';
import { starter } from '../scripts/starter.ts';
import { freePorts } from '../support/free-ports.ts';

const session = useBrowser();

it('shows a signup by the demo’s form in the sandbox with npm run worker, and stops on Ctrl-C', async () => {
  const { demo, sandbox, relay } = await freePorts();
  const { child, says, ended } = starter(['worker'], {
    DEMO_PORT: String(demo),
    SANDBOX_PORT: String(sandbox),
    RELAY_PORT: String(relay),
  });
  onTestFinished(() => void child.kill('SIGTERM'));
  await says(/Ctrl-C stops everything/);
  const email = `person-${child.pid}@example.com`;
  const { page: demoPage } = await visit(session.browser, `http://127.0.0.1:${demo}/`);
  await subscribe(demoPage, { email });
  await arrivalOf(demoPage, email);
  const list = await fetch(`http://127.0.0.1:${sandbox}/_sandbox/subscriptions?limit=200`);
  expect(await list.text()).toContain(email);
  child.kill('SIGINT');
  expect(await ended).toBe(0);
});

/** The guide docs/src/content/docs/relay/worker.md: its commands, with workerd in place of a Cloudflare account. */
import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { gzipSync } from 'node:zlib';
import { parse } from 'yaml';
import { expect, it, onTestFinished } from 'vitest';
import { root } from '../../scripts/root.ts';
import { startWorkerd } from '../../scripts/workerd.ts';
import { eventually } from '../../packages/relay/test/eventually.ts';
import { arrivalOf, openBrowser, subscribe, visit } from '../e2e/visitor.ts';
import { freePorts } from '../support/free-ports.ts';
import { scratchFolder } from '../support/scratch-folder.ts';

const page = readFileSync(join(root, 'docs/src/content/docs/relay/worker.md'), 'utf8');
const settings = join(root, 'packages/relay/deploy/worker/wrangler.jsonc');
const shell = (command: string) =>
  promisify(execFile)('/bin/sh', ['-c', command], {
    cwd: root,
    // The answer to npx, which asks before it installs wrangler.
    env: { ...process.env, WRANGLER_SEND_METRICS: 'false', CI: 'true', npm_config_yes: 'true' },
    maxBuffer: 1e8,
  });

it('bundles the Worker with the commands of the guide, and it takes signups', async () => {
  const [, block = ''] = /^```sh [^\n]*it needs an account"\n([^`]+)```/m.exec(page) ?? [];
  const [build = '', secret = '', deploy = '', ...more] = block.trim().split('\n');
  // The build has run before these tests. It is not repeated, because it deletes files that other tests are using.
  expect([build, more]).toEqual(['npm run build', []]);
  expect(secret).toMatch(/^npx wrangler@\S+ secret put NEWSLETTER_API_KEY --config /);
  const out = scratchFolder();
  await shell(`${deploy} --dry-run --outdir ${out}`);
  const script = readFileSync(join(out, 'index.js'), 'utf8');
  // Cloudflare's free plan takes three megabytes.
  expect(gzipSync(script).length).toBeLessThan(325_000);

  // JSON with comments is YAML, apart from the comments.
  const { vars } = parse(readFileSync(settings, 'utf8').replaceAll(/^\s*\/\/.*$/gm, '')) as {
    readonly vars: Readonly<Record<string, string>>;
  };
  const { url, workerd } = await startWorkerd(script, { variables: { ...vars, NEWSLETTER_API_KEY: 'a-key' } });
  onTestFinished(() => workerd.dispose());
  expect((await fetch(`${url}/readyz`)).status).toBe(200);
  const answer = await fetch(`${url}/signup`, {
    method: 'POST',
    headers: { origin: vars['RELAY_ALLOWED_ORIGINS'] ?? '', 'content-type': 'application/json' },
    body: JSON.stringify({ email: 'ada@example.com' }),
  });
  expect(answer.status).toBe(202);
});

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
  await eventually('everything runs', () => output.includes('Ctrl-C stops everything'), 200_000);
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

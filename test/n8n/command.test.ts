/** `npm run n8n`: starts an n8n with nodes, credentials and examples, and keeps the user's changes. */
import { globSync } from 'node:fs';
import { readFile, rm } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { basename, join } from 'node:path';
import { createClient } from '@newsletter-kit/core';
import { afterAll, beforeAll, expect, it, onTestFinished } from 'vitest';
import { freeNumbers } from '../support/free-ports.ts';
import { root } from '../../scripts/root.ts';
import { sandboxAccount, serverUrl } from '../../scripts/servers.ts';
import { packageFolder } from '../../scripts/n8n/pack.ts';
import type { Owner } from '../../scripts/n8n/server.ts';
import { starter, type Started } from '../scripts/starter.ts';
import { copyRepository } from '../support/repository-copy.ts';
import { Rest } from './harness/rest.ts';
import { readExample } from './harness/syncExample.ts';

const names = globSync('examples/workflows/*.json', { cwd: root }).map((file) => basename(file, '.json'));
/** Examples that begin with a form or a webhook, or that wait for a decision. */
const waiting = ['actOnSignup', 'eraseWithApproval', 'importCsv'];
/** Examples that end at a service that nothing stands in for. */
const foreign = ['slackNotice', 'subscriberLog'];
/** What the others send at the first press. */
const subjects = [
  '1 new newsletter subscriber',
  '\\d+ people by source, and who is still there',
  'Contact sync: .*',
  'A person asks to be erased',
  '\\d+ new subscribers last week',
];

/** Where nothing is built: other tests use what is built in the repository. */
let copy: string;
let folder: string;
let ports: Readonly<Record<'n8n' | 'sandbox' | 'demo' | 'mails', number>>;
beforeAll(async () => {
  copy = await copyRepository('n8n-command');
  // Within the repository, as the folder that the command takes by default.
  folder = join(copy, '.cache', 'n8n');
  const [n8n = 0, sandbox = 0, demo = 0, mails = 0] = await freeNumbers(4);
  ports = { n8n, sandbox, demo, mails };
});
afterAll(() => rm(copy, { recursive: true, force: true, maxRetries: 5 }));

function begin(): Started {
  const env = {
    N8N_PORT: String(ports.n8n),
    SANDBOX_PORT: String(ports.sandbox),
    DEMO_PORT: String(ports.demo),
    STAND_INS_PORT: String(ports.mails),
  };
  const started = starter(['n8n', '--folder', folder], env, copy);
  onTestFinished(async () => {
    started.child.kill('SIGTERM');
    await started.ended;
  });
  return started;
}

async function end(started: Started): Promise<void> {
  started.child.kill('SIGINT');
  expect(await started.ended).toBe(0);
  for (const port of Object.values(ports)) await expect(fetch(serverUrl(port))).rejects.toThrow();
}

/** Signs in with the printed account. */
async function signIn(): Promise<Rest> {
  const { email, password } = JSON.parse(await readFile(join(folder, 'owner.json'), 'utf8')) as Owner;
  return Rest.signIn(serverUrl(ports.n8n), email, password);
}

it('runs where nothing is built, and subscribes a visitor of the demo site once the example is published', async () => {
  const started = begin();
  await started.says(/Ctrl-C stops everything/);
  expect(await (await fetch(serverUrl(ports.demo))).text()).toContain('data-receiver="n8n"');
  // Without its n8n-workflow the nodes do not recognise the errors of this n8n.
  const load = createRequire(join(packageFolder(folder), 'package.json'));
  expect(load.resolve('n8n-workflow')).toMatch(/test.n8n.host.node_modules/);
  const n8n = await signIn();
  // The editor gives a new node the credential that was changed last: the one that needs no Connect.
  const credentials = (await n8n.credentials()).filter(({ id }) => id.startsWith('newsletter'));
  const latest = credentials.toSorted((a, b) => b.updatedAt.localeCompare(a.updatedAt));
  expect(latest.map(({ id }) => id)).toEqual(['newsletterSandbox', 'newsletterSandboxOAuth2']);
  await n8n.activate('signupForm');
  const signup = await fetch(`${serverUrl(ports.n8n)}/webhook/signup`, {
    method: 'POST',
    headers: {
      origin: serverUrl(ports.demo),
      'content-type': 'application/json',
      'idempotency-key': crypto.randomUUID(),
    },
    body: JSON.stringify({ email: 'first.reader@example.com', utm_source: 'guide' }),
  });
  expect(signup.status).toBe(202);

  const { key, publicationId } = sandboxAccount;
  const api = createClient({ baseUrl: `${serverUrl(ports.sandbox)}/v2`, token: key, publicationId });
  await expect
    .poll(() => api.subscriptions.list({ email: 'first.reader@example.com' }).then(({ items }) => items[0]?.utm_source))
    .toBe('guide');
  await end(started);
});

it('keeps published workflows, imports nothing a second time, and runs each example at the first press', async () => {
  const started = begin();
  await started.says(/Ctrl-C stops everything/);
  expect(started.output()).not.toContain('Importing');
  const n8n = await signIn();
  expect((await n8n.workflow('signupForm')).active).toBe(true);
  for (const { id, nodes } of await Promise.all(names.map(readExample))) {
    const first = nodes.find(({ type }) => /trigger$|\.webhook$/i.test(type))?.name ?? '';
    const execution = await n8n.runManually(id, first);
    if (waiting.includes(id)) continue;
    const { error } = await n8n.ended(execution);
    expect(error?.message, id).toBe(foreign.includes(id) ? 'Node does not have any credentials set' : undefined);
  }
  for (const subject of subjects)
    await expect
      .poll(async () => (await fetch(serverUrl(ports.mails))).text())
      .toMatch(new RegExp(`<h2>${subject}</h2>`));
  await end(started);
});

it('stops at once on SIGINT during the start', async () => {
  const started = begin();
  await started.says(/Starting n8n/);
  await end(started);
});

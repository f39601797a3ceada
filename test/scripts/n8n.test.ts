/** `npm run n8n`: its imports and its errors. test/n8n runs it with a real n8n. */
import { stat } from 'node:fs/promises';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { freePort } from '../support/free-ports.ts';
import {
  planImports,
  readWorkflow,
  sandboxCredential,
  sandboxOAuth2Credential,
  type Imports,
} from '../../scripts/n8n/examples.ts';
import { storedOwner } from '../../scripts/n8n/server.ts';
import { starter } from './starter.ts';
import { scratchFolder } from '../support/scratch-folder.ts';

const imports = (sandboxUrl = 'http://127.0.0.1:4010'): Imports => ({
  credentials: [sandboxCredential(sandboxUrl), sandboxOAuth2Credential(sandboxUrl)],
  workflows: [{ id: 'first', name: 'First' }],
});
const ids = ({ credentials, workflows }: Imports): string[] => [...credentials, ...workflows].map(({ id }) => id);

describe('the imports of npm run n8n', () => {
  it('include everything on the first start, and nothing on the second', () => {
    const first = planImports(imports(), {});
    expect(ids(first)).toEqual(['newsletterSandbox', 'newsletterSandboxOAuth2', 'first']);
    expect(ids(planImports(imports(), first.record))).toEqual([]);
  });

  it('never overwrite a workflow, even after its example has changed', () => {
    const { record } = planImports(imports(), {});
    expect(ids(planImports({ ...imports(), workflows: [{ id: 'first', name: 'Better' }] }, record))).toEqual([]);
  });

  it('include a new example', () => {
    const { record } = planImports(imports(), {});
    expect(
      ids(planImports({ ...imports(), workflows: [...imports().workflows, { id: 'second', name: 'Second' }] }, record)),
    ).toEqual(['second']);
  });

  it('update the credentials once after the address of the sandbox changed', () => {
    const { record } = planImports(imports(), {});
    const moved = planImports(imports('http://127.0.0.1:4011'), record);
    expect(ids(moved)).toEqual(['newsletterSandbox', 'newsletterSandboxOAuth2']);
    expect(ids(planImports(imports('http://127.0.0.1:4011'), moved.record))).toEqual([]);
  });

  it('use the current addresses of the demo site and the sandbox', () => {
    const text = JSON.stringify({
      id: 'w',
      name: 'W',
      nodes: [{ parameters: { allowedOrigins: 'http://127.0.0.1:4000', url: 'http://127.0.0.1:4010/v2' } }],
    });
    expect(readWorkflow(text, { demo: 4444, sandbox: 4555 })).toMatchObject({
      nodes: [{ parameters: { allowedOrigins: 'http://127.0.0.1:4444', url: 'http://127.0.0.1:4555/v2' } }],
    });
  });
});

it('creates the owner of npm run n8n once, in a file that only the current user can read', async () => {
  const folder = scratchFolder();
  const file = join(folder, 'owner.json');
  const owner = await storedOwner(file);
  expect(owner.password).toMatch(/^(?=.*[A-Z])(?=.*\d).{8,64}$/);
  expect(await storedOwner(file)).toEqual(owner);
  expect((await storedOwner(join(folder, 'other.json'))).password).not.toBe(owner.password);
  if (process.platform !== 'win32') expect((await stat(file)).mode & 0o077).toBe(0);
});

describe('npm run n8n', () => {
  it.each([
    { name: 'editor', variable: 'N8N_PORT' },
    { name: 'sandbox', variable: 'SANDBOX_PORT' },
    { name: 'demo', variable: 'DEMO_PORT' },
  ])('reports that the port of the $name is in use, and starts nothing', async ({ name, variable }) => {
    // Closes every connection, like a server that does not speak HTTP.
    const server = createServer((socket) => socket.destroy());
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    onTestFinished(() => new Promise((resolve) => server.close(() => resolve())));
    const address = server.address();
    const port = typeof address === 'object' && address ? address.port : 0;
    const env = {
      N8N_PORT: String(await freePort()),
      SANDBOX_PORT: String(await freePort()),
      DEMO_PORT: String(await freePort()),
    };

    const started = starter(['n8n'], { ...env, [variable]: String(port) });
    expect(await started.ended).toBe(1);
    expect(started.output()).toContain(`Port ${port} for the ${name} is in use by another program.`);
    expect(started.output()).toMatch(new RegExp(`${variable}=\\d+ npm run n8n$`, 'm'));
    expect(started.output()).not.toMatch(/▸ (Starting|Building|Importing|Installing n8n)|^\s+at /m);
  });

  it.each([
    ['no port', ['n8n'], { N8N_PORT: 'harbour' }, 'N8N_PORT is "harbour", which is not a port.'],
    ['an option that it does not know', ['n8n', '--folde', 'x'], {}, 'npm run n8n -- --folder DIR'],
  ])('refuses %s', async (_name, args, env, sentence) => {
    const started = starter(args, env);
    expect(await started.ended).toBe(1);
    expect(started.output()).toContain(sentence);
    expect(started.output()).not.toMatch(/^\s+at /m);
  });
});

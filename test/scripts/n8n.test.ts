/** `npm run n8n`: its imports and its errors. test/n8n runs it with a real n8n. */
import { mkdir, stat, writeFile } from 'node:fs/promises';
import { createServer, type AddressInfo } from 'node:net';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import {
  planImports,
  readWorkflow,
  sandboxCredential,
  sandboxOAuth2Credential,
  type Imports,
} from '../../scripts/n8n/examples.ts';
import { breaking, installLocked, tellingLines } from '../../scripts/n8n/locked.ts';
import { storedOwner } from '../../scripts/n8n/server.ts';
import { starter } from './starter.ts';
import { freePort } from '../support/free-ports.ts';
import { scratchFolder } from '../support/scratch-folder.ts';

const imports = (sandboxUrl = 'http://127.0.0.1:4010'): Imports => ({
  credentials: [sandboxOAuth2Credential(sandboxUrl), sandboxCredential(sandboxUrl)],
  workflows: [{ id: 'first', name: 'First', nodes: [] }],
});
const ids = ({ credentials, workflows }: Imports): string[] => [...credentials, ...workflows].map(({ id }) => id);

describe('the imports of npm run n8n', () => {
  it('include everything on the first start, and nothing on the second', () => {
    const first = planImports(imports(), {});
    expect(ids(first)).toEqual(['newsletterSandboxOAuth2', 'newsletterSandbox', 'first']);
    expect(ids(planImports(imports(), first.record))).toEqual([]);
  });

  it('never overwrite a workflow, even after its example has changed', () => {
    const { record } = planImports(imports(), {});
    expect(ids(planImports({ ...imports(), workflows: [{ id: 'first', name: 'Better', nodes: [] }] }, record))).toEqual(
      [],
    );
  });

  it('include a new example', () => {
    const { record } = planImports(imports(), {});
    expect(
      ids(
        planImports(
          { ...imports(), workflows: [...imports().workflows, { id: 'second', name: 'Second', nodes: [] }] },
          record,
        ),
      ),
    ).toEqual(['second']);
  });

  it('update the credentials once after the address of the sandbox changed', () => {
    const { record } = planImports(imports(), {});
    const moved = planImports(imports('http://127.0.0.1:4011'), record);
    expect(ids(moved)).toEqual(['newsletterSandboxOAuth2', 'newsletterSandbox']);
    expect(ids(planImports(imports('http://127.0.0.1:4011'), moved.record))).toEqual([]);
  });

  it('use the current addresses of the demo site and the sandbox, and what stands in for other services', () => {
    const text = JSON.stringify({
      id: 'w',
      name: 'W',
      nodes: [
        { name: 'Signup', parameters: { allowedOrigins: 'http://127.0.0.1:4000', url: 'http://127.0.0.1:4010/v2' } },
        { name: 'Mail', parameters: { subject: 'Hello' } },
      ],
    });
    const credentials = { smtp: { id: 'standIn', name: 'Mail server' } };
    const nodes = { w: { Mail: { credentials } }, other: { Signup: { credentials } } };
    expect(readWorkflow(text, { demo: 4444, sandbox: 4555 }, { nodes })).toMatchObject({
      nodes: [
        {
          name: 'Signup',
          parameters: { allowedOrigins: 'http://127.0.0.1:4444', url: 'http://127.0.0.1:4555/v2' },
        },
        { name: 'Mail', parameters: { subject: 'Hello' }, credentials },
      ],
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
  /** Closes every connection, like a server that does not speak HTTP. @returns its port */
  async function occupiedPort(): Promise<number> {
    const server = createServer((socket) => socket.destroy());
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    onTestFinished(() => new Promise((resolve) => server.close(() => resolve())));
    return (server.address() as AddressInfo).port;
  }

  it('names every port that is in use or that browsers do not open, and starts nothing', async () => {
    const [editor, demo] = [await occupiedPort(), await occupiedPort()];
    const env = {
      N8N_PORT: String(editor),
      SANDBOX_PORT: '10080',
      DEMO_PORT: String(demo),
      STAND_INS_PORT: String(await freePort()),
    };
    const started = starter(['n8n'], env);
    expect(await started.ended).toBe(1);
    expect(started.output()).toContain(`Port ${editor} for the editor is in use by another program.`);
    expect(started.output()).toContain('Port 10080 for the sandbox is one that browsers refuse to open');
    expect(started.output()).toContain(`Port ${demo} for the demo is in use by another program.`);
    expect(started.output()).toMatch(/: N8N_PORT=\d+ SANDBOX_PORT=10\d+ DEMO_PORT=\d+ npm run n8n$/m);
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

describe('a path for node-gyp', () => {
  it('is refused before anything is installed', async () => {
    const folder = join(scratchFolder(), 'my #1');
    await mkdir(folder);
    for (const file of ['package.json', 'pnpm-workspace.yaml', 'pnpm-lock.yaml'])
      await writeFile(join(folder, file), '');
    const log = vi.spyOn(console, 'log');
    onTestFinished(() => log.mockRestore());
    await expect(installLocked({ folder, title: 'n8n', needs: 'nothing', compiles: 'sqlite3' })).rejects.toThrow(
      `${folder}: node-gyp, which may have to compile sqlite3, breaks at " " and "#" in a path.\n  Move this clone`,
    );
    expect(log).not.toHaveBeenCalled();
  });

  it.each(' #\'"$()&;`|<>\t'.split(''))('has %j in it', (character) => {
    expect(breaking(`/home/a${character}b/kit`)).toEqual([character]);
  });

  it.each([...'%,@+~![]{}=:*?^.-_'.split(''), 'für', '日本'])('may have %j in it', (text) => {
    expect(breaking(`/home/a${text}b/kit`)).toEqual([]);
  });
});

describe('a failed install', () => {
  /** What pnpm prints where sqlite3 finds neither its binary nor Node's headers. */
  const sqlite = (reason: string): string =>
    [
      'Progress: resolved 0, reused 1999, downloaded 0, added 1999, done',
      '.../node_modules/sqlite3 install$ prebuild-install -r napi || node-gyp rebuild',
      `.../node_modules/sqlite3 install: prebuild-install warn install ${reason} github.com`,
      '.../node_modules/sqlite3 install: gyp info it worked if it ends with ok',
      '.../node_modules/sqlite3 install: gyp http GET https://nodejs.org/download/release/v24.1.0/node-v24.1.0-headers.tar.gz',
      `.../node_modules/sqlite3 install: gyp ERR! stack FetchError: request to https://nodejs.org/ failed, reason: ${reason} nodejs.org`,
      ...Array.from(
        { length: 40 },
        (_, line) => `.../node_modules/sqlite3 install: gyp ERR! stack     at step ${line}`,
      ),
      '.../node_modules/sqlite3 install: gyp ERR! System Linux 6.1.0',
      '.../node_modules/sqlite3 install: gyp ERR! command "node" "node-gyp" "rebuild"',
      '.../node_modules/sqlite3 install: gyp ERR! cwd /n8n/node_modules/sqlite3',
      '.../node_modules/sqlite3 install: gyp ERR! not ok',
      '.../node_modules/sqlite3 install: Failed',
      ' ELIFECYCLE  Command failed with exit code 1.',
    ].join('\n');

  it.each([
    ['a host that is not found', sqlite('getaddrinfo ENOTFOUND'), /ENOTFOUND github\.com[^]*ENOTFOUND nodejs\.org/],
    ['a proxy that refuses', sqlite('tunneling socket could not be established'), /failed, reason: tunneling/],
    ['a missing compiler', `x\ngyp ERR! stack Error: not found: make\n${'y\n'.repeat(60)}`, /not found: make/],
    ['a full disk', `ENOSPC: no space left on device, write\n${'y\n'.repeat(60)}`, /ENOSPC: no space left/],
  ])('is told with the lines that name %s', (_, output, cause) => {
    const lines = tellingLines(output);
    expect(lines).toMatch(cause);
    expect(lines.split('\n').length).toBeLessThanOrEqual(23);
    expect(lines).not.toMatch(/at step|System Linux|Progress/);
  });
});

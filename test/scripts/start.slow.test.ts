/** `npm start`: starts and stops three servers, and prints one clear error if it cannot. */
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it, onTestFinished } from 'vitest';
import { freePorts } from '../support/free-ports.ts';
import { root } from '../../scripts/root.ts';
import { servers, serverUrl, type Ports } from '../../scripts/servers.ts';
import { starter } from './starter.ts';

let folder: string;
let ports: Ports;
let env: Record<string, string>;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'newsletter-start-'));
  ports = await freePorts();
  env = {
    RELAY_STORE: `sqlite:${join(folder, 'relay.db')}`,
    ...Object.fromEntries(servers.map(({ name, portVariable }) => [portVariable, String(ports[name])])),
  };
});
afterEach(() => rm(folder, { recursive: true, force: true }));

/** Names of the servers that answer. */
async function answering(): Promise<string[]> {
  const answers = servers.map(({ name }) =>
    fetch(serverUrl(ports[name])).then(
      () => name,
      () => undefined,
    ),
  );
  return (await Promise.all(answers)).filter((name) => name !== undefined);
}

/** Occupies a port until the test is over. */
async function occupy(port: number): Promise<void> {
  // Closes every connection, like a server that does not speak HTTP.
  const server = createServer((socket) => socket.destroy());
  await new Promise<void>((resolve) => server.listen(port, '127.0.0.1', resolve));
  onTestFinished(() => new Promise((resolve) => server.close(() => resolve())));
}

describe('npm start', () => {
  it.each(['SIGINT', 'SIGTERM'] as const)(
    'prints three addresses that answer, and leaves nothing running after %s',
    async (signal) => {
      const started = starter(['start'], env);
      onTestFinished(() => void started.child.kill('SIGTERM'));
      await started.says(/Ctrl-C stops everything/);
      for (const { name } of servers) expect(started.output()).toContain(serverUrl(ports[name]));
      expect(await answering()).toHaveLength(3);

      started.child.kill(signal);
      expect(await started.ended).toBe(0);
      expect(await answering()).toEqual([]);
    },
  );

  it.each(servers)(
    'reports that the port of the $name is in use, starts nothing and fails',
    async ({ name, portVariable }) => {
      await occupy(ports[name]);
      const started = starter(['start'], env);
      expect(await started.ended).toBe(1);
      expect(started.output()).toContain(`Port ${ports[name]} for the ${name} is in use by another program.`);
      expect(started.output()).toContain(`${portVariable}=`);
      expect(started.output()).not.toMatch(/answers after|^\s+at /m);
    },
  );

  it('reports all ports in use at once, each with its variable', async () => {
    for (const { name } of servers) await occupy(ports[name]);
    const started = starter(['start'], env);
    expect(await started.ended).toBe(1);
    for (const { name, portVariable } of servers) {
      expect(started.output()).toContain(`Port ${ports[name]} for the ${name} is in use by another program.`);
      expect(started.output()).toMatch(new RegExp(`${portVariable}=\\d+ .*npm start`));
    }
    expect(started.output()).not.toContain('runs already');
  });

  it('names a running npm start and suggests other ports for the second one', async () => {
    const first = starter(['start'], env);
    onTestFinished(() => void first.child.kill('SIGTERM'));
    await first.says(/Ctrl-C stops everything/);

    const second = starter(['start'], env);
    expect(await second.ended).toBe(1);
    const output = second.output();
    expect(output).toMatch(/Another npm start runs already: process \d+ in /);
    expect(output).toContain(root);
    for (const { name } of servers) expect(output).toContain(serverUrl(ports[name]));
    for (const { portVariable } of servers) expect(output).toMatch(new RegExp(`${portVariable}=\\d+ .*npm start`));
    expect(output).not.toMatch(/answers after|^\s+at /m);
    expect(await answering()).toHaveLength(3);

    first.child.kill('SIGTERM');
    expect(await first.ended).toBe(0);
  });

  it('prints the addresses of a hosted form and of the script for a website, and the relay serves both', async () => {
    const started = starter(['start'], env);
    onTestFinished(() => void started.child.kill('SIGTERM'));
    await started.says(/Ctrl-C stops everything/);
    const [, form = '', script = ''] = /: (http:\S+\/signup);.*src="(\S+)"/.exec(started.output()) ?? [];
    expect(await (await fetch(form)).text()).toContain('<form method="post"');
    expect(await (await fetch(script)).text()).toContain('newsletter-signup');

    started.child.kill('SIGTERM');
    expect(await started.ended).toBe(0);
  });

  it("prints the address of the relay's operator page, and the file with its token", async () => {
    const started = starter(['start'], env);
    onTestFinished(() => void started.child.kill('SIGTERM'));
    await started.says(/Ctrl-C stops everything/);
    const [, page = '', file = ''] = /(http:\S+\/operator)\. .* it is in (\S+)\.\n/.exec(started.output()) ?? [];
    expect((await fetch(page)).status).toBe(200);
    const token = (await readFile(join(root, file), 'utf8')).trim();
    const status = await fetch(`${page}/api/status`, { headers: { authorization: `Bearer ${token}` } });
    expect(status.status).toBe(200);

    started.child.kill('SIGTERM');
    expect(await started.ended).toBe(0);
  });

  it.each([
    ['no port', { RELAY_PORT: 'harbour' }, 'RELAY_PORT is "harbour", which is not a port.'],
    ['a port too large', { DEMO_PORT: '70000' }, 'DEMO_PORT is "70000", which is not a port.'],
    ['the same port twice', { DEMO_PORT: '4999', RELAY_PORT: '4999' }, 'RELAY_PORT and DEMO_PORT are both 4999.'],
  ])('refuses %s', async (_name, wrong, sentence) => {
    const started = starter(['start'], { ...env, ...wrong });
    expect(await started.ended).toBe(1);
    expect(started.output()).toContain(sentence);
  });

  it('reports which server ended, stops the others and fails', async () => {
    const started = starter(['start'], {
      ...env,
      RELAY_STORE: `sqlite:${join(folder, 'no', 'such', 'folder', 'relay.db')}`,
    });
    expect(await started.ended).toBe(1);
    expect(started.output()).toContain('The relay stopped with exit code 1');
    expect(await answering()).toEqual([]);
  });
});

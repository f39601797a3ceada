/** `npm start`: three servers up, three servers gone, and one clear sentence where that cannot be. */
import { mkdtemp, rm } from 'node:fs/promises';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it, onTestFinished } from 'vitest';
import { freePorts } from '../../scripts/chain/ports.ts';
import { servers, serverUrl, type Ports } from '../../scripts/chain/servers.ts';
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
  const server = createServer();
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
    'names the port of the $name when it is in use, starts nothing and fails',
    async ({ name, portVariable }) => {
      await occupy(ports[name]);
      const started = starter(['start'], env);
      expect(await started.ended).toBe(1);
      expect(started.output()).toContain(`Port ${ports[name]} for the ${name} is in use by another program.`);
      expect(started.output()).toContain(`${portVariable}=`);
      expect(started.output()).not.toMatch(/answers after|^\s+at /m);
    },
  );

  it.each([
    ['no port', { RELAY_PORT: 'harbour' }, 'RELAY_PORT is "harbour", which is no port.'],
    ['a port too large', { DEMO_PORT: '70000' }, 'DEMO_PORT is "70000", which is no port.'],
    ['the same port twice', { DEMO_PORT: '4999', RELAY_PORT: '4999' }, 'RELAY_PORT and DEMO_PORT both say 4999.'],
  ])('refuses %s', async (_name, wrong, sentence) => {
    const started = starter(['start'], { ...env, ...wrong });
    expect(await started.ended).toBe(1);
    expect(started.output()).toContain(sentence);
  });

  it('says which server died, stops the others and fails', async () => {
    const started = starter(['start'], {
      ...env,
      RELAY_STORE: `sqlite:${join(folder, 'no', 'such', 'folder', 'relay.db')}`,
    });
    expect(await started.ended).toBe(1);
    expect(started.output()).toContain('The relay stopped with exit code 1');
    expect(await answering()).toEqual([]);
  });
});

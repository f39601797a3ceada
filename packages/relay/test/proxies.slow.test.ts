/** The reverse proxies of the installation page, with its rules: no spelling of a path brings a private route out. */
import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { root } from '../../../scripts/root.ts';
import { freePort } from '../../../test/support/free-ports.ts';
import { scratchFolder } from '../../../test/support/scratch-folder.ts';
import { waitUntil } from '../../../test/support/waits.ts';
import { listen } from '../src/commands/listen.ts';
import { getRaw, leaked, pathTricks } from './path-tricks.ts';
import { operatorToken, runRelay } from './running-relay.ts';

const page = readFileSync(join(root, 'docs/src/content/docs/relay/install.md'), 'utf8');

/** A configuration of the page, with this relay behind it. */
function documented(language: string, relayPort: number): string {
  const [, block = ''] = new RegExp(`^ *\`\`\`${language}\n([^]*?)^ *\`\`\`$`, 'm').exec(page) ?? [];
  expect(block).toContain('127.0.0.1:4020');
  return block.replaceAll('127.0.0.1:4020', `127.0.0.1:${relayPort}`);
}

/** How a proxy runs with its part of the page on a port without TLS. @returns its file, and its arguments */
const proxies = {
  nginx: (relay: number, port: number, folder: string) => [
    `daemon off; pid ${folder}/pid; error_log ${folder}/log; events {}
     http { access_log off; ${['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi'].map((kind) => `${kind}_temp_path ${folder}/${kind};`).join(' ')}
     server { listen 127.0.0.1:${port}; server_name relay.example; ${documented('nginx', relay)} } }`,
    '-c',
  ],
  caddy: (relay: number, port: number) => [
    `{\n admin off\n auto_https off\n}\n${documented('caddyfile', relay).replace('signup.example.com', `http://:${port}`)}`,
    'run',
    '--adapter',
    'caddyfile',
    '--config',
  ],
  haproxy: (relay: number, port: number) => [
    `defaults\n mode http\n timeout connect 5s\n timeout client 30s\n timeout server 30s\n${documented('haproxy', relay).replace(/bind .*/, `bind 127.0.0.1:${port}`)}`,
    '-f',
  ],
} satisfies Readonly<Record<string, (relay: number, port: number, folder: string) => readonly string[]>>;

const versionOf = { nginx: '-v', caddy: 'version', haproxy: '-v' } as const;
const isInstalled = (name: keyof typeof proxies): boolean => spawnSync(name, [versionOf[name]]).status === 0;

for (const [name, configured] of Object.entries(proxies))
  // In CI all of them must be there.
  it.skipIf(!process.env['CI'] && !isInstalled(name as keyof typeof proxies))(
    `${name} passes on the form, and no private route in any spelling, also with the token`,
    async () => {
      const server = await listen(runRelay(), { host: '127.0.0.1', port: 0 });
      onTestFinished(() => server.close(0));
      const folder = scratchFolder();
      const file = join(folder, 'proxy.conf');
      const port = await freePort();
      const [content = '', ...args] = configured(Number(new URL(server.address).port), port, folder);
      writeFileSync(file, content);
      const child = spawn(name, [...args, file], {
        stdio: ['ignore', 'ignore', 'pipe'],
        env: { ...process.env, HOME: folder },
      });
      let log = '';
      child.stderr.setEncoding('utf8').on('data', (text: string) => (log += text));
      const ended = once(child, 'close');
      onTestFinished(async () => {
        child.kill('SIGKILL');
        await ended;
      });
      const answers = (): Promise<string> =>
        fetch(`http://127.0.0.1:${port}/thanks`).then(
          (answer) => answer.text(),
          () => '',
        );
      await waitUntil(`${name} answers, or ends: ${log}`, async () => {
        if (child.exitCode !== null) throw new Error(log);
        return (await answers()).includes('Thank you');
      });
      const out: string[] = [];
      for (const target of pathTricks(2000, 2))
        if (leaked(await getRaw(port, target, operatorToken)).length > 0) out.push(target);
      expect(out).toEqual([]);
    },
  );

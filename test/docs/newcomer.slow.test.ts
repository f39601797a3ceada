/**
 * Executes the root README: every `sh` block, word for word and in order, in a terminal of a fresh clone of the
 * committed files, with an empty home folder and the system's Node.
 *
 * If a port is in use on this machine, the test sets another one with the documented variable, and changes the
 * numbers in the commands.
 */
import { execFileSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { mkdir, mkdtemp, readFile, realpath, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { delimiter, dirname, join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { findProgram } from '../support/browsers/find.ts';
import { freePort } from '../support/free-ports.ts';
import { listenOn } from '../../scripts/ports.ts';
import { root } from '../../scripts/root.ts';
import { sandboxAccount, serverUrl } from '../../scripts/servers.ts';
import { openTerminal, type Terminal } from './terminal.ts';

/** The ports the page names, each with its variable where a table or a block of the page has one. */
const pagePorts = { 4000: 'DEMO_PORT', 4010: 'SANDBOX_PORT', 4020: 'RELAY_PORT', 4021: '', 4011: '' } as const;
type PagePort = keyof typeof pagePorts;

let folder: string;
let home: string;
let clone: string;
let ports: Map<number, number>;
let first: Terminal;
let second: Terminal;

/** The address of what the page has on this port. */
const at = (port: PagePort): string => serverUrl(ports.get(port) ?? port);

interface Block {
  /** The first words of the block, which find it on the page. */
  readonly starts: string;
  /** What the page says will happen. */
  readonly does: string;
  readonly check: (block: string) => Promise<void>;
}

/** The blocks in the order of the page. */
const blocks: readonly Block[] = [
  {
    starts: 'npm start',
    does: 'prints three addresses that answer, and runs on',
    async check(block) {
      first.type(block);
      await first.shows(/Ctrl-C stops everything/);
      for (const port of [4000, 4010, 4020] as const) {
        expect(first.screen()).toContain(at(port));
        expect((await fetch(at(port))).status).toBeLessThan(500);
      }
    },
  },
  { starts: 'npm test', does: 'is this suite, so it is not run in itself', check: () => Promise.resolve() },
  {
    starts:
      'export NEWSLETTER_API_URL=http://127.0.0.1:4010/v2\nexport NEWSLETTER_API_KEY=sandbox-key\nexport NEWSLETTER_PUBLICATION_ID=pub_00000000-0000-4000-8000-000000000001\nexport RELAY_ALLOWED_ORIGINS',
    does: 'takes a signup, which arrives in the sandbox, and stops at Ctrl-C',
    async check(block) {
      second.type(block);
      await second.shows(/the relay takes signups/);
      const email = 'newcomer@example.com';
      const answer = await fetch(`${at(4021)}/signup`, {
        method: 'POST',
        headers: { 'content-type': 'application/json', origin: at(4000) },
        body: JSON.stringify({ email }),
      });
      expect(answer.status).toBe(202);
      await expect.poll(() => subscribers()).toContain(email);
      second.interrupt();
      await second.finished();
      await expect(fetch(`${at(4021)}/livez`)).rejects.toThrow();
    },
  },
  {
    starts: 'npm run relay -- status',
    does: 'shows the delivered signup, in the same terminal',
    async check(block) {
      second.type(block);
      expect(await second.finished(), second.screen()).toBe(0);
      expect(second.screen()).toMatch(/delivered\s+1\b/i);
    },
  },
  {
    starts: 'npm run build',
    does: 'packs the nodes and installs them where n8n looks for them',
    async check(block) {
      second.type(block);
      expect(await second.finished(), second.screen()).toBe(0);
      const installed = join(home, '.n8n', 'nodes', 'node_modules', 'n8n-nodes-newsletter-kit');
      const { n8n } = JSON.parse(await readFile(join(installed, 'package.json'), 'utf8')) as {
        n8n: { nodes: string[] };
      };
      expect(n8n.nodes.length).toBeGreaterThan(2);
      for (const node of n8n.nodes) expect(existsSync(join(installed, node)), node).toBe(true);
    },
  },
  {
    starts: 'npm run node -- examples/crm.mjs',
    does: 'prints the active subscriptions of the sandbox',
    async check(block) {
      second.type(block);
      expect(await second.finished(), second.screen()).toBe(0);
      expect(second.screen()).toContain('ada.lovelace@example.com');
    },
  },
  {
    starts:
      'export NEWSLETTER_API_URL=http://127.0.0.1:4010/v2\nexport NEWSLETTER_API_KEY=sandbox-key\nexport NEWSLETTER_PUBLICATION_ID=pub_00000000-0000-4000-8000-000000000001\nnpm run newsletter',
    does: 'reaches the publication and exports it into the home folder',
    async check(block) {
      second.type(block);
      expect(await second.finished(), second.screen()).toBe(0);
      expect(second.screen()).toMatch(/accessible/);
      expect(await readFile(join(home, 'subscribers.csv'), 'utf8')).toContain('ada.lovelace@example.com');
    },
  },
  {
    starts: 'npm run sandbox -- --port 4011',
    does: 'runs a second sandbox, and stops at Ctrl-C',
    async check(block) {
      second.type(block);
      await second.shows(/Stop with Ctrl-C/);
      expect((await fetch(`${at(4011)}/_sandbox/requests`)).status).toBe(200);
      second.interrupt();
      await second.finished();
      await expect(fetch(at(4011))).rejects.toThrow();
    },
  },
  {
    starts: 'npm run sandbox -- exec',
    does: 'runs the command against a sandbox of its own',
    async check(block) {
      second.type(block);
      expect(await second.finished(), second.screen()).toBe(0);
      expect(second.screen()).toMatch(/accessible/);
    },
  },
];

describe.skipIf(process.platform === 'win32')('the commands of the README', () => {
  let page: string[];

  beforeAll(async () => {
    folder = await realpath(await mkdtemp(join(tmpdir(), 'newsletter-newcomer-')));
    home = join(folder, 'home');
    clone = join(folder, 'newsletter-kit');
    await mkdir(home);
    execFileSync('git', ['clone', '--quiet', root, clone]);
    const text = await readFile(join(clone, 'README.md'), 'utf8');
    page = [...text.matchAll(/^ *```sh\n([\s\S]*?)^ *```$/gm)].map(([, block = '']) => block);
    ports = await portsToUse();
    first = await openTerminal(clone, environment());
    second = await openTerminal(clone, environment());
  });
  afterAll(async () => {
    await Promise.all([first?.close(), second?.close()]);
    await rm(folder, { recursive: true, force: true, maxRetries: 5 });
  });

  it('each have a check, in the order of the page', () => {
    expect(page.map((block) => blocks.find(({ starts }) => block.startsWith(starts))?.starts ?? block)).toEqual(
      blocks.map(({ starts }) => starts),
    );
  });

  it.each(blocks.map((block, place) => ({ ...block, place, title: block.starts.trim().split('\n').at(-1) })))(
    '$title – $does',
    // Fetching everything takes minutes on a slow line.
    { timeout: 900_000 },
    ({ place, check }) => check(moved(page[place] ?? '')),
  );

  it('leave no untracked file', () => {
    expect(execFileSync('git', ['status', '--porcelain'], { cwd: clone, encoding: 'utf8' })).toBe('');
  });

  it('stop all servers with Ctrl-C in the first terminal', async () => {
    first.interrupt();
    await first.shows(/Stopped\. Signups that the relay accepted/);
    await first.finished();
    for (const port of [4000, 4010, 4020] as const) await expect(fetch(at(port))).rejects.toThrow();
  });
});

/** What a newcomer's terminal holds: no setting of this project or of npm, an empty home, the system's programs. */
function environment(): Record<string, string> {
  // Those that a machine needs to reach the registry.
  const network = /^(https?_proxy|no_proxy|npm_config_registry|node_extra_ca_certs|ssl_cert_(file|dir)|lang)$/i;
  const kept = Object.entries(process.env).flatMap(([name, value]) =>
    network.test(name) && value !== undefined ? [[name, value] as const] : [],
  );
  const movedPorts = Object.entries(pagePorts).flatMap(([port, variable]) => {
    const used = ports.get(Number(port));
    return variable && used !== Number(port) ? [[variable, String(used)] as const] : [];
  });
  return { ...Object.fromEntries([...kept, ...movedPorts]), HOME: home, PATH: systemPath() };
}

/** Without the tools of this checkout, whose Node is not the system's. */
function systemPath(): string {
  const own = process.env['PATH'] ?? '';
  const system = own.split(delimiter).filter((path) => path && !path.includes('node_modules'));
  process.env['PATH'] = system.join(delimiter);
  const programs = ['node', 'npm', 'git', 'sh'].map((name) => findProgram([name]));
  process.env['PATH'] = own;
  const folders = programs.map((program, place) => {
    if (!program) throw new Error(`${['node', 'npm', 'git', 'sh'][place]} is not on the PATH of this system.`);
    return dirname(program);
  });
  return [...new Set([...folders, '/usr/bin', '/bin'])].join(delimiter);
}

/** The page's own ports, or a free one in place of each that is taken. */
async function portsToUse(): Promise<Map<number, number>> {
  const used = new Map<number, number>();
  for (const port of Object.keys(pagePorts).map(Number)) {
    const isFree = await listenOn(port).then(
      ({ release }) => release().then(() => true),
      () => false,
    );
    used.set(port, isFree ? port : await freePort());
  }
  return used;
}

/** The block with the ports that are used: word for word where none is taken. */
function moved(block: string): string {
  return block.replaceAll(/\b40[012][01]\b/g, (port) => String(ports.get(Number(port)) ?? port));
}

async function subscribers(): Promise<string[]> {
  const answer = await fetch(
    `${at(4010)}/v2/publications/${sandboxAccount.publicationId}/subscriptions?limit=5&direction=desc`,
    { headers: { authorization: `Bearer ${sandboxAccount.key}` } },
  );
  const { data } = (await answer.json()) as { data: { email: string }[] };
  return data.map(({ email }) => email);
}

/**
 * Executes the documentation: every `sh` block of every README and of every page of the site, word for word and in
 * order, as somebody new to the project would. docs/README.md says how a page marks its blocks.
 *
 * `NEWCOMER_NODE` chooses the newcomer's Node, `NEWCOMER_PAGES` the pages by a part of their path.
 */
import { readFileSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { git } from '../../scripts/git.ts';
import { root } from '../../scripts/root.ts';
import { sandboxAccount, servers } from '../../scripts/servers.ts';
import { bringNodes, type BroughtNodes } from '../packaging/runtimes.ts';
import { startedLine, startNewcomer, type Newcomer, type Reader } from './newcomer.ts';
import { documentedPort, missingLine, readPage, type Commands } from './page.ts';
import { documentationPages } from './pages.ts';
import type { Terminal } from './terminal.ts';

const { NEWCOMER_NODE: version = '20.20.2', NEWCOMER_PAGES: selection = '' } = process.env;
const pages = documentationPages()
  .filter((path) => path.includes(selection))
  .map((path) => {
    const text = readFileSync(join(root, path), 'utf8');
    return { path, text, ...readPage(text) };
  })
  .filter(({ commands, links }) => commands.length > 0 || links.some(isLocal));

let nodes: BroughtNodes;
let newcomer: Newcomer;
let reader: Reader;

/** What a page promises beyond the printed lines, by the last line of the block. */
const promises: Readonly<Record<string, (terminal: Terminal) => Promise<void>>> = {
  'README.md: npm start': async ({ screen }) => {
    for (const { usualPort } of servers) expect(screen()).toContain(newcomer.address(usualPort));
  },
  'docs/src/content/docs/start/operator.md: npm run relay -- serve': async () => {
    const email = 'newcomer@example.com';
    const answer = await fetch(`${newcomer.address(4021)}/signup`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', origin: newcomer.address(4000) },
      body: JSON.stringify({ email }),
    });
    expect(answer.status).toBe(202);
    await expect.poll(() => subscribers()).toContain(email);
  },
  'docs/src/content/docs/start/operator.md: npm run relay -- status': async ({ screen }) => {
    // The page sends a signup of its own.
    expect(screen()).toMatch(/delivered\s+[12]\b/i);
  },
  'docs/src/content/docs/start/n8n.md: npm install --omit=peer --prefix ~/.n8n/nodes "$PWD/packed/n8n-nodes-newsletter-kit.tgz"':
    async () => {
      const installed = join(reader.home, '.n8n/nodes/node_modules/n8n-nodes-newsletter-kit');
      const { n8n } = JSON.parse(await readFile(join(installed, 'package.json'), 'utf8')) as {
        readonly n8n: { readonly nodes: readonly string[] };
      };
      expect(n8n.nodes.length).toBeGreaterThan(2);
      for (const node of n8n.nodes) await readFile(join(installed, node));
    },
  'README.md: npm run newsletter -- export ~/subscribers.csv --status active': async () => {
    expect(await readFile(join(reader.home, 'subscribers.csv'), 'utf8')).toContain('ada.lovelace@example.com');
  },
};

describe.skipIf(process.platform === 'win32')(`a newcomer with Node ${version}`, () => {
  beforeAll(async () => {
    nodes = await bringNodes([version]);
    newcomer = await startNewcomer(
      nodes.node(version),
      pages.map(({ text }) => text),
    );
  }, 900_000);
  afterAll(async () => {
    await newcomer?.close();
    await nodes?.remove();
  });

  describe.each(pages)('who follows $path', ({ path, commands, links }) => {
    beforeAll(async () => {
      reader = await newcomer.openPage();
    });
    afterAll(() => reader?.close());

    it.each(commands.map((block) => ({ ...block, title: lastLine(block.text) })))(
      'runs $title',
      { timeout: 900_000 },
      (block) => follow(path, block),
    );

    it('opens the addresses on this machine that the page links', async () => {
      const elsewherePorts = commands.flatMap(({ text, elsewhere }) =>
        elsewhere ? (text.match(documentedPort) ?? []) : [],
      );
      const served = links.filter((link) => isLocal(link) && !elsewherePorts.some((port) => link.includes(`:${port}`)));
      for (const link of served) {
        const answer = await fetch(newcomer.moved(link), { headers: { accept: 'text/html' } });
        expect([link, answer.ok]).toEqual([link, true]);
      }
    });

    if (path !== 'README.md') return;
    it('has no untracked file afterwards', () => {
      const status = git(['status', '--porcelain'], newcomer.clone);
      expect(status).toBe('');
    });
  });

  it('is told that one runs already, where npm start runs twice', async () => {
    const { terminal, close } = await newcomer.openPage();
    const second = await terminal();
    await second.type('npm start');
    expect(await second.finished()).toBe(1);
    expect(second.screen()).toContain('Another npm start runs already');
    await close();
  });

  it('stops all servers with Ctrl-C in the first terminal', async () => {
    const { first } = newcomer;
    first.interrupt();
    await first.finished();
    expect(first.screen()).toContain('Stopped. Signups that the relay accepted');
    for (const { usualPort } of servers) await expect(fetch(newcomer.address(usualPort))).rejects.toThrow();
  });
});

it('every promise belongs to a block', () => {
  const blocks = pages.flatMap(({ path, commands }) => commands.map(({ text }) => `${path}: ${lastLine(text)}`));
  const checked = Object.keys(promises).filter((name) => name.split(': ')[0]?.includes(selection));
  expect(blocks).toEqual(expect.arrayContaining(checked));
});

async function follow(path: string, { text, prints, until, elsewhere }: Commands): Promise<void> {
  // The fast tests check that this test runs the block.
  if (elsewhere) return;
  const block = newcomer.moved(text);
  const [, before = '', start] = /^([\s\S]*?)(?:^(npm start))?\s*$/m.exec(block) ?? [];
  const terminal = start && !before.trim() ? newcomer.first : await reader.terminal();
  if (start) {
    if (before.trim()) await run(terminal, before);
    expect(newcomer.first.screen()).toContain(startedLine);
  } else if (until === undefined) {
    await run(terminal, block);
  } else {
    await terminal.type(block);
    await terminal.shows(newcomer.moved(until));
    reader.leaveRunning();
  }
  const shown = (start ? newcomer.first : terminal).screen();
  expect(
    missingLine(
      shown,
      prints.map((line) => newcomer.moved(line)),
    ),
    shown,
  ).toBeUndefined();
  await promises[`${path}: ${lastLine(text)}`]?.(terminal);
}

/** Runs a block that ends by itself. */
async function run(terminal: Terminal, block: string): Promise<void> {
  await terminal.type(block);
  expect(await terminal.finished(), terminal.screen()).toBe(0);
}

function lastLine(block: string): string {
  return block.trim().split('\n').at(-1) ?? '';
}

function isLocal(link: string): boolean {
  return /^http:\/\/(?:127\.0\.0\.1|localhost):40\d\d\b/.test(link);
}

async function subscribers(): Promise<string[]> {
  const answer = await fetch(
    `${newcomer.address(4010)}/v2/publications/${sandboxAccount.publicationId}/subscriptions?limit=5&direction=desc`,
    { headers: { authorization: `Bearer ${sandboxAccount.key}` } },
  );
  const { data } = (await answer.json()) as { data: { email: string }[] };
  return data.map(({ email }) => email);
}

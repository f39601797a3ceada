/**
 * Executes the documentation: every `sh` block of every README and of every page of the site, word for word and in
 * order, as somebody new to the project would, who opens each address in a browser. docs/README.md says how a page
 * marks its blocks.
 *
 * `NEWCOMER_NODE` chooses the newcomer's Node, `NEWCOMER_PAGES` the pages by parts of their paths.
 */
import { readFileSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { git } from '../../scripts/git.ts';
import { listenOn } from '../../scripts/ports.ts';
import { root } from '../../scripts/root.ts';
import { sandboxAccount, servers } from '../../scripts/servers.ts';
import { notice, openBrowser, subscribe, type BrowserSession } from '../e2e/visitor.ts';
import { bringNodes, type BroughtNodes } from '../packaging/runtimes.ts';
import { firstCommand, startedLine, startNewcomer, type Newcomer, type Reader } from './newcomer.ts';
import { documentedPort, missingLine, readPage, type Commands } from './page.ts';
import { documentationPages } from './pages.ts';
import { open, seeTexts, sights } from './sights.ts';
import type { Terminal } from './terminal.ts';

const { NEWCOMER_NODE: version = '20.20.2', NEWCOMER_PAGES: selection = '' } = process.env;
const pages = documentationPages()
  .filter((path) => selection.split(' ').some((part) => path.includes(part)))
  .map((path) => {
    const text = readFileSync(join(root, path), 'utf8');
    return { path, text, ...readPage(text) };
  })
  .filter(({ commands, links }) => commands.length > 0 || links.some(isLocal));

let nodes: BroughtNodes;
let session: BrowserSession;
let newcomer: Newcomer;
let reader: Reader;

const websitePage = 'docs/src/content/docs/start/website.md';
const websiteServer =
  'npm run node -- node_modules/vite/bin/vite.js preview --outDir ~/site --host 127.0.0.1 --port 4001 --strictPort';

/** What a page promises beyond the printed lines, by the last line of the block. */
const promises: Readonly<Record<string, (terminal: Terminal) => Promise<void>>> = {
  [`README.md: ${firstCommand}`]: async ({ screen }) => {
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
  [`${websitePage}: ${websiteServer}`]: () =>
    open(session.browser, `${newcomer.address(4001)}/?utm_source=blog`, async (page) => {
      await seeTexts(page, sights['http://127.0.0.1:4001'] ?? []);
      const email = 'visitor@example.com';
      await subscribe(page, { email, topics: ['boats'], birthday: '1986-12-09' });
      await notice(page, 'success');
      await expect.poll(() => subscribers()).toContain(email);
    }),
  'docs/src/content/docs/cli/import-export.md: npm run newsletter -- export ~/subscribers.csv --expand custom_fields --where status=active':
    async () => {
      expect(await readFile(join(reader.home, 'subscribers.csv'), 'utf8')).toContain('ada.lovelace@example.com');
    },
};

/** What is broken on purpose in a block of the page of a website, and how the browser or the terminal notices it. */
const breaks: readonly Break[] = [
  {
    what: 'a script at an address of the relay that has none',
    change: (block) => block.replace('/signup-form.js', '/signup.js'),
    error: /404.*\/signup\.js/s,
  },
  {
    what: 'a relay that takes signups of another origin',
    change: (block) => block.replace(/^(export RELAY_ALLOWED_ORIGINS)=.*$/m, '$1=http://elsewhere.example'),
    error: /blocked by CORS policy/,
  },
  { what: 'a port that is taken', change: (block) => block, takenPort: 4001, error: /is already in use/ },
];

interface Break {
  readonly what: string;
  readonly change: (block: string) => string;
  /** Another program listens on it. */
  readonly takenPort?: number;
  readonly error: RegExp;
}

describe.skipIf(process.platform === 'win32')(`a newcomer with Node ${version}`, () => {
  beforeAll(async () => {
    nodes = await bringNodes([version]);
    session = await openBrowser();
    newcomer = await startNewcomer(
      nodes.node(version),
      pages.map(({ text }) => text),
    );
  }, 900_000);
  afterAll(async () => {
    await session?.close();
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
      for (const link of served) expect([link, (await see(newcomer.moved(link))).ok]).toEqual([link, true]);
    });

    if (path !== 'README.md') return;
    it('has no untracked file afterwards', () => {
      const status = git(['status', '--porcelain'], newcomer.clone);
      expect(status).toBe('');
    });
  });

  const website = pages.find(({ path }) => path === websitePage);
  it.runIf(website).each(breaks)('notices $what', { timeout: 900_000 }, async ({ change, takenPort, error }) => {
    reader = await newcomer.openPage();
    onTestFinished(() => reader.close());
    if (takenPort !== undefined) {
      const other = await listenOn(Number(new URL(newcomer.address(takenPort)).port));
      onTestFinished(other.release);
    }
    const follows = async (): Promise<void> => {
      for (const block of website?.commands ?? []) await follow(websitePage, block, change);
    };
    await expect(follows()).rejects.toThrow(error);
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
  const checked = Object.keys(promises).filter((name) => pages.some(({ path }) => name.startsWith(`${path}: `)));
  expect(blocks).toEqual(expect.arrayContaining(checked));
});

/** @param change - what a test breaks on purpose in the block */
async function follow(
  path: string,
  { text, prints, until, elsewhere }: Commands,
  change = (block: string): string => block,
): Promise<void> {
  // The fast tests check that this test runs the block.
  if (elsewhere) return;
  const block = newcomer.moved(change(text));
  const [, before = '', start] =
    /^([\s\S]*?)(?:^(npm start))?\s*$/m.exec(block.replace(firstCommand, 'npm start')) ?? [];
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
  if (start || until !== undefined) for (const address of addressesOn(shown)) await see(address);
  await promises[`${path}: ${lastLine(text)}`]?.(terminal);
}

/** What a screen prints of this machine's addresses. */
function addressesOn(screen: string): ReadonlySet<string> {
  return new Set(screen.match(/http:\/\/(?:127\.0\.0\.1|localhost):\d+(?:[^\s,;"'()]*\w)?/g));
}

/** Opens an address. Where it shows a page, there is no error on it, and what the documentation says is visible. */
async function see(address: string): Promise<Response> {
  const answer = await fetch(address, { headers: { accept: 'text/html' } });
  if (!answer.headers.get('content-type')?.startsWith('text/html')) return answer;
  const row = Object.entries(sights).find(
    ([documented]) => newcomer.moved(documented) === address.replace(/\/?(?:\?.*)?$/, ''),
  );
  if (!row) throw new Error(`sights.ts has no row for ${address}.`);
  await open(session.browser, address, (page) => seeTexts(page, row[1]));
  return answer;
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

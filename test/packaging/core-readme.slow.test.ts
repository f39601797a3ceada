/**
 * Every snippet of core's README and of the client's pages, run with the packed and installed package on each supported
 * Node against a sandbox. A comment `// → …` is the expected output of its line.
 */
import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { mkdir, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { launch } from '../../scripts/launch.ts';
import { blocks, section } from '../support/documentation.ts';
import { freePorts } from '../support/free-ports.ts';
import { root } from '../../scripts/root.ts';
import { plans } from '../../scripts/servers.ts';
import { installPacked, type Installation } from './installed.ts';
import { bringRuntimes, type Runtimes } from './runtimes.ts';

const pages = ['packages/core/README.md', ...section('client')].map((path) => ({
  path,
  text: readFileSync(join(root, path), 'utf8'),
}));

/** A snippet without imports goes on with those of its section before it. */
const snippets = pages.flatMap(({ path, text }) =>
  text.split(/^## /m).flatMap((part, place) => {
    const [heading = ''] = place === 0 ? [] : part.split('\n');
    let before = '';
    return blocks(part, 'ts').map((code, index) => {
      before = /^import /m.test(code) ? code : before + code;
      return { code: before, title: `${[path, heading].filter(Boolean).join(', ')}, ${index + 1}` };
    });
  }),
);

/** The reader's own way to send a person to a page and back; here the sandbox's, which plays the person. */
const person =
  "import { consent } from '@newsletter-kit/sandbox';\nconst sendTo = (url: string) => consent(fetch, url);\n";

/**
 * Entries whose functions a reader calls; the schemas of `./schema` are values, and the whole of them is the table of
 * operations.
 */
const documentedEntries = [
  '',
  '/contract',
  '/engine',
  '/import',
  '/watch',
  '/report',
  '/sync',
  '/facts',
  '/signup',
  '/endpoint',
  '/oauth',
  '/node',
].map((entry) => `@newsletter-kit/core${entry}`);

let installed: Installation;
let runtimes: Runtimes;
let sandbox: Awaited<ReturnType<typeof launch>>;
beforeAll(async () => {
  [installed, runtimes, sandbox] = await Promise.all([
    // A reader who has an instance of ky installed it.
    installPacked('ky@2.1.0'),
    bringRuntimes(),
    launch(plans.sandbox, { ports: await freePorts(), relayStore: '' }, () => undefined),
  ]);
});
afterAll(() => Promise.all([installed?.remove(), runtimes?.remove(), sandbox?.stop()]));

interface Ended {
  readonly code: number;
  readonly stdout: string;
  readonly stderr: string;
}

/** Runs a snippet in a folder of its own, beside the installed packages and the files that the pages show. */
async function run(node: string, code: string): Promise<Ended> {
  const folder = join(installed.folder, `snippet-${process.hrtime.bigint()}`);
  await mkdir(folder);
  await writeFile(
    join(folder, 'snippet.ts'),
    (code.includes('sendTo(') ? person + code : code).replaceAll('http://127.0.0.1:4010', sandbox.url),
  );
  const csv = pages.flatMap(({ text }) => blocks(text, 'csv'));
  await Promise.all(csv.map((text) => writeFile(join(folder, 'people.csv'), text)));
  await fetch(`${sandbox.url}/_sandbox/reset`, { method: 'POST' });
  return new Promise((resolve) => {
    execFile(
      node,
      ['--disable-warning=ExperimentalWarning', 'snippet.ts'],
      { cwd: folder, timeout: 120_000, env: { PATH: process.env['PATH'], HOME: folder } },
      (error, stdout, stderr) => {
        void rm(folder, { recursive: true, force: true });
        resolve({ code: error === null ? 0 : Number(error.code ?? -1), stdout, stderr });
      },
    );
  });
}

describe.each(['22', '24', '26'] as const)('on Node %s', (major) => {
  it.each(snippets)('$title', async ({ code }) => {
    const ended = await run(runtimes.nodes[major], code);
    expect(ended, ended.stderr).toMatchObject({ code: 0 });
    const told = [...code.matchAll(/\/\/ → (.*)$/gm)].map(([, text = '']) => text);
    for (const line of told) expect(ended.stdout).toContain(line);
  });
});

describe('the README and the pages', () => {
  it.each(documentedEntries)('show every function of %s in a snippet', async (entry) => {
    const names = Object.entries((await import(entry)) as Record<string, unknown>).flatMap(([name, value]) =>
      typeof value === 'function' && !isError(value) ? [name] : [],
    );
    const shown = snippets.map(({ code }) => code).join('\n');
    expect(names.filter((name) => !new RegExp(`\\b${name}\\b`).test(shown))).toEqual([]);
  });
});

/** Errors are caught, not called; the page on errors lists them in a table. */
function isError(value: object): boolean {
  return value === Error || Object.prototype.isPrototypeOf.call(Error, value);
}

import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import { blocks, page, readmeAndPages } from '../../../test/support/documentation.ts';
import { scratchFolder } from '../../../test/support/scratch-folder.ts';
import { expectUpToDate } from '../../../test/support/up-to-date.ts';
import { scenarios } from '../src/command/scenarios.ts';
import { run, start } from './command/process.ts';
import { generate } from './option-table.ts';

const room = fileURLToPath(new URL('..', import.meta.url));
/** The README and the pages about the sandbox. */
const documentation = readmeAndPages('packages/sandbox/README.md', 'sandbox');
const snippets = (language: string) => blocks(documentation, language);

async function feed(command: string, args: readonly string[], input: string) {
  const child = spawn(command, args, { cwd: room, stdio: ['pipe', 'pipe', 'pipe'] });
  child.stdin.end(input);
  const [stdout, stderr, [code]] = await Promise.all([text(child.stdout), text(child.stderr), once(child, 'close')]);
  return { code: code as number, stdout, stderr };
}

test('the TypeScript of the README prints what its comments say', async () => {
  const [snippet = ''] = snippets('ts');
  const ended = await feed(
    process.execPath,
    ['--conditions=@newsletter-kit/source', '--input-type=module-typescript'],
    snippet,
  );
  expect(ended, ended.stderr).toMatchObject({ code: 0, stdout: '1 subscriptions.list\n' });
});

test('the calls of the five-minute guide work', async () => {
  const running = await start();
  const guide = snippets('sh').find((snippet) => snippet.includes('lostResponse')) ?? '';
  expect(guide.match(/^curl/gm)).toHaveLength(8);
  const ended = await feed('bash', ['-e'], guide.replaceAll('http://127.0.0.1:4010', running.address));
  expect(ended, ended.stdout + ended.stderr).toMatchObject({ code: 0 });
  expect(ended.stdout).toContain('"limit":5');
  expect(ended.stdout).toContain('"happened"');
});

test('the vitest snippet of the documentation is a test of the fixture, letter for letter', () => {
  const snippet = snippets('ts').find((code) => code.includes('@newsletter-kit/sandbox/vitest')) ?? '';
  const [told = ''] = /^test\([^]*\}\);$/m.exec(snippet) ?? [];
  const fixture = readFileSync(new URL('vitest.test.ts', import.meta.url), 'utf8');
  expect(told).toContain('clientOptions');
  expect(fixture.replace('  met.push(sandbox);\n', '')).toContain(told);
});

test('the first call of the documentation creates a subscription', async () => {
  const { address } = await start();
  const [call] = blocks(page('sandbox/first-steps'), 'sh').filter((snippet) => snippet.startsWith('curl'));
  const { stdout } = await feed('bash', [], (call ?? '').replaceAll('http://127.0.0.1:4010', address));
  expect(JSON.parse(stdout)).toEqual({
    data: expect.objectContaining({ email: 'ada+news@example.com', utm_source: 'landing page' }),
  });
});

test('the documentation lists every fault of certify', () => {
  const rows = scenarios.flatMap(({ name, kind, about }) => (kind === 'fault' ? [`| \`${name}\` | ${about} |\n`] : []));
  expect(documentation).toContain(`| Fault | |\n|---|---|\n${rows.join('')}\n`);
});

test('certify prints what its page shows', async () => {
  const [script = ''] = snippets('js');
  const shown = page('sandbox/certify');
  const calls = [...shown.matchAll(/^npm run sandbox -- ([^\n]*signup\.mjs)\n```\n\n```text\n(.*?)^```$/gms)];
  expect(calls).toHaveLength(1);
  const file = join(scratchFolder(), 'signup.mjs');
  writeFileSync(file, script);
  const withoutTimes = (text: string) =>
    text.replace(/ +\d+\.\d s/g, ' 0.0 s').replace(/\d\d:\d\d:\d\d\.\d{3}/g, 'time');
  for (const [, call = '', output = ''] of calls) {
    const { code, stdout, stderr } = await run(call.replace('signup.mjs', file).split(' '));
    expect(withoutTimes(stdout.replace(file, 'signup.mjs')), stderr).toBe(withoutTimes(output));
    expect(code).toBe(1);
  }
});

test('the documentation has the table of the options', () => {
  expectUpToDate(generate());
});

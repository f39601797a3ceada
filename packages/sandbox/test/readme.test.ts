import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { text } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';
import { expect, test, vi } from 'vitest';
import { run, start } from './command/process.ts';

// Each test starts processes; a busy machine takes its time.
vi.setConfig({ testTimeout: 60_000 });

const room = fileURLToPath(new URL('..', import.meta.url));
const readme = readFileSync(new URL('../README.md', import.meta.url), 'utf8');
const snippets = (language: string) => [...readme.matchAll(new RegExp(`\`\`\`${language}\\n(.*?)\`\`\``, 'gs'))].map(([, code]) => code ?? '');

async function feed(command: string, args: readonly string[], input: string) {
  const child = spawn(command, args, { cwd: room, stdio: ['pipe', 'pipe', 'pipe'] });
  child.stdin.end(input);
  const [stdout, stderr, [code]] = await Promise.all([text(child.stdout), text(child.stderr), once(child, 'close')]);
  return { code: code as number, stdout, stderr };
}

test('the TypeScript of the README prints what its comments say', async () => {
  const [snippet = ''] = snippets('ts');
  const ended = await feed(process.execPath, ['--conditions=source', '--input-type=module-typescript'], snippet);
  expect(ended, ended.stderr).toMatchObject({ code: 0, stdout: '1 subscriptions.list\n' });
});

test('the curl call of the README creates a subscription', async () => {
  const { address } = await start();
  const call = snippets('sh').find((snippet) => snippet.startsWith('curl'));
  const { stdout } = await feed('bash', [], (call ?? '').replaceAll('http://127.0.0.1:4010', address));
  expect(JSON.parse(stdout)).toEqual({ data: expect.objectContaining({ email: 'ada+news@example.com', utm_source: 'landing page' }) });
});

test('the options of the README are those of --help, with their variables and defaults', async () => {
  const { stdout } = await run(['--help']);
  const documented = [...readme.matchAll(/^\| `--([\w-]+) (.*?)` \| `(\w+)` \| `(.*?)` \|/gm)].map(([, name, value, variable, fallback]) => [name, value?.replaceAll('\\', ''), variable, fallback]);
  const helped = [...stdout.matchAll(/^ {2}--([\w-]+) (\S+) .*\((\w+), default (.*)\)$/gm)].map(([, ...parts]) => parts);
  expect(documented).toEqual(helped);
  expect(documented).toHaveLength(6);
});

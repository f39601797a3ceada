import { readFileSync, writeFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { publicationId, type Recording } from '../../src/index.ts';
import { addresses, run, script, start, subscribe } from './process.ts';
import { scratchFolder } from '../../../../test/support/scratch-folder.ts';

test('a session is recorded on a port and replayed; a changed answer is printed with its path, and ends with 1', async () => {
  const file = `${scratchFolder()}/session.har`;
  const running = await start(['--record', file]);
  expect(running.output()).toContain(file);
  expect((await subscribe(running, { email: 'ada@example.com' })).status).toBe(200);
  await fetch(`${running.address}/_sandbox/clock`, { method: 'POST', body: '{"advance": "P14D"}' });
  expect(await addresses(running)).toHaveLength(100);
  await fetch(`${running.address}/_sandbox/requests`);
  await fetch(running.address);
  expect(await running.stop()).toBe(0);

  const text = readFileSync(file, 'utf8');
  const { log } = JSON.parse(text) as Recording;
  expect(log.entries.map(({ request }) => request.method)).toEqual(['POST', 'POST', 'GET']);
  expect(log._sandbox).toMatchObject({ seed: 'demo', snapshot: null });
  expect(text).not.toContain(running.address);

  expect(await run(['replay', file])).toEqual({
    code: 0,
    stdout: '3 requests, each answered as recorded.\n',
    stderr: '',
  });
  writeFileSync(file, text.replace(String.raw`\"status\":\"validating\"`, String.raw`\"status\":\"active\"`));
  const ended = await run(['replay', file]);
  expect(ended).toMatchObject({ code: 1, stderr: '' });
  expect(ended.stdout).toBe(
    [
      '1 of 3 requests were answered differently from the recording.',
      '',
      `1. POST /v2/publications/${publicationId}/subscriptions`,
      '   body.data.status',
      '   - recorded  "active"',
      '   + answered  "validating"',
      '',
    ].join('\n'),
  );
});

test('exec records the requests of its command, starting with the seed', async () => {
  const folder = scratchFolder();
  const file = `${folder}/exec.har`;
  const code = `await fetch(process.env.NEWSLETTER_API_URL + '/publications/${publicationId}/authors', { headers: { Authorization: 'Bearer ' + process.env.NEWSLETTER_API_KEY } })`;
  const args = ['exec', '--record', file, '--db', `${folder}/x.db`, '--seed', 'empty', ...script(code)];
  for (const _time of [1, 2]) expect(await run(args)).toMatchObject({ code: 0 });
  expect((JSON.parse(readFileSync(file, 'utf8')) as Recording).log._sandbox.snapshot).toBeNull();
  expect(await run(['replay', file])).toMatchObject({ code: 0, stdout: '1 request, each answered as recorded.\n' });
});

test.each([
  ['a second file', ['replay', 'a.har', 'b.har'], 2, /too many arguments for 'replay'/],
  ['a file that is not there', ['replay', 'nowhere.har'], 1, /"nowhere\.har" can't be read \(ENOENT\)/],
  ['a file that is no recording', ['replay', 'package.json'], 1, /This is not a recording/],
  ['a file that is no JSON', ['replay', 'README.md'], 1, /"README\.md" is not valid JSON/],
  [
    'a file that can’t be written',
    ['--port', '0', '--record', 'nowhere/x.har'],
    1,
    /can't be written to "nowhere\/x\.har"/,
  ],
])('%s is an error that says what to do', async (_, args, code, says) => {
  const ended = await run(args);
  expect(ended.stderr).toMatch(says);
  expect(ended.stderr).not.toContain('    at ');
  expect(ended).toMatchObject({ code, stdout: '' });
});

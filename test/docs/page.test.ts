import { describe, expect, it } from 'vitest';
import { documentedPort, missingCommand, missingLine, readPage } from './page.ts';

const fenced = (info: string, text: string): string => `\`\`\`${info}\n${text}\n\`\`\`\n`;

describe('the commands of a page', () => {
  it('are its sh blocks in order, also those in lists, without their indentation', () => {
    const page = `---\ntitle: A\n---\n${fenced('sh', 'npm start')}\n1. First:\n\n   ${fenced('sh', 'a \\\n  b').replaceAll('\n', '\n   ')}\n`;
    expect(readPage(page).commands.map(({ text }) => text)).toEqual(['npm start', 'a \\\n  b']);
  });

  it('carry what a server prints, and the test that runs them elsewhere', () => {
    const page =
      fenced('sh until="takes signups"', 'npm run relay') +
      fenced('sh elsewhere="a/b.test.ts: needs Docker"', 'docker build .');
    expect(readPage(page)).toMatchObject({
      problems: [],
      commands: [{ until: 'takes signups' }, { elsewhere: { file: 'a/b.test.ts', reason: 'needs Docker' } }],
    });
  });

  it('print the text block directly after them, and no other', () => {
    const page = `${fenced('sh', 'a')}\n${fenced('text', 'one\n\ntwo')}\n${fenced('sh', 'b')}\nThen:\n\n${fenced('text', 'three')}`;
    expect(readPage(page).commands.map(({ prints }) => prints)).toEqual([['one', 'two'], []]);
  });

  it('are not in blocks of other languages', () => {
    expect(readPage(fenced('html', '<p>') + fenced('text', 'a ─▶ b'))).toMatchObject({ commands: [], problems: [] });
  });

  it.each([
    ['', 'npm start', 'A block has no language.'],
    ['bash', 'npm start', '"bash" is no supported language.'],
    ['sh until=x', 'npm start', 'The attributes in "sh until=x" cannot be read.'],
    ['sh skip="x"', 'npm start', 'There is no attribute "skip".'],
    ['sh until=""', 'npm start', '"until" is empty.'],
    ['sh elsewhere="a.test.ts"', 'npm start', '"elsewhere" is "FILE: REASON".'],
    ['sh until="a" elsewhere="a: b"', 'npm start', '"until" and "elsewhere" exclude each other.'],
  ])('cannot be read from a block "%s"', (info, text, problem) => {
    expect(readPage(fenced(info, text))).toMatchObject({ commands: [], problems: [`${problem}\n${text}`] });
  });
});

it('the links of a page are in its text, tables, pictures and HTML, not in its code', () => {
  const page = [
    '[a](a.md#b) ![b](b.png) <http://127.0.0.1:4000> `[c](c.md)`',
    '',
    '| [d](d.md) | |\n|---|---|\n| [e](e.md) | |',
    '',
    '- [f]\n\n[f]: f.md',
    '',
    '<a href="g.md">g</a>',
    '',
    fenced('sh', '# [h](h.md)'),
  ].join('\n');
  expect(readPage(page).links).toEqual(['a.md#b', 'b.png', 'http://127.0.0.1:4000', 'd.md', 'e.md', 'f.md', 'g.md']);
});

it('the anchors of a page are those of GitHub, and repeated headings are numbered', () => {
  const page = '# What a `202` means – in *short*\n\n## Start\n\n### Start\n';
  expect([...readPage(page).anchors]).toEqual(['what-a-202-means--in-short', 'start', 'start-1']);
});

it.each([
  ['http://127.0.0.1:4010/v2', ['4010']],
  ['DEMO_PORT=4001 npm run sandbox -- --port 4011', ['4001', '4011']],
  ['pub_00000000-0000-4000-8000-000000000001 and 14010 or 4010.5', []],
])('the ports in %s are %j', (text, ports) => {
  expect(text.match(documentedPort) ?? []).toEqual(ports);
});

describe('the output of a command', () => {
  const output = '> npm\n\n  waiting\r  delivered   1 (12 ms)\r\nStop with Ctrl-C.\n';

  it.each([[['delivered   1 (… ms)', 'Stop with Ctrl-C.']], [['…']], [[]]])('contains %j', (expected) => {
    expect(missingLine(output, expected)).toBeUndefined();
  });

  it.each([
    ['is not whole', ['delivered'], 'delivered'],
    ['comes too early', ['Stop with Ctrl-C.', '> npm'], '> npm'],
    ['differs', ['delivered   2 (… ms)'], 'delivered   2 (… ms)'],
  ])('lacks a line that %s', (_, expected, missing) => {
    expect(missingLine(output, expected)).toBe(missing);
  });
});

describe('the test of a block that runs elsewhere', () => {
  const block = '# builds it\ndocker build -t relay \\\n  .\ndocker run relay';

  it('contains the first words of every command, or names the page', () => {
    expect(missingCommand("run('docker', ['build']); run('docker run')", 'a.md', block)).toBeUndefined();
    expect(missingCommand("readFile('docs/a.md')", 'docs/a.md', block)).toBeUndefined();
  });

  it('contains the name of an npm script, whatever variables precede it', () => {
    const start = 'DEMO_PORT=4001 npm run n8n';
    expect(missingCommand("it('npm run n8n', …)", 'a.md', start)).toBeUndefined();
    expect(missingCommand("it('npm run relay', …)", 'a.md', start)).toBe('npm run n8n');
  });

  it('lacks a command', () => {
    expect(missingCommand("run('docker', ['build'])", 'a.md', block)).toBe('docker run relay');
  });
});

/** The log: redaction of addresses and keys, and plain lines for a terminal. */
import { expect, it } from 'vitest';
import { createLog } from '../src/index.ts';
import { plainLines } from '../src/log.ts';

it('redacts addresses and keys in messages, fields, errors and stacks', () => {
  const lines: string[] = [];
  const log = createLog({ secrets: ['sk-123'], destination: { write: (line) => void lines.push(line) } });
  log.error(
    { err: new Error('ada@bücher.example, Bearer sk-123'), email: 'Ada+x@example.com' },
    'for ada@example.com with sk-123',
  );
  const text = lines.join('');
  expect(text).not.toMatch(/@|ada|sk-123|example/i);
  expect(JSON.parse(text)).toMatchObject({ level: 'error', msg: 'for [address] with [secret]', email: '[address]' });
});

it('writes one plain line per event at a terminal', () => {
  const lines: string[] = [];
  const log = createLog({ destination: plainLines((line) => void lines.push(line)) });
  log.info({ signup: '0190', attempt: 2 }, 'delivered');
  expect(lines).toEqual([expect.stringMatching(/^\d\d:\d\d:\d\d info {2}delivered signup=0190 attempt=2\n$/)]);
});

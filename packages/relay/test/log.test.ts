/** The log: redaction of addresses and keys, and plain lines for a terminal. */
import { expect, it } from 'vitest';
import { createLog } from '../src/index.ts';
import { plainLines } from '../src/log.ts';
import { weakSecrets } from '../src/ops/weak-secrets.ts';

it('redacts addresses and keys in fields, errors and stacks, and addresses in messages', () => {
  const lines: string[] = [];
  const log = createLog({ secrets: ['sk-12345'], destination: { write: (line) => void lines.push(line) } });
  log.error(
    { err: new Error('ada@bücher.example, Bearer sk-12345'), email: 'Ada+x@example.com', reason: 'with sk-12345' },
    'for ada@example.com with "quotes"',
  );
  const text = lines.join('');
  expect(text).not.toMatch(/@|ada|sk-12345|example/i);
  expect(JSON.parse(text)).toMatchObject({
    level: 'error',
    msg: 'for [address] with "quotes"',
    email: '[address]',
    reason: 'with [secret]',
  });
});

it.each([
  ['relay', 'has fewer than 8 characters'],
  ['signups', 'has fewer than 8 characters'],
  ['takes signups', 'is part of a sentence of the relay'],
  ['postgres', 'is part of a sentence of the relay'],
])('leaves no gap where the password is "%s", which is weak', (secret, why) => {
  const weak = weakSecrets([['RELAY_STORE', secret]]);
  expect(weak).toEqual([{ setting: 'RELAY_STORE', secret, why }]);
  const lines: string[] = [];
  const log = createLog({ weakSecrets: [secret], destination: { write: (line) => void lines.push(line) } });
  log.info({ err: new Error(`login with ${secret} failed`) }, `the relay takes signups, ${secret}`);
  expect(JSON.parse(lines.join(''))).toMatchObject({
    msg: `the relay takes signups, ${secret}`,
    err: { message: 'login with [secret] failed' },
  });
});

it('calls no random secret weak', () => {
  expect(
    weakSecrets([
      ['RELAY_SECRET', 'q3f9A0c7Zr81bXvM'],
      ['NEWSLETTER_API_KEY', 'sandbox-key'],
    ]),
  ).toEqual([]);
});

it('writes one plain line per event at a terminal', () => {
  const lines: string[] = [];
  const log = createLog({ destination: plainLines((line) => void lines.push(line)) });
  log.info({ signup: '0190', attempt: 2 }, 'delivered');
  expect(lines).toEqual([expect.stringMatching(/^\d\d:\d\d:\d\d info {2}delivered signup=0190 attempt=2\n$/)]);
});

import { execFileSync } from 'node:child_process';
import * as fc from 'fast-check';
import { expect, test } from 'vitest';

interface Sent {
  readonly url: string;
  readonly method: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string | null;
}
const { curlOf } = (await import(new URL('../../page/curl.ts', import.meta.url).href)) as {
  readonly curlOf: (sent: Sent) => string;
};

/** What a shell hands to curl: the command's words, with the variables set. */
function words(command: string): readonly string[] {
  const env = {
    ...process.env,
    NEWSLETTER_API_KEY: 'the-key',
    NEWSLETTER_OAUTH_CLIENT_ID: 'app',
    NEWSLETTER_OAUTH_CLIENT_SECRET: 'hush',
  };
  const output = execFileSync('bash', ['-c', `curl() { printf '%s\\0' "$@"; }\n${command}`], { env }).toString();
  return output.split('\0').slice(0, -1);
}

const url = 'http://127.0.0.1:4010/v2/x';
const type = { 'content-type': 'application/json' };

test.each<readonly [string, Partial<Sent>, readonly string[]]>([
  ['a read', {}, [url]],
  ['brackets in the query', { url: `${url}?expand[]=stats&a=b` }, ['--globoff', `${url}?expand[]=stats&a=b`]],
  [
    'a write',
    { method: 'POST', headers: type, body: '{}' },
    [url, '-H', 'content-type: application/json', '--data-raw', '{}'],
  ],
  ['a write without a body', { method: 'POST' }, ['-X', 'POST', url]],
  [
    'another method with a body',
    { method: 'PATCH', headers: type, body: '{}' },
    ['-X', 'PATCH', url, '-H', 'content-type: application/json', '--data-raw', '{}'],
  ],
  ['a body without a type', { method: 'POST', body: '@x' }, [url, '-H', 'Content-Type:', '--data-raw', '@x']],
  [
    'a body that begins with @',
    { method: 'POST', headers: type, body: '@/etc/passwd' },
    [url, '-H', 'content-type: application/json', '--data-raw', '@/etc/passwd'],
  ],
  ['HEAD', { method: 'HEAD' }, ['--head', url]],
  ['a key', { headers: { authorization: 'Bearer [hidden]' } }, [url, '-H', 'Authorization: Bearer the-key']],
  ['an OAuth client', { headers: { authorization: 'Basic [hidden]' } }, [url, '-u', 'app:hush']],
  [
    'headers of the connection, and hidden ones',
    { headers: { host: 'x', 'content-length': '2', cookie: '[hidden]', 'sec-fetch-mode': 'cors' } },
    [url],
  ],
])('%s becomes these words', (_, sent, expected) => {
  expect(words(curlOf({ url, method: 'GET', headers: {}, body: null, ...sent }))).toEqual(expected);
});

test('curl sends every header and body unchanged', () => {
  // A word of a command can hold everything but a null.
  const text = fc.string({ unit: 'grapheme', minLength: 1 }).filter((one) => !/[\0\r\n]|^\[hidden\]$/.test(one));
  const body = fc.string({ unit: 'grapheme', minLength: 1 }).filter((one) => !one.includes('\0'));
  fc.assert(
    fc.property(fc.array(fc.record({ value: text, body }), { minLength: 30, maxLength: 30 }), (cases) => {
      const commands = cases.map((one) =>
        curlOf({ url, method: 'POST', headers: { ...type, 'x-note': one.value }, body: one.body }),
      );
      expect(words(commands.join('\n'))).toEqual(
        cases.flatMap((one) => [
          url,
          '-H',
          'content-type: application/json',
          '-H',
          `x-note: ${one.value}`,
          '--data-raw',
          one.body,
        ]),
      );
    }),
    { numRuns: 10 },
  );
});

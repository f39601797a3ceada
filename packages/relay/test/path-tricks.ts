/** Request targets that name a private route in another spelling, from a grammar, and raw requests for them. */
import { once } from 'node:events';
import { connect } from 'node:net';
import * as fc from 'fast-check';

/** Paths that only the operator may read, and a text that is in each answer. */
const privateTexts = {
  '/metrics': 'newsletter_relay_',
  '/operator': 'operator-page',
  '/operator/api/status': '"paused"',
};

/** Mostly what servers resolve, at times what only looks like it. */
const mostly = (often: readonly string[], seldom: readonly string[]): fc.Arbitrary<string> =>
  fc.oneof({ arbitrary: fc.constantFrom(...often), weight: 8 }, { arbitrary: fc.constantFrom(...seldom), weight: 1 });

const slash = mostly(['/', '/', '//', '/./', '\\', '/%2e/'], ['%2f', '%2F', '%5c', '%252f', '/;/', '/%2f']);
const dot = mostly(['.', '%2e', '%2E'], ['%252e', '.%00', '%c0%ae']);
const up = fc.tuple(dot, dot, mostly([''], [';', ';x=1', '%20'])).map((parts) => parts.join(''));

/** A letter of a route, as it is or encoded. */
const spelled = (text: string): fc.Arbitrary<string> =>
  fc.array(fc.integer({ min: 0, max: 3 }), { minLength: text.length, maxLength: text.length }).map((ways) =>
    [...text]
      .map((letter, index) => {
        const code = letter.charCodeAt(0).toString(16);
        return ways[index] === 3 ? `%${code}` : letter;
      })
      .join(''),
  );

const route = fc.constantFrom(...Object.keys(privateTexts)).chain((path) => {
  const plain = path.slice(1);
  return fc.oneof(fc.constant(plain), spelled(plain), fc.constant(plain.toUpperCase()));
});

const prefix = fc.constantFrom(
  '',
  '/signup',
  '/signup/default',
  '/thanks',
  '/confirm/x',
  '/themes',
  '/.',
  '/signup-form.js',
);
const climb = fc
  .array(
    fc.tuple(slash, up).map((parts) => parts.join('')),
    { maxLength: 3 },
  )
  .map((ups) => ups.join(''));
const authority = fc.constantFrom(
  '',
  '',
  '',
  'http://relay.example',
  'HTTP://relay.example',
  'http://relay.example:80',
);
const ending = mostly(['', '?x=1', "?x='"], ['/', '/.', '/..', '#x', ';x', '%20', '/..;/', '?/../signup', '%3f']);

/** Targets of requests, the same ones for each seed. */
export function pathTricks(count: number, seed = 1): readonly string[] {
  const target = fc.tuple(authority, prefix, climb, slash, route, ending).map((parts) => parts.join(''));
  return [...new Set(fc.sample(target, { numRuns: count, seed }))];
}

/** The private route that a target names in its only spelling; undefined for any other target. */
export const plainlyNames = (target: string): string | undefined =>
  Object.keys(privateTexts).find((path) => target.replace(/^http:\/\/[^/]*/i, '').split('?')[0] === path);

/** The private texts in an answer. */
export const leaked = (answer: string): readonly string[] =>
  Object.values(privateTexts).filter((text) => answer.includes(text));

/** Sends the target as it is written, with the operator token. @returns the whole answer */
export async function getRaw(port: number, target: string, token: string): Promise<string> {
  const socket = connect(port, '127.0.0.1');
  let read = '';
  socket.setEncoding('utf8').on('data', (text: string) => (read += text));
  socket.on('error', () => undefined);
  const head = [`GET ${target} HTTP/1.1`, 'Host: relay.example', `Authorization: Bearer ${token}`, 'Connection: close'];
  socket.write(`${head.join('\r\n')}\r\n\r\n`);
  await once(socket, 'close');
  return read;
}

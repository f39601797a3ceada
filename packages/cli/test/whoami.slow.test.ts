import { once } from 'node:events';
import { createServer, type AddressInfo } from 'node:net';
import { apiKeys, publicationId } from '@newsletter-kit/sandbox';
import { test } from '@newsletter-kit/sandbox/vitest';
import { expect } from 'vitest';
import { events, run } from './command.ts';

const another = 'pub_11111111-1111-4111-8111-111111111111';
const home = { HOME: '/nonexistent' };

test('distinguishes a wrong key from a wrong publication, and prints no key', async ({ sandboxOnPort: { env } }) => {
  const cases = [
    [{}, 0, { accepted: true, publication: 'reached' }],
    [{ NEWSLETTER_PUBLICATION_ID: '' }, 0, { accepted: true, publication: 'not-asked', publication_id: null }],
    [{ NEWSLETTER_PUBLICATION_ID: another }, 66, { accepted: true, publication: 'not-found' }],
    [
      { NEWSLETTER_API_KEY: apiKeys.restricted, NEWSLETTER_PUBLICATION_ID: another },
      66,
      { accepted: true, publication: 'not-found' },
    ],
    [{ NEWSLETTER_API_KEY: 'wrong-key' }, 77, { accepted: false, publication: 'refused-credential' }],
    [
      { NEWSLETTER_API_KEY: 'wrong-key', NEWSLETTER_PUBLICATION_ID: '' },
      77,
      { accepted: false, publication: 'refused-credential' },
    ],
  ] as const;
  for (const [settings, code, expected] of cases) {
    const ended = await run(['whoami', '--json'], { ...home, ...env, ...settings });
    expect([ended.code, events(ended.stdout)], JSON.stringify(settings)).toEqual([
      code,
      [expect.objectContaining({ type: 'whoami', credential: 'key', ...expected })],
    ]);
    expect(ended.stdout + ended.stderr).not.toMatch(/wrong-key|sandbox-key/);
  }
  expect((await run(['whoami'], { ...home, ...env })).stdout).toMatch(
    new RegExp(
      `^Profile {6}none\nService {6}${env['NEWSLETTER_API_URL']}\nSigned in {4}with the API key of NEWSLETTER_API_KEY\nPublication {2}${publicationId} – accessible\n$`,
    ),
  );
  expect((await run(['whoami'], { ...home, ...env, NEWSLETTER_API_KEY: 'wrong-key' })).stdout).toContain(
    'refused: the key is wrong',
  );
});

test('names the address that does not answer', async () => {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  await new Promise((resolve) => server.close(resolve));
  const { code, stderr } = await run(['whoami'], {
    ...home,
    NEWSLETTER_API_URL: `http://127.0.0.1:${port}/v2`,
    NEWSLETTER_API_KEY: 'k',
  });
  expect(code).toBe(75);
  expect(stderr).toContain('could not be reached');
});

/** The operator's list of mail domains: what is on it, and where it comes from. */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { type BlockedDomainsOptions, followBlockedDomains } from '../../src/admission/blocked-domains.ts';
import { createLog, StartupError } from '../../src/index.ts';
import { waitUntil } from '../../../../test/support/waits.ts';
import { post, runRelay } from '../running-relay.ts';
import { scratchFolder } from '../../../../test/support/scratch-folder.ts';

const list = '\uFEFF# throwaway\r\ntrash.example # a comment\r\n\n  Spam.Example\nbücher.example\nmail.shared.example';
const url = 'https://lists.example/domains.txt';

function fileWith(content: string | Buffer): string {
  const path = join(scratchFolder(), 'domains.txt');
  writeFileSync(path, content);
  return path;
}

/** A list from a URL that answers in turn; the last answer is repeated. */
function fromUrl(answers: readonly (() => Response)[], options: Partial<BlockedDomainsOptions> = {}) {
  const logged: string[] = [];
  let asked = 0;
  const domains = followBlockedDomains({
    source: url,
    log: createLog({ level: 'info', destination: { write: (line) => void logged.push(line) } }),
    fetch: () => Promise.resolve().then(() => (answers[asked++] ?? answers.at(-1))?.() ?? Response.error()),
    ...options,
  });
  onTestFinished(() => domains.stop());
  return { domains, logged };
}

describe('a list in a file', () => {
  it.each([
    ['trash.example', 'review'],
    ['TRASH.example', 'review'],
    ['a.b.trash.example', 'review'],
    ['spam.example', 'review'],
    ['bücher.example', 'review'],
    ['xn--bcher-kva.example', 'review'],
    ['mail.shared.example', 'review'],
    ['shared.example', 'waiting'],
    ['nottrash.example', 'waiting'],
    ['trash.example.com', 'waiting'],
  ] as const)('puts an address at %s in the state %s, and is answered alike', async (domain, state) => {
    const relay = runRelay({ settings: { RELAY_BLOCKED_DOMAINS: fileWith(list) } });
    const answer = await relay.fetch(post({ email: `ada@${domain}` }));
    expect([answer.status, await answer.json()]).toEqual([202, { status: 'accepted' }]);
    expect((await relay.store.counts())[state]).toBe(1);
  });

  it.each<readonly [what: string, make: () => string, reason: string]>([
    ['is missing', () => join(scratchFolder(), 'none.txt'), 'ENOENT'],
    ['is a folder', () => scratchFolder(), 'EISDIR'],
    ['is empty', () => fileWith('# nothing yet\n'), 'It contains no domain.'],
    ['has more than 10 MB', () => fileWith(Buffer.alloc(10_000_001, 'a')), 'It has more than 10 MB.'],
    ...['com', '*.trash.example', 'a@trash.example', 'https://trash.example', 'a.example b.example'].map(
      (line) => [`has the line ${line}`, () => fileWith(`ok.example\n${line}`), 'Line 2 is not a domain'] as const,
    ),
  ])('that %s prevents the start', (_, make, reason) => {
    const start = (): unknown => followBlockedDomains({ source: make(), log: createLog({ level: 'silent' }) });
    expect(start).toThrow(StartupError);
    expect(start).toThrow(reason);
  });
});

describe('a list at a URL', () => {
  it.each([
    ['the status 500', () => new Response('trash.example', { status: 500 }), 'status 500'],
    ['an error page', () => new Response('<html>Sorry</html>'), 'Line 1 is not a domain'],
    ['nothing', () => new Response(''), 'It contains no domain'],
    ['more than 10 MB', () => new Response(Buffer.alloc(10_000_001, 'a')), 'more than 10 MB'],
    [
      'no connection',
      (): Response => {
        throw new TypeError('fetch failed');
      },
      'fetch failed',
    ],
  ])('that answers with %s is a warning, and the last one stays in force until it is there', async (_, bad, reason) => {
    const { domains, logged } = fromUrl(
      [() => new Response('trash.example'), bad, bad, () => new Response('spam.example')],
      { everyMs: 1, retryMs: 1 },
    );
    await waitUntil('the second warning', () => logged.filter((line) => line.includes(reason)).length === 2);
    await waitUntil('the new list', () => domains.includes('spam.example') && logged.length >= 4);
    expect(domains.includes('trash.example')).toBe(false);
    expect(logged.slice(0, 4).map((line) => JSON.parse(line) as unknown)).toMatchObject([
      { level: 'info', domains: 1 },
      { level: 'warn', domains: 1 },
      { level: 'warn', domains: 1 },
      { level: 'info', domains: 1 },
    ]);
  });

  it('is empty while it was never there, and blocks nothing', async () => {
    const { domains, logged } = fromUrl([() => new Response(null, { status: 404 })]);
    await waitUntil('the warning', () => logged.some((line) => line.includes('status 404')));
    expect(domains.includes('trash.example')).toBe(false);
    expect(logged.join()).not.toContain(url);
  });

  it('is read no more after a stop', async () => {
    const signals: AbortSignal[] = [];
    const { domains, logged } = fromUrl([], {
      fetch: (_, { signal }) => {
        signals.push(signal);
        return new Promise((_resolve, reject) =>
          signal.addEventListener('abort', () => reject(signal.reason as Error), { once: true }),
        );
      },
    });
    domains.stop();
    expect(signals.map(({ aborted }) => aborted)).toEqual([true]);
    await Promise.resolve();
    expect(logged).toEqual([]);
  });
});

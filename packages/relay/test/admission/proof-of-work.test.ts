/** Proof of work, always or under attack, and Turnstile, which may be unavailable. */
import { writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { post, runRelay, type RelayParts, type RunningRelay } from '../running-relay.ts';
import { scratchFolder } from '../../../../test/support/scratch-folder.ts';
import { StoreUnavailableError } from '../../src/index.ts';
import { changedStore } from '../changed-store.ts';
import { settingsFor } from '../confirmation/confirming.ts';
import { asked, solve } from './ask.ts';

const quick = { effort: 20 };
const ada = { email: 'ada@example.com' };

describe('a proof of work', () => {
  const settings = { RELAY_PROOF: 'always' };

  it('is asked for, solved, and valid for one signup', async () => {
    const relay = runRelay({ settings, proof: quick });
    const ask = await asked(await relay.fetch(post(ada)), 'PROOF_REQUIRED');
    expect(Object.keys(ask)).toEqual(['proof_of_work']);
    const proof = await solve(ask);
    expect((await relay.fetch(post({ ...ada, proof }))).status).toBe(202);
    await asked(await relay.fetch(post({ email: 'bob@example.com', proof })), 'PROOF_REQUIRED');
    expect(await relay.store.counts()).toMatchObject({ waiting: 1, review: 0 });
    expect((await relay.store.claim({ forms: ['default'], limit: 1, now: Date.now() }))[0]?.submission).toEqual(ada);
  });

  it('is asked for together with the token', async () => {
    let now = Date.now();
    const relay = runRelay({ settings: { ...settings, RELAY_FORM_TOKEN: 'true' }, proof: quick, now: () => now });
    const ask = await asked(await relay.fetch(post(ada)), 'TOKEN_REQUIRED');
    expect(Object.keys(ask)).toEqual(['token', 'wait_seconds', 'proof_of_work']);
    now += 2000;
    const proof = await solve(ask);
    const withoutProof = await asked(await relay.fetch(post({ ...ada, token: ask.token })), 'PROOF_REQUIRED');
    expect([withoutProof.token, withoutProof.wait_seconds]).toEqual([ask.token, 0]);
    const wrongProof = await asked(await relay.fetch(post({ ...ada, token: ask.token, proof: 'x' })), 'PROOF_REQUIRED');
    expect([wrongProof.token === ask.token, wrongProof.wait_seconds]).toEqual([false, 2]);
    expect((await relay.fetch(post({ ...ada, token: ask.token, proof }))).status).toBe(202);
  });

  it.each([
    ['is not base64', () => '§§§'],
    ['is not JSON', () => Buffer.from('{').toString('base64')],
    ['is null', () => Buffer.from('null').toString('base64')],
    ['has no challenge', () => encoded({ solution: {} })],
    ['has parameters of another type', () => encoded({ challenge: { parameters: [], signature: 'x' }, solution: {} })],
    [
      'has another key',
      (good: Payload) => encoded({ ...good, solution: { ...good.solution, derivedKey: '00'.repeat(32) } }),
    ],
    ['has a key of another type', (good: Payload) => encoded({ ...good, solution: { derivedKey: 3, counter: {} } })],
    [
      'has easier parameters',
      (good: Payload) =>
        encoded({ ...good, challenge: { ...good.challenge, parameters: { ...good.challenge.parameters, cost: 1 } } }),
    ],
    [
      'has a later expiry',
      (good: Payload) =>
        encoded({
          ...good,
          challenge: { ...good.challenge, parameters: { ...good.challenge.parameters, expiresAt: 9e9 } },
        }),
    ],
    ['has no signature', (good: Payload) => encoded({ ...good, challenge: { parameters: good.challenge.parameters } })],
    [
      'has another signature',
      (good: Payload) => encoded({ ...good, challenge: { ...good.challenge, signature: '00'.repeat(32) } }),
    ],
  ])('that %s is refused, and asked for again', async (_case, change) => {
    const relay = runRelay({ settings, proof: quick });
    const proof = await solve(await asked(await relay.fetch(post(ada)), 'PROOF_REQUIRED'));
    const good = JSON.parse(Buffer.from(proof, 'base64').toString()) as Payload;
    await asked(await relay.fetch(post({ ...ada, proof: change(good) })), 'PROOF_REQUIRED');
    expect((await relay.fetch(post({ ...ada, proof }))).status).toBe(202);
  });

  it('belongs to the form that it was made for', async () => {
    const file = join(scratchFolder(), 'relay.yaml');
    writeFileSync(file, 'forms: { shop: {}, blog: {} }');
    const relay = runRelay({ settings: { ...settings, RELAY_CONFIG: file }, proof: quick });
    const to = (name: string, body: object) => new Request(`http://relay.example/signup/${name}`, post(body));
    const proof = await solve(await asked(await relay.fetch(to('shop', ada)), 'PROOF_REQUIRED'));
    await asked(await relay.fetch(to('blog', { ...ada, proof })), 'PROOF_REQUIRED');
    expect((await relay.fetch(to('shop', { ...ada, proof }))).status).toBe(202);
  });

  it('takes at most the given number of tries, one where that is all', async () => {
    const relay = runRelay({ settings, proof: { effort: 1 } });
    const proof = await solve(await asked(await relay.fetch(post(ada)), 'PROOF_REQUIRED'));
    const { solution } = JSON.parse(Buffer.from(proof, 'base64').toString()) as Payload;
    expect(solution['counter']).toBe(1);
  });

  it('can be sent again with its token where its signup could not be stored, which counts for no limit', async () => {
    let isFull = true;
    const { store } = runRelay();
    const failing = changedStore(store, {
      accept: (signup) => (isFull ? Promise.reject(new StoreUnavailableError('full')) : store.accept(signup)),
    });
    let now = Date.now();
    const limits = { RELAY_FORM_TOKEN: 'true', RELAY_LIMIT_IP: '1/1h', RELAY_LIMIT_ADDRESS: '1/1h' };
    const relay = runRelay({ store: failing, settings: { ...settings, ...limits }, proof: quick, now: () => now });
    const send = (given: object = {}) => relay.fetch(post({ ...ada, ...given }), '203.0.113.9');
    const ask = await asked(await send(), 'TOKEN_REQUIRED');
    now += 2000;
    const given = { token: ask.token, proof: await solve(ask) };
    for (let n = 0; n < 3; n += 1) expect((await send(given)).status).toBe(503);
    isFull = false;
    expect((await send(given)).status).toBe(202);
    expect(await store.counts()).toMatchObject({ waiting: 1, review: 0 });
  });

  it('expires', async () => {
    const relay = runRelay({ settings, proof: quick, now: () => Date.now() - 601_000 });
    const proof = await solve(await asked(await relay.fetch(post(ada)), 'PROOF_REQUIRED'));
    await asked(await relay.fetch(post({ ...ada, proof })), 'PROOF_REQUIRED');
  });

  it('that is wrong counts for no rate limit, since nobody can guess one', async () => {
    const relay = runRelay({ settings: { ...settings, RELAY_LIMIT_IP: '3/1h' }, proof: quick });
    for (let n = 0; n < 5; n += 1)
      await asked(await relay.fetch(post({ ...ada, proof: 'x' }), '203.0.113.9'), 'PROOF_REQUIRED');
    expect((await relay.fetch(post(ada), '203.0.113.9')).status).toBe(403);
  });
});

describe('a proof under attack', () => {
  it('is asked for from its rate on, until the rate stays low', async () => {
    let now = Date.now();
    const relay = runRelay({
      settings: { RELAY_PROOF: 'attack', RELAY_LIMIT_IP: '0' },
      proof: quick,
      now: () => now,
    });
    let sent = 0;
    const statuses = async (posts: number, everyMs: number): Promise<Set<number>> => {
      const seen = new Set<number>();
      for (let n = 0; n < posts; n += 1) {
        now += everyMs;
        seen.add((await relay.fetch(post({ email: `p${sent++}@example.com` }))).status);
      }
      return seen;
    };
    expect(await statuses(30, 6000)).toEqual(new Set([202])); // ten a minute
    await statuses(330, 20);
    expect(await statuses(5, 100)).toEqual(new Set([403]));
    expect(await statuses(50, 350)).toEqual(new Set([403])); // 171 a minute are more than half of it
    await statuses(60, 12_000);
    expect(await statuses(5, 12_000)).toEqual(new Set([202]));
    expect(
      relay.logged.map((line) => (JSON.parse(line) as { msg: string }).msg).filter((text) => text.includes('attack')),
    ).toEqual(['under attack: forms with RELAY_PROOF=attack now require a proof', 'the attack is over']);
  });

  it('is not asked for by forms with the proof switched off', async () => {
    const relay = runRelay();
    for (let n = 0; n < 320; n += 1) expect((await relay.fetch(post({ email: `p${n}@example.com` }))).status).toBe(202);
  });
});

describe('Turnstile', () => {
  interface Asked {
    readonly relay: RunningRelay;
    readonly questions: URLSearchParams[];
  }

  /** A relay, and what answers in Cloudflare's place. */
  async function turnstileRelay(
    answer: (question: URLSearchParams) => unknown,
    parts: RelayParts = {},
  ): Promise<Asked> {
    const questions: URLSearchParams[] = [];
    const server = createServer((request, response) => {
      let body = '';
      request.on('data', (chunk) => (body += String(chunk)));
      request.on('end', () => {
        const question = new URLSearchParams(body);
        questions.push(question);
        const said = answer(question);
        if (said !== undefined) response.end(typeof said === 'string' ? said : JSON.stringify(said));
      });
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    onTestFinished(() => {
      server.closeAllConnections();
      server.close();
    });
    const address = server.address() as { port: number };
    const settings = {
      RELAY_PROOF: 'always',
      RELAY_TURNSTILE_SITE_KEY: '0x4site',
      RELAY_TURNSTILE_SECRET: 'turnstile-secret',
    };
    const proof = { turnstileUrl: `http://127.0.0.1:${address.port}/siteverify` };
    return { relay: runRelay({ ...parts, proof, settings: { ...settings, ...parts.settings } }), questions };
  }

  it('is asked for with its site key, and accepts what Cloudflare accepts for the hostnames of the form', async () => {
    const { relay, questions } = await turnstileRelay((question) => ({
      success: true,
      hostname: question.get('response'),
    }));
    expect(await asked(await relay.fetch(post(ada)), 'PROOF_REQUIRED')).toEqual({ turnstile: { site_key: '0x4site' } });
    expect((await relay.fetch(post({ ...ada, proof: 'www.shop.example' }), '203.0.113.9')).status).toBe(202);
    await asked(await relay.fetch(post({ ...ada, proof: 'evil.example' })), 'PROOF_REQUIRED');
    expect(questions.map((question) => Object.fromEntries(question))).toEqual([
      { secret: 'turnstile-secret', response: 'www.shop.example', remoteip: '203.0.113.9' },
      { secret: 'turnstile-secret', response: 'evil.example' },
    ]);
    expect(relay.logged.join('')).not.toContain('turnstile-secret');
  });

  it('is asked for at half of the mails of an hour; where it fails then, the mail is held instead', async () => {
    const { relay } = await turnstileRelay(
      (question) =>
        question.get('response') === 'down' ? '<html>' : { success: true, hostname: question.get('response') },
      {
        now: () => 1_800_000_000_000,
        settings: {
          ...settingsFor({ url: 'smtp://127.0.0.1:9' }),
          RELAY_PROOF: 'attack',
          RELAY_CONFIRMATION_MAILS_PER_HOUR: '2',
        },
      },
    );
    const status = async (email: string, proof?: string) => (await relay.fetch(post({ email, proof }))).status;
    expect(await status('p1@example.com', 'shop.example')).toBe(202);
    expect(await status('p2@example.com')).toBe(202);
    expect(await asked(await relay.fetch(post(ada)), 'PROOF_REQUIRED')).toEqual({ turnstile: { site_key: '0x4site' } });
    expect(await status('p3@example.com', 'down')).toBe(202);
    expect(await relay.store.overview(0)).toMatchObject({
      counts: { unconfirmed: 3, review: 0 },
      held: [{ state: 'unconfirmed', count: 1 }],
    });
  });

  it.each([
    { success: false, 'error-codes': ['bad-request', 'timeout-or-duplicate'] },
    { success: false, 'error-codes': ['invalid-input-response'] },
    { success: true },
    { success: true, hostname: 7 },
  ])('is asked for again after %j', async (said) => {
    const { relay } = await turnstileRelay(() => said);
    await asked(await relay.fetch(post({ ...ada, proof: 'x' })), 'PROOF_REQUIRED');
    expect((await relay.store.counts()).review).toBe(0);
  });

  it.each([
    ['has an internal error', { success: false, 'error-codes': ['internal-error'] }, 'an internal error of Turnstile'],
    [
      'refuses the secret',
      { success: false, 'error-codes': ['invalid-input-secret'] },
      'RELAY_TURNSTILE_SECRET is not accepted',
    ],
    ['has no list of errors', { success: false, 'error-codes': 'invalid-input-response' }, 'an internal error'],
    ['does not answer JSON', '<html>', 'an unreadable answer'],
    ['answers JSON of another shape', [1], 'an unreadable answer'],
    ['does not answer', undefined, 'no answer within 2000 ms'],
  ])('that %s keeps the signup for review, and warns the operator', async (_case, said, reason) => {
    const { relay } = await turnstileRelay(() => said);
    expect((await relay.fetch(post({ ...ada, proof: 'x' }))).status).toBe(202);
    expect(await relay.store.counts()).toMatchObject({ waiting: 0, review: 1 });
    expect(relay.logged.map((line) => JSON.parse(line) as Record<string, unknown>)).toContainEqual(
      expect.objectContaining({
        level: 'warn',
        msg: 'Turnstile is unavailable; the signup is kept without it',
        reason: expect.stringContaining(reason) as string,
      }),
    );
  });
});

interface Payload {
  readonly challenge: { readonly parameters: Readonly<Record<string, unknown>>; readonly signature: string };
  readonly solution: Readonly<Record<string, unknown>>;
}

function encoded(value: unknown): string {
  return Buffer.from(JSON.stringify(value)).toString('base64');
}

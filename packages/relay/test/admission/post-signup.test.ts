/** `POST /signup`: the one success, refusals, and other requests. The package core tests what it admits. */
import { describe, expect, it } from 'vitest';
import { changedStore } from '../changed-store.ts';
import { waitUntil } from '../../../../test/support/waits.ts';
import { metricsOf, post, runRelay, site } from '../running-relay.ts';

const ada = {
  email: 'Ada+news@BÜCHER.example',
  utm_source: 'Frühling 🌷',
  custom_fields: [{ name: 'Topics', value: ['CSS'] }],
};

describe('an accepted signup', () => {
  it('gets the same bytes and headers for every address, repeated and suspected signups included', async () => {
    const relay = runRelay();
    const posts = [
      ada,
      ada,
      { email: 'bob@example.com' },
      { email: 'eve@example.com', hp_field: 'https://spam.example' },
    ];
    const answers = await Promise.all(posts.map(async (body) => raw(await relay.fetch(post(body)))));
    expect(answers[0]).toEqual({
      status: 202,
      headers: {
        'access-control-allow-origin': site,
        'access-control-expose-headers': 'Retry-After',
        'cache-control': 'no-store',
        'content-type': 'application/json',
        vary: 'Origin',
        'x-content-type-options': 'nosniff',
      },
      body: '{"status":"accepted"}',
    });
    expect(answers).toEqual(posts.map(() => answers[0]));
    expect(await relay.store.counts()).toMatchObject({ waiting: 3, review: 1 });
  });

  it('is answered after the store has written it', async () => {
    const relay = runRelay();
    const events: string[] = [];
    let written: ((id: string) => void) | undefined;
    const slow = changedStore(relay.store, { accept: () => new Promise<string>((resolve) => (written = resolve)) });
    const { fetch } = runRelay({ store: slow });
    const answer = fetch(post(ada)).then(({ status }) => events.push(`answered ${status}`));
    await waitUntil('the store has it', () => written !== undefined);
    // What is asked later is answered meanwhile.
    expect((await fetch(new Request('http://relay.example/livez'))).status).toBe(200);
    events.push('written');
    written?.('1');
    await answer;
    expect(events).toEqual(['written', 'answered 202']);
  });

  it('is delivered once for each idempotency key', async () => {
    const relay = runRelay({ settings: { RELAY_LIMIT_ADDRESS: '0' } });
    for (const [utm_term, key] of [
      ['a', 'one'],
      ['b', ' one '],
      ['c', 'two'],
      ['d', ''],
      ['e', '  '],
    ] as const)
      await relay.fetch(post({ email: 'ada@example.com', utm_term }, { 'idempotency-key': key }));
    const sent: unknown[] = [];
    // Signups of one address are delivered some seconds apart.
    for (let now = Date.now(); (await relay.store.counts()).waiting > 0; now += 60_000) {
      for (const { id, submission } of await relay.store.claim({ forms: ['default'], limit: 9, now })) {
        sent.push(submission.utm_term);
        await relay.store.settle([id], { state: 'delivered', at: now });
      }
    }
    expect(sent).toEqual(['a', 'c', 'd', 'e']);
  });
});

describe('a refused signup', () => {
  it('during shutdown gets Retry-After', async () => {
    const relay = runRelay();
    await relay.stop();
    const answer = await relay.fetch(post(ada));
    expect([answer.status, answer.headers.get('retry-after')]).toEqual([503, '5']);
  });
});

describe('a request other than a signup', () => {
  const page = (path: string, init?: RequestInit): Request =>
    new Request(`http://relay.example${path}`, { headers: { accept: 'text/html' }, ...init });

  it('gets a text at the root, and a visitor a page', async () => {
    for (const [parts, names] of [
      [{}, 'operator'],
      [{ operatorToken: undefined }, 'here'],
    ] as const) {
      const answer = await runRelay(parts).fetch(page('/', { headers: { accept: '*/*' } }));
      expect([answer.status, await answer.text()]).toEqual([
        200,
        expect.stringMatching(`takes signups[^]*${names}\\.?\\s*$`),
      ]);
      const shown = await runRelay(parts).fetch(page('/'));
      const text = await shown.text();
      expect(text).toContain('<h1>There is nothing here');
      expect(text.includes('href="operator"')).toBe(names === 'operator');
    }
    const hosting = await runRelay({ settings: { RELAY_PAGE: 'true' } }).fetch(page('/'));
    expect([hosting.status, hosting.headers.get('location')]).toEqual([302, 'signup']);
  });

  it('is not counted as a refused signup, and gets no page about one', async () => {
    const relay = runRelay();
    const answers = await Promise.all(
      [page('/favicon.ico'), page('/signup'), page('/signup', { method: 'HEAD' }), page('/x', { method: 'PUT' })].map(
        (request) => relay.fetch(request),
      ),
    );
    expect(answers.map(({ status }) => status)).toEqual([404, 405, 405, 404]);
    for (const answer of answers) expect(await answer.text()).not.toContain('not saved');
    const before = await metricsOf(relay);
    expect(before.match(/^newsletter_relay_refusals_total.* [1-9]\d*$/gm)).toBeNull();
    expect((await relay.fetch(post(ada, { 'content-type': 'text/plain' }))).status).toBe(415);
    expect(await metricsOf(relay)).toContain(
      'newsletter_relay_refusals_total{form="default",status="415",code="UNSUPPORTED_MEDIA_TYPE"} 1',
    );
  });
});

describe('a post from an origin that is not allowed', () => {
  const warnings = (logged: readonly string[]) =>
    logged
      .map((line) => JSON.parse(line) as { level: string; origin?: string; msg: string })
      .filter(({ level, msg }) => level === 'warn' && msg.includes('RELAY_ALLOWED_ORIGINS'));

  it('is logged once per origin, preflights included', async () => {
    const relay = runRelay();
    for (let n = 0; n < 3; n += 1) await relay.fetch(post(ada, { origin: 'https://shop.example:8443' }));
    const ahead = { method: 'OPTIONS', headers: { origin: 'http://shop.example' } };
    await relay.fetch(new Request('http://relay.example/signup', ahead));
    await relay.fetch(post(ada));
    expect(warnings(relay.logged).map(({ origin }) => origin)).toEqual([
      'https://shop.example:8443',
      'http://shop.example',
    ]);
  });

  it('cannot fill the log', async () => {
    const relay = runRelay();
    for (let n = 0; n < 100; n += 1) await relay.fetch(post(ada, { origin: `https://${n}.example` }));
    expect(warnings(relay.logged)).toHaveLength(20);
  });
});

async function raw(answer: Response): Promise<{ status: number; headers: Record<string, string>; body: string }> {
  return { status: answer.status, headers: Object.fromEntries(answer.headers), body: await answer.text() };
}

/** `POST /signup`: the one success, refusals, and other requests. The package core tests what it admits. */
import { describe, expect, it } from 'vitest';
import { StoreUnavailableError, type Check } from '../../src/index.ts';
import { changedStore } from '../changed-store.ts';
import { waitUntil } from '../../../../test/support/waits.ts';
import { formPost, metricsOf, post, type RelayParts, runRelay, site } from '../running-relay.ts';

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

  it.each([
    ['an allowed second origin', () => post(ada, { origin: 'https://www.shop.example' })],
    ['JSON without a stated length', () => streamed(JSON.stringify(ada))],
  ])('can be %s', async (_case, request) => {
    expect((await runRelay().fetch(request())).status).toBe(202);
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

  it('waits for its confirmation where the form has one', async () => {
    const relay = runRelay({
      settings: {
        RELAY_CONFIRMATION: 'true',
        RELAY_MAIL_FROM: 'news@example.com',
        RELAY_SMTP_URL: 'smtp://127.0.0.1:9',
        RELAY_PUBLIC_URL: 'https://relay.example',
        RELAY_SECRET: 'a-secret-of-enough-characters',
      },
    });
    expect((await relay.fetch(post(ada))).status).toBe(202);
    expect(await relay.store.counts()).toMatchObject({ unconfirmed: 1, waiting: 0 });
  });

  it('may be 8192 bytes long', async () => {
    const relay = runRelay();
    const sized = (bytes: number): string =>
      JSON.stringify({ email: 'a@example.com', pad: '' }).replace('""', `"${'x'.repeat(bytes - 34)}"`);
    expect(sized(8192)).toHaveLength(8192);
    for (const send of [post, streamed]) {
      expect((await relay.fetch(send(sized(8192)))).status).toBe(202);
      expect((await relay.fetch(send(sized(8193)))).status).toBe(413);
    }
  });
});

describe('a signup without JavaScript', () => {
  it('is redirected to the page of the relay, relative to the endpoint', async () => {
    const relay = runRelay();
    const { status, headers, body } = await raw(
      await relay.fetch(formPost({ email: 'ada@example.com', 'custom_fields[Topics][]': 'CSS' })),
    );
    expect([status, headers['location'], body]).toEqual([303, 'thanks', '']);
    const page = await relay.fetch(new Request('http://relay.example/thanks'));
    expect([page.status, page.headers.get('content-type')]).toEqual([200, 'text/html; charset=utf-8']);
    expect(await page.text()).toContain('<h1>Thank you.</h1>\n<p>Your signup has arrived.</p>');
    expect((await relay.store.claim({ forms: ['default'], limit: 1, now: Date.now() }))[0]?.submission).toEqual({
      email: 'ada@example.com',
      custom_fields: [{ name: 'Topics', value: ['CSS'] }],
    });
  });

  it('gets a page with the errors', async () => {
    const wrong = await raw(await runRelay().fetch(formPost({ email: 'no address' })));
    expect([wrong.status, wrong.headers['content-type']]).toEqual([400, 'text/html; charset=utf-8']);
    expect(wrong.body).toContain('Enter an email address like name@example.com.</p>');
    expect(wrong.body).toContain('value="no address"');
  });
});

describe('a refused signup', () => {
  const full = (): Promise<never> =>
    Promise.reject(new StoreUnavailableError('The store cannot be written: the disk is full; free some space.'));
  const busy: Check = () => ({
    status: 429,
    errors: [{ message: 'Too many signups. Wait a minute.', code: 'RATE_LIMITED' }],
    retryAfterSeconds: 59.2,
  });

  it.each([
    ['broken JSON', () => post('{"email":'), 400, ['INVALID_BODY']],
    ['another origin', () => post(ada, { origin: 'https://shop.example.evil.example' }), 403, ['ORIGIN_NOT_ALLOWED']],
    ['a stated length beyond the limit', () => post(ada, { 'content-length': '8193' }), 413, ['PAYLOAD_TOO_LARGE']],
    ['plain text', () => post(ada, { 'content-type': 'text/plain' }), 415, ['UNSUPPORTED_MEDIA_TYPE']],
    ['GET', () => new Request('http://relay.example/signup'), 405, ['METHOD_NOT_ALLOWED']],
    ['another path', () => new Request('http://relay.example/signups', { method: 'POST' }), 404, ['NOT_FOUND']],
    ['a failed check', () => post(ada), 429, ['RATE_LIMITED'], () => ({ checks: [busy] })],
    [
      'a signup the store cannot write',
      () => post(ada),
      503,
      ['UNAVAILABLE'],
      () => ({ store: changedStore(runRelay().store, { accept: full }) }),
    ],
  ] as const)(
    'with %s gets the error body of the API',
    async (_case, request, status, codes, parts?: () => RelayParts) => {
      const relay = runRelay(parts?.());
      const answer = await raw(await relay.fetch(request()));
      const body = JSON.parse(answer.body) as {
        status: number;
        statusText: string;
        errors: { message: string; code: string }[];
      };
      expect(answer.status).toBe(status);
      expect(body).toEqual({
        status,
        statusText: names[status],
        errors: codes.map((code) => ({ code, message: expect.stringMatching(/^\S.*\.$/) as string })),
      });
      expect(answer.headers).toMatchObject({
        'content-type': 'application/json',
        vary: 'Origin',
        'cache-control': 'no-store',
      });
      expect(answer.headers['retry-after']).toBe({ 429: '60', 503: '5' }[status as number]);
      expect(await relay.store.counts()).toMatchObject({ waiting: 0, review: 0 });
    },
  );

  it('during shutdown gets Retry-After', async () => {
    const relay = runRelay();
    await relay.stop();
    const answer = await relay.fetch(post(ada));
    expect([answer.status, answer.headers.get('retry-after')]).toEqual([503, '5']);
  });

  it('after an internal error is logged, and gets Retry-After', async () => {
    const relay = runRelay({
      checks: [
        () => {
          throw new Error('defect');
        },
      ],
    });
    expect((await relay.fetch(post(ada))).status).toBe(503);
    expect(relay.logged.join('')).toContain('defect');
  });
});

describe('a request other than a signup', () => {
  const page = (path: string, init?: RequestInit): Request =>
    new Request(`http://relay.example${path}`, { headers: { accept: 'text/html' }, ...init });

  it('gets a text at the root, and a visitor a page', async () => {
    const answer = await runRelay().fetch(page('/', { headers: { accept: '*/*' } }));
    expect([answer.status, await answer.text()]).toEqual([200, expect.stringContaining('takes signups')]);
    const shown = await runRelay().fetch(page('/'));
    expect([shown.status, await shown.text()]).toEqual([200, expect.stringContaining('<h1>There is nothing here')]);
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

describe('a preflight', () => {
  const ask = (origin: string): Request =>
    new Request('http://relay.example/signup', {
      method: 'OPTIONS',
      headers: {
        origin,
        'access-control-request-method': 'POST',
        'access-control-request-headers': 'content-type,idempotency-key',
      },
    });

  it('is answered for an allowed page, and refused for any other', async () => {
    const relay = runRelay();
    for (const [origin, status, allowed] of [
      [site, 204, site],
      ['https://evil.example', 403, null],
    ] as const) {
      const answer = await relay.fetch(ask(origin));
      expect([answer.status, answer.headers.get('access-control-allow-origin')]).toEqual([status, allowed]);
    }
  });
});

const names: Readonly<Record<number, string>> = {
  400: 'bad_request',
  403: 'forbidden',
  404: 'not_found',
  405: 'method_not_allowed',
  413: 'payload_too_large',
  415: 'unsupported_media_type',
  429: 'too_many_requests',
  503: 'service_unavailable',
};

async function raw(answer: Response): Promise<{ status: number; headers: Record<string, string>; body: string }> {
  return { status: answer.status, headers: Object.fromEntries(answer.headers), body: await answer.text() };
}

/** Sent in pieces, so that its length is known only when it has been read. */
function streamed(text: string): Request {
  const bytes = new TextEncoder().encode(text);
  const body = new ReadableStream<Uint8Array>({
    start(controller) {
      for (let at = 0; at < bytes.length; at += 1000) controller.enqueue(bytes.subarray(at, at + 1000));
      controller.close();
    },
  });
  const headers = { origin: site, 'content-type': 'application/json' };
  return new Request('http://relay.example/signup', { method: 'POST', headers, body, duplex: 'half' });
}

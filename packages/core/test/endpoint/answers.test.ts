/** Answers to a post: status, headers and body, as JSON for scripts and as pages for visitors without JavaScript. */
import { describe, expect, it } from 'vitest';
import {
  acceptedAnswer,
  originRefused,
  preflightAnswer,
  refusalAnswer,
  refused,
  unavailable,
  wantsPage,
  type ReadHeader,
} from '../../src/endpoint/index.ts';

const site = 'https://www.example.com';
const origins = new Set([site]);
const headersOf =
  (headers: Readonly<Record<string, string>>): ReadHeader =>
  (name) =>
    headers[name] ?? null;

const json = headersOf({ origin: site, 'content-type': 'application/json' });
const page = headersOf({ origin: site, 'content-type': 'application/x-www-form-urlencoded', accept: 'text/html' });
const foreign = headersOf({ origin: 'https://other.example', 'content-type': 'application/json' });

const cors = { 'access-control-allow-origin': site, 'access-control-expose-headers': 'Retry-After' };
const always = { 'cache-control': 'no-store', 'x-content-type-options': 'nosniff', vary: 'Origin' };

describe('wantsPage', () => {
  it.each([
    [{ 'content-type': 'application/x-www-form-urlencoded', accept: 'text/html,*/*;q=0.8' }, true],
    [{ 'content-type': 'application/x-www-form-urlencoded' }, true],
    [{ 'content-type': 'application/x-www-form-urlencoded', accept: 'application/json' }, false],
    [{ 'content-type': 'application/json', accept: '*/*' }, false],
    [{ 'content-type': 'application/json', accept: 'text/html' }, true],
  ])('%j: %j', (headers, expected) => {
    expect(wantsPage(headersOf(headers))).toBe(expected);
  });
});

describe('an accepted signup', () => {
  it('is 202 with JSON for a script', () => {
    expect(acceptedAnswer(json, origins, '/thanks')).toEqual({
      status: 202,
      headers: { ...always, ...cors, 'content-type': 'application/json' },
      body: '{"status":"accepted"}',
    });
  });

  it('is 303 to the page for a visitor without JavaScript', () => {
    expect(acceptedAnswer(page, origins, '/thanks')).toEqual({
      status: 303,
      headers: { ...always, ...cors, location: '/thanks' },
      body: null,
    });
  });
});

describe('a refusal', () => {
  it("has the API's error body, and only allowed origins may read it", () => {
    const { status, headers, body } = refusalAnswer(json, origins, unavailable());
    expect([status, JSON.parse(body ?? '')]).toEqual([
      503,
      {
        status: 503,
        statusText: 'service_unavailable',
        errors: [
          {
            message: 'Your signup could not be saved just now. Please try again in a moment.',
            code: 'UNAVAILABLE',
          },
        ],
      },
    ]);
    expect(headers).toEqual({ ...always, ...cors, 'retry-after': '5', 'content-type': 'application/json' });
    const why = originRefused('https://other.example', 'Allowed Origins');
    for (const allowed of [origins, null])
      expect(refusalAnswer(foreign, allowed, why).headers).toEqual({ ...always, 'content-type': 'application/json' });
  });

  it('rounds Retry-After up to whole seconds', () => {
    const { headers } = refusalAnswer(json, origins, refused(429, 'SLOW_DOWN', 'Later.', 1.2));
    expect(headers).toMatchObject({ 'retry-after': '2' });
    expect(refused(400, 'INVALID', 'No.')).toStrictEqual({
      status: 400,
      errors: [{ message: 'No.', code: 'INVALID' }],
    });
  });

  it('names the origin, or says that there is none, and the setting that allows it', () => {
    const message = (origin: string | null) => originRefused(origin, 'Allowed Origins').errors[0]?.message;
    const remedy = 'may not sign up here. The owner of this form can allow it in Allowed Origins.';
    expect(message('https://other.example')).toBe(`The origin https://other.example ${remedy}`);
    expect(message(null)).toBe(`A post that names no origin ${remedy}`);
  });

  it('names the allowed methods with 405', () => {
    const { headers } = refusalAnswer(json, origins, refused(405, 'METHOD_NOT_ALLOWED', 'Send a POST.'));
    expect(headers).toMatchObject({ allow: 'POST, OPTIONS' });
  });

  it('repeats of a header only 200 printable characters', () => {
    const why = originRefused(`https://evil.example/\u0000${'x'.repeat(500)}`, 'Allowed Origins');
    expect(why.errors[0]?.message).toContain(`The origin https://evil.example/${'x'.repeat(179)} may not`);
  });

  it('is a page that escapes HTML for a visitor without JavaScript', () => {
    const why = originRefused('https://evil.example/<script>', 'Allowed Origins');
    const { body, headers } = refusalAnswer(page, origins, why);
    expect(body).toContain(
      '<h1>Your signup was not saved</h1>\n<p>The origin https://evil.example/&lt;script&gt; may not',
    );
    expect(body).toContain('<p>Go back, and try again.</p>\n</main>');
    expect(headers).toMatchObject({ ...always, ...cors, 'content-type': 'text/html; charset=utf-8' });
    expect(headers).toMatchObject({ 'referrer-policy': 'no-referrer' });
  });

  it('is the page of the endpoint where it has one of its own', () => {
    const own = { headers: { 'content-language': 'de' }, html: '<h1>Noch ein Schritt</h1>' };
    const why = { ...refused(403, 'TOKEN_REQUIRED', 'Add the token.'), ask: { token: 'new"token' } };
    expect(refusalAnswer(page, origins, why, () => own)).toEqual({
      status: 403,
      headers: { ...always, ...cors, ...own.headers },
      body: own.html,
    });
    const asked = refusalAnswer(json, origins, why, () => own);
    expect(JSON.parse(asked.body ?? '')).toMatchObject({ ask: { token: 'new"token' } });
  });
});

describe('a preflight', () => {
  it('allows JSON posts of an allowed origin alone', () => {
    expect(preflightAnswer(json, origins)).toMatchObject({
      status: 204,
      headers: {
        ...cors,
        'access-control-allow-methods': 'POST',
        'access-control-allow-headers': 'Content-Type, Idempotency-Key, traceparent, tracestate',
        'access-control-max-age': '86400',
      },
    });
    expect(preflightAnswer(foreign, origins).headers).toEqual(always);
  });
});

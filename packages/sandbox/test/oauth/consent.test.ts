/** The consent page: what it shows, what its form sends, and which forms are refused. */
import { operations } from '@newsletter-kit/core/contract';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { consent, ConsentError, publicationId, type Sandbox } from '../../src/index.ts';
import { knownScopes } from '../../src/oauth/scopes.ts';
import { fresh } from '../caller.ts';
import { callback, origin } from './app.ts';
import { asked, authorizeUrl, codeFor, exchange, type Fields } from './wire.ts';

/** Opens the page and returns its text, its fields and its cookie. */
async function open(sandbox: Sandbox, fields: Fields = asked, headers: Fields = {}) {
  const page = await sandbox.fetch(authorizeUrl(fields), { headers });
  const html = await page.text();
  const cookie = page.headers.getSetCookie()[0]?.split(';')[0];
  const token = /name="authenticity_token" value="([\w-]{43})"/.exec(html)?.[1] ?? '';
  return {
    status: page.status,
    headers: page.headers,
    html,
    cookie,
    token,
    fields: { ...fields, authenticity_token: token },
  };
}

const press = (sandbox: Sandbox, fields: Fields, headers: Fields) =>
  sandbox.fetch(`${origin}/oauth/authorize`, {
    method: 'POST',
    headers: { 'Content-Type': 'application/x-www-form-urlencoded', ...headers },
    body: new URLSearchParams(fields).toString(),
  });

test('the consent page names the app, the person, the scopes and the redirect host, and loads nothing', async () => {
  const { html, headers } = await open(fresh(), {
    ...asked,
    scope: 'identify:read subscriptions:write data_deletion:write',
  });
  for (const text of [
    'Sandbox app',
    'Marina Quay',
    'See your name and e-mail address',
    'Add, change and remove subscribers',
    'Have the data of a subscriber deleted for good',
    'localhost:5678',
  ]) {
    expect(html).toContain(text);
  }
  expect(html).not.toMatch(/<script|(?:src|href)="(?!data:)/);
  expect(headers.get('content-security-policy')).toContain("default-src 'none'");
  expect(headers.get('content-security-policy')).toContain("frame-ancestors 'none'");
  expect(headers.get('cache-control')).toContain('no-store');
});

test('a request without a scope asks for the default scope', async () => {
  const sandbox = fresh();
  const { scope: _, ...fields } = asked;
  expect((await open(sandbox, fields)).html).toContain('<li>See your name and e-mail address</li></ul>');
  const { body } = await exchange(sandbox, await codeFor(sandbox, fields));
  expect(body['scope']).toBe('identify:read');
});

test('every scope of the specification and of the contract can be requested, and has a description', async () => {
  const optional = [
    'automations',
    'custom_fields',
    'subscriptions',
    'polls',
    'podcasts',
    'posts',
    'publications',
    'referral_program',
    'segments',
    'tiers',
    'webhooks',
  ];
  const named = operations.flatMap(({ scope }) => (scope === null ? [] : [scope]));
  const all = [
    ...new Set([
      'identify:read',
      ...optional.flatMap((resource) => [`${resource}:read`, `${resource}:write`]),
      ...named,
    ]),
  ];
  expect(knownScopes).toEqual(expect.arrayContaining(all));
  const sandbox = fresh();
  const { html } = await open(sandbox, { ...asked, scope: all.join(' ') });
  const words = [...html.matchAll(/<li>([^<]*)<\/li>/g)].map(([, text]) => text ?? '');
  expect(new Set(words).size).toBe(all.length);
  expect(words.filter((text) => text.includes(':'))).toEqual([]);
});

test('a scope that is requested twice is granted once', async () => {
  const sandbox = fresh();
  const code = await codeFor(sandbox, { ...asked, scope: 'posts:read  subscriptions:read posts:read' });
  const { body } = await exchange(sandbox, code);
  expect(body['scope']).toBe('posts:read subscriptions:read');
});

test('the name and the parameters of an app are escaped in the page', async () => {
  const name = '<script>alert(1)</script>"&\'';
  const sandbox = fresh({
    seed: {
      publications: [{ id: publicationId, name: 'P' }],
      oauth_clients: [{ uid: 'x', name, secret: null, redirect_uris: ['https://app.example/"><b>/'] }],
    },
  });
  await fc.assert(
    fc.asyncProperty(
      fc.string({ unit: 'grapheme' }).filter((text) => text.trim() !== ''),
      async (text) => {
        const state = `"><script>${text.toWellFormed()}`;
        const fields = {
          client_id: 'x',
          redirect_uri: 'https://app.example/"><b>/',
          response_type: 'code',
          state,
          code_challenge: 'c'.repeat(43),
          code_challenge_method: 'S256',
        };
        const { html } = await open(sandbox, fields);
        expect(html).not.toContain('<script');
        expect(html).not.toContain('<b>/');
        // The very same state comes back.
        expect((await consent(sandbox.fetch, authorizeUrl(fields), 'deny')).searchParams.get('state')).toBe(state);
      },
    ),
    { numRuns: 100 },
  );
});

describe('the form', () => {
  test('redirects with a code for Allow and with access_denied for Deny, both with the state', async () => {
    const sandbox = fresh();
    const { fields, cookie = '' } = await open(sandbox);
    const allowed = await press(sandbox, { ...fields, decision: 'allow' }, { Cookie: cookie });
    expect(allowed.status).toBe(302);
    const location = new URL(allowed.headers.get('location') ?? '');
    expect([
      location.origin + location.pathname,
      [...location.searchParams.keys()],
      location.searchParams.get('state'),
    ]).toEqual([callback, ['code', 'state'], 'a b&c']);
    expect(location.searchParams.get('code')).toMatch(/^[\w-]{43}$/);
    const denied = new URL(
      (await press(sandbox, { ...fields, decision: 'deny' }, { Cookie: cookie })).headers.get('location') ?? '',
    );
    expect(Object.fromEntries(denied.searchParams)).toEqual({
      error: 'access_denied',
      error_description: 'The resource owner or authorization server denied the request.',
      state: 'a b&c',
    });
  });

  test.each<readonly [string, (page: Awaited<ReturnType<typeof open>>) => readonly [Fields, Fields]]>([
    [
      'without the token',
      ({ fields: { authenticity_token: _, ...fields }, cookie = '' }) => [fields, { Cookie: cookie }],
    ],
    [
      'with another token',
      ({ fields, cookie = '' }) => [{ ...fields, authenticity_token: 'x'.repeat(43) }, { Cookie: cookie }],
    ],
    ['without the cookie', ({ fields }) => [fields, {}]],
    [
      'with an empty token and cookie',
      ({ fields }) => [{ ...fields, authenticity_token: '' }, { Cookie: 'newsletter_sandbox_consent=' }],
    ],
    [
      'from another origin',
      ({ fields, cookie = '' }) => [fields, { Cookie: cookie, Origin: 'http://sandbox.test:81' }],
    ],
    ['from a page without an origin', ({ fields, cookie = '' }) => [fields, { Cookie: cookie, Origin: 'null' }]],
    [
      'from another port of the same host',
      ({ fields, cookie = '' }) => [fields, { Cookie: cookie, 'Sec-Fetch-Site': 'same-site' }],
    ],
  ])('that comes %s is refused in place', async (_, forge) => {
    const sandbox = fresh();
    const [fields, headers] = forge(await open(sandbox));
    const answer = await press(sandbox, { ...fields, decision: 'allow' }, { ...headers, Accept: 'text/html' });
    expect([answer.status, answer.headers.get('location'), answer.headers.get('content-type')]).toEqual([
      403,
      null,
      'text/html; charset=utf-8',
    ]);
    expect(await answer.text()).toContain('Open the link of the app again.');
  });

  test('is accepted from the consent page itself', async () => {
    const sandbox = fresh();
    const { fields, cookie = '' } = await open(sandbox);
    expect(
      (
        await press(
          sandbox,
          { ...fields, decision: 'allow' },
          { Cookie: `other=1; ${cookie}`, Origin: origin, 'Sec-Fetch-Site': 'same-origin' },
        )
      ).status,
    ).toBe(302);
  });

  test('works from two pages opened one after the other', async () => {
    const sandbox = fresh();
    const first = await open(sandbox);
    const second = await open(sandbox, asked, { Cookie: first.cookie ?? '' });
    expect([second.token, second.cookie]).toEqual([first.token, undefined]);
    for (const page of [first, second])
      expect((await press(sandbox, { ...page.fields, decision: 'allow' }, { Cookie: first.cookie ?? '' })).status).toBe(
        302,
      );
  });

  test('with changed fields is checked like any request', async () => {
    const sandbox = fresh();
    const { fields, cookie = '' } = await open(sandbox);
    const answer = (more: Fields) => press(sandbox, { ...fields, decision: 'allow', ...more }, { Cookie: cookie });
    expect((await answer({ redirect_uri: 'https://evil.example/' })).status).toBe(400);
    expect((await answer({ client_id: 'nobody' })).status).toBe(401);
    expect(
      new URL((await answer({ scope: 'everything' })).headers.get('location') ?? '').searchParams.get('error'),
    ).toBe('invalid_scope');
    expect(
      new URL((await answer({ decision: 'perhaps' })).headers.get('location') ?? '').searchParams.get('error'),
    ).toBe('invalid_request');
  });

  test('has a cookie that is HttpOnly and not sent with forms of other sites', async () => {
    expect((await open(fresh())).headers.get('set-cookie')).toMatch(
      /; Path=\/oauth\/authorize; HttpOnly; SameSite=Lax$/,
    );
  });
});

test('consent() rejects with the error of the page where there is no redirect', async () => {
  await expect(consent(fresh().fetch, authorizeUrl({ ...asked, client_id: 'nobody' }))).rejects.toThrow(ConsentError);
  await expect(consent(fresh().fetch, authorizeUrl({ ...asked, client_id: 'nobody' }))).rejects.toThrow(
    'invalid_client',
  );
});

/**
 * The pages of OAuth that a person sees – sign in and consent, or an error – and the CSRF protection of the consent
 * form. No script, nothing from other origins.
 */
import { html, raw } from 'hono/html';
import { uncached, OauthError } from './endpoint.ts';
import { type GrantedConsent, person } from './grants.ts';
import { inWords } from './scopes.ts';
import type { World } from '../world/world.ts';
import { pageStyle } from '@newsletter-kit/core/endpoint';

/**
 * Asks the person. `form-action` is left out of the policy on purpose: browsers apply it to the redirect after the form
 * as well, which has to reach whatever app asked.
 *
 * @param fields - what the form sends beside the answer: the request's own parameters, and a token
 */
export async function consentPage(
  consent: GrantedConsent,
  fields: readonly (readonly [name: string, value: string])[],
  headers: Readonly<Record<string, string>>,
): Promise<Response> {
  const { name } = consent.client;
  return page(
    200,
    `Allow ${name}?`,
    html`<h1 id="title">${name} would like to use your newsletter account</h1>
      <h2>You sign in as</h2>
      <div class="person"><span aria-hidden="true">${person.initials}</span><span><b>${person.name}</b><small>${person.email}</small></span></div>
      <h2 id="scopes">The app will be able to</h2>
      <ul aria-labelledby="scopes">${consent.scopes.map((scope) => html`<li>${inWords(scope)}</li>`)}</ul>
      <form method="post" action="/oauth/authorize" aria-labelledby="title">
        ${fields.map(([field, value]) => html`<input type="hidden" name="${field}" value="${value}">`)}
        <div class="actions"><button name="decision" value="deny">Deny</button><button name="decision" value="allow">Allow</button></div>
      </form>
      <p class="after">${person.name} is a test person without a password. Either button leads to <b>${destination(consent.redirectUri)}</b>.</p>`,
    headers,
  );
}

/** The error page, with the details that the developer of the app needs. */
export async function errorPage(error: OauthError): Promise<Response> {
  return page(
    error.status,
    'This app cannot be connected',
    html`<h1>This app can't be connected</h1>
      <p>The link that opened this page contains an error, so you cannot be sent back to the app. The developer of the app can correct it.</p>
      <dl><dt>Error</dt><dd><code class="wrong">${error.error}</code></dd>
        <dt>Meaning</dt><dd>${error.description}</dd>
        ${error.reason === error.description ? '' : html`<dt>In this case</dt><dd>${error.reason}</dd>`}</dl>`,
    error.headers,
  );
}

/** The host of the redirect URI, or its scheme where it has no host. */
function destination(uri: string): string {
  const { host, protocol } = new URL(uri);
  return host === '' ? protocol : host;
}

const policy = "default-src 'none'; style-src 'unsafe-inline'; img-src data:; base-uri 'none'; frame-ancestors 'none'";

async function page(
  status: number,
  title: string,
  body: ReturnType<typeof html>,
  headers: Readonly<Record<string, string>>,
): Promise<Response> {
  const text = await html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${title} · Newsletter sandbox</title>
<link rel="icon" href="data:,">
<style>${raw(style)}</style>
</head>
<body>
<main>
<p class="brand"><b>Newsletter sandbox</b> · local</p>
<div class="body">
${body}
</div>
</main>
</body>
</html>
`;
  return new Response(text.toString(), {
    status,
    headers: {
      'Content-Type': 'text/html; charset=utf-8',
      'Content-Security-Policy': policy,
      // The browser must send our origin with the form, but must not send the URL of this page to the app.
      'Referrer-Policy': 'same-origin',
      ...uncached,
      ...headers,
    },
  });
}

/** The field of the form. */
export const tokenField = 'authenticity_token';

const cookieName = 'newsletter_sandbox_consent';

/**
 * The CSRF token for a page, and the headers that go with it. The form must send the same token as the browser's
 * cookie, which another site can neither read nor set. The token comes from the seeded generator, so that two runs show
 * the same page. A browser keeps its token, so that two open pages both work: `SameSite=Lax` sends the cookie with a
 * link from another site, but not with a form of that site.
 */
export function tokenFor(
  world: World,
  request: Request,
): { readonly token: string; readonly headers: Readonly<Record<string, string>> } {
  const known = cookieOf(request);
  const token = known ?? world.ids.token('consent', world.store.next('oauth_consent'));
  return {
    token,
    headers:
      known === undefined
        ? { 'Set-Cookie': `${cookieName}=${token}; Path=/oauth/authorize; HttpOnly; SameSite=Lax` }
        : {},
  };
}

/** Requires that the form was sent by our own page. @throws OauthError */
export function requireOwnForm(request: Request, token: string | undefined): void {
  const problem = problemOf(request, token);
  if (problem !== undefined)
    throw new OauthError('invalid_request', { status: 403, reason: `${problem} Open the link of the app again.` });
}

function problemOf(request: Request, token: string | undefined): string | undefined {
  const origin = request.headers.get('origin');
  const site = request.headers.get('sec-fetch-site');
  if (origin !== null && origin !== new URL(request.url).origin)
    return 'The form was sent from a page of another origin.';
  if (site !== null && site !== 'same-origin') return 'The form was sent from a page of another site.';
  const cookie = cookieOf(request);
  if (cookie === undefined) return 'The cookie of the consent page is missing.';
  return token === cookie ? undefined : `The field ${tokenField} does not match the cookie of the consent page.`;
}

function cookieOf(request: Request): string | undefined {
  const cookies = request.headers.get('cookie') ?? '';
  return new RegExp(`(?:^|; *)${cookieName}=([\\w-]{43})(?:;|$)`).exec(cookies)?.[1];
}

/** The layout of the OAuth pages: a card from 320 pixels up, on top of the palette of all pages. */
const style = `${pageStyle}
body { max-width: none; margin: 0; min-height: 100vh; min-height: 100dvh; display: grid; place-items: center; padding: 1rem; background: var(--page); color: var(--ink);
  font: 16px/1.5 var(--sans); }
main { width: 100%; max-width: 27rem; overflow: hidden; background: var(--card); border: 1px solid var(--line); border-radius: 16px;
  box-shadow: 0 1px 2px rgb(0 0 0 / .05), 0 12px 40px -12px rgb(0 0 0 / .18); }
.brand { margin: 0; padding: .8rem 1.5rem; border-bottom: 1px solid var(--line); color: var(--soft); font-size: .875rem; }
.brand b { color: var(--ink); font-weight: 600; }
.body { padding: 1.5rem; }
h1 { margin: 0 0 1rem; font-size: 1.3rem; line-height: 1.3; letter-spacing: -.015em; text-wrap: balance; overflow-wrap: anywhere; }
h2 { margin: 1.25rem 0 .5rem; font-size: .875rem; font-weight: 600; color: var(--soft); }
p { margin: 0 0 1rem; overflow-wrap: anywhere; }
.person { display: flex; align-items: center; gap: .75rem; padding: .7rem .8rem; border: 1px solid var(--line); border-radius: 12px; }
.person span:first-child { flex: none; display: grid; place-items: center; width: 2.4rem; height: 2.4rem; border-radius: 50%; background: var(--accent-back);
  color: var(--accent); font-weight: 600; font-size: .875rem; }
.person b, .person small { display: block; overflow-wrap: anywhere; line-height: 1.35; }
.person b { font-weight: 600; } small { font-size: .875rem; color: var(--soft); }
ul { list-style: none; margin: 0; padding: 0; }
li { position: relative; padding-block: .3rem; padding-inline-start: 1.7rem; overflow-wrap: anywhere; }
li::before { content: ''; position: absolute; inset-inline-start: .2rem; top: .72rem; width: .75rem; height: .38rem; border: solid var(--accent); border-width: 0 0 2px 2px;
  transform: rotate(-45deg); }
.actions { display: grid; grid-template-columns: 1fr 1fr; gap: .75rem; margin: 1.5rem 0 1.1rem; }
button { min-height: 2.9rem; padding: .5rem 1rem; border: 1px solid var(--edge); border-radius: 10px; background: transparent; color: var(--ink);
  font: inherit; font-weight: 600; cursor: pointer; }
button[value=allow] { border-color: transparent; background: var(--accent); color: var(--on-accent); }
button:hover { border-color: var(--soft); } button[value=allow]:hover { filter: brightness(1.07); }
button:focus-visible { outline: 3px solid var(--accent); outline-offset: 2px; }
.after { margin: 0; color: var(--soft); font-size: .875rem; } .after b { color: var(--ink); font-weight: 600; }
code { font: .875rem/1.5 var(--mono); overflow-wrap: anywhere; }
.wrong { color: var(--bad); }
dl { margin: 0; display: grid; gap: .1rem; } dt { color: var(--soft); font-size: .875rem; } dd { margin: 0 0 .6rem; overflow-wrap: anywhere; }
@media (max-width: 22rem) { body { padding: .5rem; } .body { padding: 1.1rem; } .brand { padding-inline: 1.1rem; } }
@media (forced-colors: active) { li::before { border-color: CanvasText; } main { border-color: CanvasText; } }
`;

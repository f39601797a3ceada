/** The pages a person sees: sign in and consent, or what is wrong. No script, nothing from elsewhere. */
import { html, raw } from 'hono/html';
import { uncached } from './endpoint.ts';
import type { OauthError } from './errors.ts';
import type { Consent } from './grants.ts';
import { style } from './page-style.ts';
import { person } from './person.ts';
import { inWords } from './scopes.ts';

/** What the consent page shows and sends back. */
export interface ConsentPage {
  readonly consent: Consent;
  /** The request's own parameters and the token of the form. */
  readonly fields: readonly (readonly [name: string, value: string])[];
  readonly headers: Readonly<Record<string, string>>;
}

/**
 * Asks the person. `form-action` is left out of the policy on purpose: browsers apply it to the redirect after the form
 * as well, which has to reach whatever app asked.
 */
export async function consentPage({ consent, fields, headers }: ConsentPage): Promise<Response> {
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
      <p class="after">${person.name} is made up and needs no password. Either way you go on to <b>${destination(consent.redirectUri)}</b>.</p>`,
    headers,
  );
}

/** Tells the person, who can do little, and the developer, who can. */
export async function errorPage(error: OauthError): Promise<Response> {
  return page(
    error.status,
    'This app can not be connected',
    html`<h1>This app can't be connected</h1>
      <p>The link that brought you here has a mistake in it, so you are not sent back to the app. Its developer can put it right.</p>
      <dl><dt>Error</dt><dd><code class="wrong">${error.error}</code></dd>
        <dt>Meaning</dt><dd>${error.description}</dd>
        ${error.reason === error.description ? '' : html`<dt>In this case</dt><dd>${error.reason}</dd>`}</dl>`,
    error.headers,
  );
}

/** Where the person goes on to, short enough to be read. */
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
      // The browser must name our origin when it sends the form, and must not give the request away to the app.
      'Referrer-Policy': 'same-origin',
      ...uncached,
      ...headers,
    },
  });
}

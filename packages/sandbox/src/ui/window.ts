/** The window at `/`: subscriptions and requests as they come. One page, one script, nothing from elsewhere. */
import { style } from './style.ts';
import { source } from './script.ts';

const page = `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>Newsletter sandbox</title>
<link rel="icon" href="data:,">
<style>${style}</style>
</head>
<body>
<header>
  <h1>Newsletter sandbox</h1>
  <p id="state" role="status" data-state="waiting">connecting</p>
</header>
<main>
  <section aria-labelledby="subscriptions-title">
    <h2 id="subscriptions-title">Subscriptions <span id="total"></span></h2>
    <div class="scroll" tabindex="0" role="region" aria-labelledby="subscriptions-title">
      <table>
        <thead><tr><th>Subscriber</th><th>Status</th><th>Custom fields</th><th>Created</th></tr></thead>
        <tbody id="subscriptions"></tbody>
      </table>
    </div>
    <p class="empty" id="no-subscriptions">Nobody has subscribed yet.</p>
  </section>
  <section aria-labelledby="requests-title">
    <h2 id="requests-title">Requests</h2>
    <ol id="requests"></ol>
    <p class="empty" id="no-requests">No request yet. The API is at <code id="api"></code>.</p>
  </section>
</main>
<script src="/window.js"></script>
</body>
</html>
`;

const policy = "default-src 'none'; style-src 'unsafe-inline'; script-src 'self'; connect-src 'self'; img-src data:; base-uri 'none'; form-action 'none'; frame-ancestors 'none'";

export function window(): Response {
  return new Response(page, { headers: { 'Content-Type': 'text/html; charset=utf-8', 'Content-Security-Policy': policy, 'Cache-Control': 'no-store' } });
}

export function script(): Response {
  return new Response(source, { headers: { 'Content-Type': 'text/javascript; charset=utf-8', 'Cache-Control': 'no-store' } });
}

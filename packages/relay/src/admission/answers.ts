/** Every answer the relay gives to a post. One success, the same for everybody: it must not tell who is subscribed. */
import { pageHeaders, refusalBody, refusalHtml, thanksHtml, wantsPage, type Refused } from '@newsletter-kit/core/signup';
import { contentHeaders } from './content-headers.ts';
import type { Form } from './form.ts';

const acceptedBody = JSON.stringify({ status: 'accepted' });

const always = { 'cache-control': 'no-store', 'x-content-type-options': 'nosniff', vary: 'Origin' };

/** Kept. JSON for scripts; a visitor without them is sent to a fixed page. */
export function accepted(request: Request, form: Form): Response {
  const headers = { ...always, ...crossOrigin(request, form) };
  if (!wantsPage(contentHeaders(request))) {
    return new Response(acceptedBody, { status: 202, headers: { ...headers, 'content-type': 'application/json' } });
  }
  // Relative, so that it also holds where a proxy serves the relay under a path of its own.
  return new Response(null, { status: 303, headers: { ...headers, location: form.thanksUrl ?? 'thanks' } });
}

/** Where a kept signup leads, unless RELAY_THANKS_URL names another page. */
export function thanksPage(): Response {
  return new Response(thanksHtml(), { headers: { ...pageHeaders, 'x-content-type-options': 'nosniff' } });
}

/** Not kept, and why: the API's error body, or a page that says the same. */
export function refusal(request: Request, form: Form, refused: Refused): Response {
  const headers = {
    ...always,
    ...crossOrigin(request, form),
    ...(refused.retryAfterSeconds !== undefined && { 'retry-after': String(Math.ceil(refused.retryAfterSeconds)) }),
    ...(refused.status === 405 && { allow: 'POST, OPTIONS' }),
  };
  const { status } = refused;
  if (wantsPage(contentHeaders(request))) return new Response(refusalHtml(refused), { status, headers: { ...headers, ...pageHeaders } });
  return Response.json(refusalBody(refused), { status, headers });
}

/** The answer to a browser that asks before it posts JSON across origins. */
export function preflight(request: Request, form: Form): Response {
  const allowed = crossOrigin(request, form);
  return new Response(null, {
    status: 204,
    headers: {
      ...always,
      ...allowed,
      ...('access-control-allow-origin' in allowed && {
        'access-control-allow-methods': 'POST',
        'access-control-allow-headers': 'Content-Type, Idempotency-Key',
        'access-control-max-age': '86400',
      }),
    },
  });
}

/** Lets scripts of an allowed page read the answer, and how long to wait; never sends or takes cookies. */
function crossOrigin(request: Request, { origins }: Form): Record<string, string> {
  const origin = request.headers.get('origin');
  if (origin === null || !origins.has(origin)) return {};
  return { 'access-control-allow-origin': origin, 'access-control-expose-headers': 'Retry-After' };
}

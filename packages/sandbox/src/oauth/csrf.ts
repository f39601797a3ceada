/**
 * CSRF protection of the consent form: its token must equal the browser's cookie, and the Origin must be ours. The
 * token comes from the seeded generator, so that two runs show the same page; the protection rests on the cookie,
 * which another site can neither read nor set.
 */
import type { World } from '../world/world.ts';
import { OauthError } from './errors.ts';

/** The field of the form. */
export const tokenField = 'authenticity_token';

const cookieName = 'newsletter_sandbox_consent';

/**
 * The token for a page, and the headers that go with it. A browser keeps its token, so that two open pages both work:
 * for that the cookie has to come along when an app of another site sends the person here, but not with a form of that
 * site.
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

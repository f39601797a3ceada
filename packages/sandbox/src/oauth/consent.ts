/** Gives consent in a test in place of a person: opens the consent page, presses a button, returns the redirect. */

/** How the consent ended before it came to a redirect. */
export class ConsentError extends Error {
  override readonly name = 'ConsentError';
}

/**
 * Submits the consent page of the sandbox as a browser would.
 *
 * @param fetch - `sandbox.fetch`, or the global `fetch` for a sandbox on a port
 * @param authorizationUrl - the address an app sends the person to, `/oauth/authorize?client_id=…`
 * @param decision - the button. Default `allow`
 * @returns where the app is called back: its redirect URI with `code` or `error`, and `state`
 * @throws ConsentError where the request is so wrong that nobody is sent back: an unknown client or redirect URI
 * @example
 * ```ts
 * const callback = await consent(sandbox.fetch, 'http://sandbox.test/oauth/authorize?client_id=sandbox-app&…');
 * const code = callback.searchParams.get('code');
 * ```
 */
export async function consent(
  fetch: (input: string | URL, init?: RequestInit) => Promise<Response>,
  authorizationUrl: string | URL,
  decision: 'allow' | 'deny' = 'allow',
): Promise<URL> {
  const page = await fetch(authorizationUrl, { redirect: 'manual' });
  const early = page.headers.get('location');
  if (early !== null) return new URL(early);
  const html = await page.text();
  if (page.status !== 200)
    throw new ConsentError(`The sandbox answers ${page.status} in place of the consent page: ${html.slice(0, 500)}`);
  const fields = Array.from(
    html.matchAll(/<input type="hidden" name="([^"]*)" value="([^"]*)">/g),
    ([, name = '', value = '']): [string, string] => [name, unescape(value)],
  );
  const answer = await fetch(new URL('/oauth/authorize', authorizationUrl), {
    method: 'POST',
    redirect: 'manual',
    headers: {
      'Content-Type': 'application/x-www-form-urlencoded',
      Cookie: page.headers
        .getSetCookie()
        .map((cookie) => cookie.split(';')[0])
        .join('; '),
    },
    body: new URLSearchParams([...fields, ['decision', decision]]).toString(),
  });
  const location = answer.headers.get('location');
  if (location === null)
    throw new ConsentError(
      `The sandbox answers ${answer.status} to the consent: ${(await answer.text()).slice(0, 500)}`,
    );
  return new URL(location);
}

const entities: Readonly<Partial<Record<string, string>>> = { amp: '&', lt: '<', gt: '>', quot: '"', '#39': "'" };

function unescape(text: string): string {
  return text.replace(/&(amp|lt|gt|quot|#39);/g, (whole, name: string) => entities[name] ?? whole);
}

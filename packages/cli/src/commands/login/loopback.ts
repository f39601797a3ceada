/** The loopback redirect of a login: a server on 127.0.0.1 that waits for one browser. */
import { createServer, type ServerResponse } from 'node:http';
import { UsageError } from '#command-line';
import { pageHeaders, pageStyle } from '@newsletter-kit/core/endpoint';
import { StateMismatchError } from '@newsletter-kit/core/oauth';

export interface LoopbackOptions {
  /** 0 takes a free one. */
  readonly port: number;
  readonly timeoutMs: number;
  readonly signal: AbortSignal;
}

const path = '/callback';

/**
 * Waits until the browser is redirected back.
 *
 * @param begin - starts the login for a redirect URI; the function it returns completes the login with the redirected
 *   address
 * @returns the result of that function
 * @throws UsageError where the browser does not return in time or the port is in use; the signal's reason; errors
 *   of `begin` and of that function
 */
export async function waitForBrowser<T>(
  { port, timeoutMs, signal }: LoopbackOptions,
  begin: (redirectUri: string) => Promise<(callback: URL) => Promise<T>>,
): Promise<T> {
  const server = createServer();
  const over = Promise.withResolvers<T>();
  over.promise.catch(() => {}); // it may end before it is awaited; whoever awaits it gets the reason
  const stop = (): void => over.reject(signal.reason);
  const timer = setTimeout(
    () =>
      over.reject(
        new UsageError(
          `The sign-in was not completed within ${timeoutMs / 1000} s. Run newsletter login again; --timeout allows more time.`,
        ),
      ),
    timeoutMs,
  );
  signal.addEventListener('abort', stop);
  try {
    const listening = Promise.withResolvers<void>();
    server.once('error', listening.reject);
    server.listen(port, '127.0.0.1', listening.resolve);
    await listening.promise.catch((error: unknown) => {
      throw new UsageError(
        `Cannot listen on port ${port} of 127.0.0.1 (${error instanceof Error ? error.message : 'unknown'}). Choose another port with --port.`,
      );
    });
    const address = server.address();
    const redirectUri = `http://127.0.0.1:${typeof address === 'object' && address ? address.port : port}${path}`;
    const finish = await begin(redirectUri);
    server.on('request', (request, response) => {
      const callback = new URL(request.url ?? '/', redirectUri);
      if (request.method !== 'GET' || callback.pathname !== path) {
        answer(response, 404, 'Page not found', 'This address only receives the redirect at the end of a sign-in.');
        return;
      }
      finish(callback).then(
        (result) => {
          answer(response, 200, 'You are signed in', 'Close this window and go back to the terminal.');
          over.resolve(result);
        },
        (error: unknown) => {
          answer(response, 400, 'You are not signed in', 'The terminal shows the reason.');
          // Any page can redirect a browser here: a request of another login must not end this one.
          if (!(error instanceof StateMismatchError)) over.reject(error);
        },
      );
    });
    return await over.promise;
  } finally {
    clearTimeout(timer);
    signal.removeEventListener('abort', stop);
    server.close();
    server.closeIdleConnections();
  }
}

function answer(response: ServerResponse, status: number, title: string, text: string): void {
  // The address holds the authorization code. It has been used, and still stays out of history and referrers.
  response.writeHead(status, { ...pageHeaders, 'cache-control': 'no-store', connection: 'close' });
  response.end(closingPage(title, text));
}

/** The page the browser shows at the end. @param title - plain text, as is `text` */
function closingPage(title: string, text: string): string {
  return `<!doctype html>
<html lang="en">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width">
<title>${title}</title>
<style>${pageStyle}</style>
<main>
<h1>${title}</h1>
<p>${text}</p>
</main>
</html>
`;
}

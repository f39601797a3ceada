/** Passes the sandbox's event stream on to the browser, which needs neither the sandbox's address nor a key. */

const headers = {
  'Content-Type': 'text/event-stream; charset=utf-8',
  'Cache-Control': 'no-store',
  'X-Accel-Buffering': 'no',
};

/** How many of the newest subscriptions a page gets when it is opened. */
const newestLimit = 20;
/** Subscriptions of the sandbox's seed are older. */
const dayInSeconds = 86_400;

/**
 * @param sandboxUrl - address of the sandbox
 * @param request - the browser's request; when it is aborted, the stream ends
 * @returns a stream in every case: after an error status an EventSource never reconnects, after the end of a stream it
 *   does
 */
export async function relayEvents(sandboxUrl: string, request: Request): Promise<Response> {
  const lastEventId = request.headers.get('Last-Event-ID');
  try {
    const upstream = await fetch(`${sandboxUrl}/_sandbox/events`, {
      headers: { Accept: 'text/event-stream', ...(lastEventId && { 'Last-Event-ID': lastEventId }) },
      signal: request.signal,
    });
    if (upstream.ok && upstream.body) {
      // Read after the stream is open, so that no subscription is missed between the two.
      const arrivals = await recentSubscriptions(sandboxUrl, request.signal);
      return new Response(afterGreeting(upstream.body, { arrivals }), { headers });
    }
    await upstream.body?.cancel();
  } catch {
    // The sandbox is down: the page says so, and the browser reconnects.
  }
  return new Response('retry: 1000\nevent: away\ndata: {}\n\n', { headers });
}

/** The newest subscriptions of the last day, as the API has them, newest first. */
async function recentSubscriptions(sandboxUrl: string, signal: AbortSignal): Promise<readonly unknown[]> {
  const response = await fetch(`${sandboxUrl}/_sandbox/subscriptions?limit=${newestLimit}`, { signal });
  if (!response.ok) throw new Error(`The sandbox answered ${response.status}.`);
  const { data } = (await response.json()) as { readonly data: readonly { readonly created: number }[] };
  const since = Date.now() / 1000 - dayInSeconds;
  return data.filter(({ created }) => created > since);
}

/**
 * The sandbox's stream after an event `connected` with what is stored already, which the sandbox does not send. If the
 * sandbox stops, the stream ends, and the browser reconnects.
 */
function afterGreeting(stream: ReadableStream<Uint8Array>, greeting: object): ReadableStream<Uint8Array> {
  const reader = stream.getReader();
  const text = `retry: 500\nevent: connected\ndata: ${JSON.stringify(greeting)}\n\n`;
  return new ReadableStream({
    start: (controller) => controller.enqueue(new TextEncoder().encode(text)),
    async pull(controller) {
      const { done, value } = await reader.read().catch(() => ({ done: true, value: undefined }));
      if (done || !value) controller.close();
      else controller.enqueue(value);
    },
    cancel: (reason) => reader.cancel(reason).catch(() => undefined),
  });
}

/** Hands the sandbox's event stream on to a browser, which so needs neither the sandbox's address nor a key. */

const streamHeaders = {
  'Content-Type': 'text/event-stream; charset=utf-8',
  'Cache-Control': 'no-store',
  'X-Accel-Buffering': 'no',
};

/**
 * @param source - address of the sandbox's event stream
 * @param request - the browser's request; the stream ends when it does
 * @returns a stream in every case: an error status would stop the browser from ever asking again, the end of a stream
 *   makes it ask
 */
export async function relayEvents(source: string, request: Request): Promise<Response> {
  const lastEventId = request.headers.get('Last-Event-ID');
  try {
    const upstream = await fetch(source, {
      headers: { Accept: 'text/event-stream', ...(lastEventId && { 'Last-Event-ID': lastEventId }) },
      signal: request.signal,
    });
    if (upstream.ok && upstream.body) {
      return new Response(greeted(upstream.body), { headers: streamHeaders });
    }
    await upstream.body?.cancel();
  } catch {
    // The sandbox is down; the page says so and the browser asks again.
  }
  return new Response('retry: 1000\nevent: away\ndata: {}\n\n', { headers: streamHeaders });
}

/**
 * The sandbox's stream behind a greeting, by which the browser knows at once that the whole way stands. A sandbox that
 * goes away in the middle ends the stream like any other end: the browser asks again and is told.
 */
function greeted(stream: ReadableStream<Uint8Array>): ReadableStream<Uint8Array> {
  const reader = stream.getReader();
  return new ReadableStream({
    start: (controller) => controller.enqueue(new TextEncoder().encode('retry: 500\nevent: connected\ndata: {}\n\n')),
    async pull(controller) {
      const { done, value } = await reader.read().catch(() => ({ done: true, value: undefined }));
      if (done || !value) controller.close();
      else controller.enqueue(value);
    },
    cancel: (reason) => reader.cancel(reason).catch(() => undefined),
  });
}

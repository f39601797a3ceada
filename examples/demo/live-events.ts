/** Passes the sandbox's event stream on to the browser, which needs neither the sandbox's address nor a key. */

const headers = {
  'Content-Type': 'text/event-stream; charset=utf-8',
  'Cache-Control': 'no-store',
  'X-Accel-Buffering': 'no',
};

/**
 * @param source - address of the sandbox's event stream
 * @param request - the browser's request; when it is aborted, the stream ends
 * @returns a stream in every case: after an error status an EventSource never reconnects, after the end of a stream it
 *   does
 */
export async function relayEvents(source: string, request: Request): Promise<Response> {
  const lastEventId = request.headers.get('Last-Event-ID');
  try {
    const upstream = await fetch(source, {
      headers: { Accept: 'text/event-stream', ...(lastEventId && { 'Last-Event-ID': lastEventId }) },
      signal: request.signal,
    });
    if (upstream.ok && upstream.body) return new Response(afterGreeting(upstream.body), { headers });
    await upstream.body?.cancel();
  } catch {
    // The sandbox is down: the page says so, and the browser reconnects.
  }
  return new Response('retry: 1000\nevent: away\ndata: {}\n\n', { headers });
}

/**
 * The sandbox's stream after an event `connected`, which the sandbox does not send. If the sandbox stops, the stream
 * ends, and the browser reconnects.
 */
function afterGreeting(stream: ReadableStream<Uint8Array>): ReadableStream<Uint8Array> {
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

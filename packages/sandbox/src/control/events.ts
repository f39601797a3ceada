/**
 * Events for observers: each request, subscription change, message, control call and reset; also as Server-Sent
 * Events.
 */
import { Hono } from 'hono';
import { subscriptionRecord } from '../api/subscriptions.ts';
import { createFeed, type Feed, type World, type WorldEvent } from '../world/world.ts';
import type { Feature } from './feature.ts';
import { messageSummary, type MessageSummary } from './inbox.ts';
import type { LogEntry } from './request-log.ts';

export type SandboxEvent =
  | { readonly type: 'request'; readonly request: LogEntry }
  | {
      readonly type: 'subscription';
      readonly change: 'created' | 'updated';
      readonly publication_id: string;
      /** As the API answers it, with custom fields. */
      readonly subscription: Readonly<Record<string, unknown>>;
    }
  /** An e-mail came to the inbox. */
  | { readonly type: 'message'; readonly message: MessageSummary }
  /** Something was set through `/_sandbox`: the clock, a fault, an assumption. */
  | { readonly type: 'control'; readonly path: string }
  | { readonly type: 'reset' };

const heartbeat = 15_000;
/** Events a slow reader may lag behind before its stream is closed; it reconnects and reads the state anew. */
const backlog = 1000;

export function createEvents(world: World): Feed<SandboxEvent> & Feature {
  const feed = createFeed<SandboxEvent>();
  world.feed.subscribe((event) => {
    const described = feed.listening ? describe(world, event) : undefined;
    if (described) feed.publish(described);
  });
  return Object.assign(feed, { routes: () => new Hono().get('/events', () => eventStream(feed)) });
}

/** The event as observers see it; undefined where its record is gone already. */
function describe({ store }: World, event: WorldEvent): SandboxEvent | undefined {
  if (event.type === 'reset') return event;
  if (event.type === 'message') {
    const message = store.inbox.bySeq(event.seq);
    return message && { type: 'message', message: messageSummary(message) };
  }
  const row = store.subscriptions.bySeq(event.seq);
  if (!row) return undefined;
  const subscription = subscriptionRecord(store, row, ['custom_fields']);
  return { type: event.type, change: event.change, publication_id: row.publication_id, subscription };
}

/** A stream of `event: <type>` with the event as JSON in `data`, until the client disconnects. */
function eventStream(events: Feed<SandboxEvent>): Response {
  const encoder = new TextEncoder();
  let leave = (): void => undefined;
  const body = new ReadableStream<Uint8Array>(
    {
      start(controller) {
        const send = (text: string): void => {
          if ((controller.desiredSize ?? 0) > -backlog) return controller.enqueue(encoder.encode(text));
          leave();
          controller.close();
        };
        const unsubscribe = events.subscribe((event) =>
          send(`event: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`),
        );
        const timer = setInterval(() => send(':\n\n'), heartbeat);
        timer.unref();
        leave = () => {
          clearInterval(timer);
          unsubscribe();
        };
        send('retry: 1000\n\n');
      },
      cancel: () => leave(),
    },
    { highWaterMark: 0 },
  );
  return new Response(body, { headers: { 'Content-Type': 'text/event-stream', 'Cache-Control': 'no-store' } });
}

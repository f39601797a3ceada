/** Publishes events to subscribers, in order. */

export interface Feed<Event> {
  /** Calls `listener` with every event from now on; the answer ends that. */
  subscribe(listener: (event: Event) => void): () => void;
  publish(event: Event): void;
  /** Whether there is a subscriber; avoids describing events when there is none. */
  readonly listening: boolean;
}

export function createFeed<Event>(): Feed<Event> {
  const listeners = new Set<(event: Event) => void>();
  return {
    subscribe(listener) {
      // A wrapper, so that one function subscribed twice hears twice and leaves one at a time.
      const own = (event: Event): void => listener(event);
      listeners.add(own);
      return () => void listeners.delete(own);
    },
    publish(event) {
      for (const listener of listeners) {
        try {
          listener(event);
        } catch (error) {
          // As with DOM events: the listener's mistake surfaces on its own, not in the request that was being answered.
          queueMicrotask(() => {
            throw error;
          });
        }
      }
    },
    get listening() {
      return listeners.size > 0;
    },
  };
}

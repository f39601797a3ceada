/** Stops reading a long list from outside. */
import { AbortedError, createClient } from '@newsletter-kit/core';
import type { Setting } from './setting.ts';

export default async function program({ options, print }: Setting): Promise<void> {
  const client = createClient(options);
  const stop = new AbortController();
  let read = 0;
  try {
    for await (const { id } of client.subscriptions.list({ limit: 10 }, { signal: stop.signal })) {
      if (id && (read += 1) === 25) stop.abort();
    }
  } catch (error) {
    if (!(error instanceof AbortedError)) throw error;
    print(`stopped after ${read}`);
  }
}

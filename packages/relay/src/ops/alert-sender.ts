/** Sends alerts to a webhook, with retries. */
import type { Log } from '../log.ts';

/** Time limit of one attempt, in milliseconds. */
const attemptTimeoutMs = 10_000;

/** Waits between attempts, in milliseconds. */
const retryDelaysMs = [1000, 10_000, 60_000];

/** JSON body of an alert; `event` is its name. */
interface SentAlert {
  readonly event: string;
}

/** Posts each alert as JSON. A failure is logged and changes nothing else. */
export class AlertSender {
  readonly #webhook: string;
  readonly #log: Log;
  readonly #inFlight = new Set<Promise<void>>();
  readonly #stopping = new AbortController();

  constructor(webhook: string, log: Log) {
    this.#webhook = webhook;
    this.#log = log;
  }

  send(alert: SentAlert): void {
    const sending = withRetries(() => this.#post(alert), this.#stopping.signal)
      .catch((error: unknown) =>
        this.#log.error(
          { alert: alert.event, reason: error instanceof Error ? error.message : String(error) },
          'an alert could not be sent',
        ),
      )
      .then(() => void this.#inFlight.delete(sending));
    this.#inFlight.add(sending);
  }

  async #post(alert: SentAlert): Promise<void> {
    const answer = await fetch(this.#webhook, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(alert),
      signal: AbortSignal.timeout(attemptTimeoutMs),
    });
    await answer.body?.cancel();
    if (!answer.ok) throw new Error(`The webhook answered ${answer.status}.`);
  }

  /** Ends retries: each alert in flight gets one last attempt. */
  async stop(): Promise<void> {
    this.#stopping.abort();
    await Promise.all(this.#inFlight);
  }
}

/** Retries after each of {@link retryDelaysMs}, but not while the relay stops. */
async function withRetries(attempt: () => Promise<void>, stopping: AbortSignal): Promise<void> {
  for (const delayMs of retryDelaysMs) {
    try {
      return await attempt();
    } catch (error) {
      if (stopping.aborted) throw error;
      await new Promise<void>((resolve) => {
        const timer = setTimeout(resolve, delayMs).unref();
        stopping.addEventListener('abort', () => (clearTimeout(timer), resolve()), { once: true });
      });
    }
  }
  return attempt();
}

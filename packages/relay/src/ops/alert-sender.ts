/** Sends alerts to a webhook or a shell command, with retries. */
import { spawn } from 'node:child_process';
import type { Log } from '../log.ts';

/** Time limit of one attempt, in milliseconds. */
const attemptTimeoutMs = 10_000;

/** Waits between attempts, in milliseconds. */
const retryDelaysMs = [1000, 10_000, 60_000];

/** Options of {@link AlertSender}. */
export interface AlertSenderOptions {
  /** Address that alerts are posted to as JSON. */
  readonly webhook?: string | undefined;
  /** Shell command that gets an alert on its standard input and `RELAY_ALERT_EVENT` in its environment. */
  readonly command?: string | undefined;
  readonly log: Log;
}

/** JSON body of an alert; `event` is its name. */
interface SentAlert {
  readonly event: string;
}

type SendAlert = (alert: SentAlert) => Promise<void>;

/** Sends each alert to every configured receiver. A failure is logged and changes nothing else. */
export class AlertSender {
  readonly #receivers: readonly SendAlert[];
  readonly #log: Log;
  readonly #inFlight = new Set<Promise<void>>();
  readonly #stopping = new AbortController();

  constructor({ webhook, command, log }: AlertSenderOptions) {
    this.#receivers = [...(webhook ? [postTo(webhook)] : []), ...(command ? [runCommand(command)] : [])];
    this.#log = log;
  }

  get hasReceivers(): boolean {
    return this.#receivers.length > 0;
  }

  send(alert: SentAlert): void {
    for (const receiver of this.#receivers) {
      const sending = withRetries(() => receiver(alert), this.#stopping.signal)
        .catch((error: unknown) =>
          this.#log.error(
            { alert: alert.event, reason: error instanceof Error ? error.message : String(error) },
            'an alert could not be sent',
          ),
        )
        .then(() => void this.#inFlight.delete(sending));
      this.#inFlight.add(sending);
    }
  }

  /** Ends retries: each alert in flight gets one last attempt. */
  async stop(): Promise<void> {
    this.#stopping.abort();
    await Promise.all(this.#inFlight);
  }
}

function postTo(address: string): SendAlert {
  return async (alert) => {
    const answer = await fetch(address, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(alert),
      signal: AbortSignal.timeout(attemptTimeoutMs),
    });
    await answer.body?.cancel();
    if (!answer.ok) throw new Error(`The webhook answered ${answer.status}.`);
  };
}

function runCommand(command: string): SendAlert {
  return (alert) =>
    new Promise((resolve, reject) => {
      const child = spawn(command, {
        shell: true,
        stdio: ['pipe', 'ignore', 'ignore'],
        timeout: attemptTimeoutMs,
        env: { ...withoutSettings(process.env), RELAY_ALERT_EVENT: alert.event },
      });
      child.once('error', reject);
      child.once('close', (code) =>
        code === 0 ? resolve() : reject(new Error(`The command ended with ${code ?? 'a signal'}.`)),
      );
      // A command that does not read its input may have ended before the write.
      child.stdin.once('error', () => {}).end(`${JSON.stringify(alert)}\n`);
    });
}

/** Removes the relay's settings, which contain keys, from the environment of the command. */
function withoutSettings(variables: NodeJS.ProcessEnv): NodeJS.ProcessEnv {
  return Object.fromEntries(Object.entries(variables).filter(([name]) => !/^(RELAY|NEWSLETTER)_/.test(name)));
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

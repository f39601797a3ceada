/** The queue of webhook messages in SQLite. */
import type { SqliteGroupCommit } from '../group-commit.ts';
import { destinationChanges, numberOrNull, type Row, rowsAs, toWebhookMessage, webhookColumns } from '../rows.ts';
import {
  type WebhookBacklog,
  webhookClaimMs,
  type WebhookMessage,
  type WebhookOutcome,
  type WebhookQueue,
  type WebhookSubscription,
} from '../webhook-queue.ts';
import type { Statements } from './statements.ts';

/** Runs a query; a failure becomes a rejection with the error of the store interface. */
type Read = <T>(query: () => T) => Promise<T>;

export class SqliteWebhookQueue implements WebhookQueue {
  readonly #statements: Statements['webhooks'];
  readonly #commits: SqliteGroupCommit;
  readonly #read: Read;

  constructor({ webhooks }: Statements, commits: SqliteGroupCommit, read: Read) {
    this.#statements = webhooks;
    this.#commits = commits;
    this.#read = read;
  }

  async setDestinations(
    destinations: readonly WebhookSubscription[],
  ): Promise<{ readonly deleted: number; readonly held: readonly string[] }> {
    const changes = (): ReturnType<typeof destinationChanges> =>
      destinationChanges(this.#statements.destinations.all(), destinations);
    const { set, removed, held } = await this.#read(changes);
    // Most starts change nothing, and write nothing.
    if (set.length + removed.length === 0) return { deleted: 0, held };
    return this.#commits.run(() => {
      const { setDestination, removeDestination, removeMessages } = this.#statements;
      const current = changes();
      for (const each of current.set) setDestination.run(each);
      const deleted = current.removed.reduce((sum, name) => {
        removeDestination.run(name);
        return sum + Number(removeMessages.run(name).changes);
      }, 0);
      return { deleted, held };
    });
  }

  claim(destination: string, limit: number, now: number): Promise<readonly WebhookMessage[]> {
    return this.#commits.run(() => {
      const rows: Row[] = this.#statements.due.all({ destination, limit, now });
      const messages = rows.map(toWebhookMessage);
      for (const { seq } of messages) this.#statements.markSent.run({ seq, until: now + webhookClaimMs });
      return messages;
    });
  }

  settle(seq: number, outcome: WebhookOutcome): Promise<void> {
    return this.#commits.run(() => {
      if (outcome.state === 'delivered') this.#statements.delivered.run(seq);
      else this.#statements.failed.run({ seq, ...webhookColumns(outcome) });
    });
  }

  nextDueAt(destination: string): Promise<number | null> {
    return this.#read(() => numberOrNull(this.#statements.nextDue.get({ destination })?.['nextAttemptAt']));
  }

  pullForward(destination: string, now: number, longestMs: number): Promise<void> {
    return this.#commits.run(
      () => void this.#statements.pullForward.run({ destination, now, latest: now + longestMs }),
    );
  }

  hold(destination: string, reason: string): Promise<void> {
    return this.#commits.run(() => void this.#statements.hold.run({ destination, reason }));
  }

  resume(destination: string, now: number): Promise<boolean> {
    return this.#commits.run(() => {
      // What is in flight is due within the duration of a claim.
      this.#statements.pullForward.run({ destination, now, latest: now + webhookClaimMs });
      return Number(this.#statements.resume.run(destination).changes) > 0;
    });
  }

  redrive(destination: string): Promise<number> {
    return this.#commits.run(() => {
      this.#statements.countRedrive.run(destination);
      return Number(this.#statements.redrive.run(destination).changes);
    });
  }

  resumes(destination: string): Promise<number> {
    return this.#read(() => Number(this.#statements.resumes.get(destination)?.['resumes'] ?? 0));
  }

  overview(): Promise<readonly WebhookBacklog[]> {
    return this.#read(() => rowsAs<WebhookBacklog>(this.#statements.overview.all()));
  }
}

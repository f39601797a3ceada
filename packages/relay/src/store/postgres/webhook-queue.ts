/** The queue of webhook messages in PostgreSQL. */
import { asStoreUnavailable } from '../database-errors.ts';
import { destinationChanges, numberOrNull, type Row, rowsAs, toWebhookMessage, webhookColumns } from '../rows.ts';
import {
  type WebhookBacklog,
  webhookClaimMs,
  type WebhookMessage,
  type WebhookOutcome,
  type WebhookQueue,
  type WebhookSubscription,
} from '../webhook-queue.ts';
import { json } from './connections.ts';
import type { OpenDatabase } from './open-database.ts';
import { webhooks } from './statements.ts';

export class PostgresWebhookQueue implements WebhookQueue {
  readonly #database: Pick<OpenDatabase, 'brief' | 'long'>;

  constructor(database: Pick<OpenDatabase, 'brief' | 'long'>) {
    this.#database = database;
  }

  setDestinations(
    destinations: readonly WebhookSubscription[],
  ): Promise<{ readonly deleted: number; readonly held: readonly string[] }> {
    return asStoreUnavailable('written', async () => {
      const { set, removed, held } = destinationChanges(
        await this.#database.brief.query(webhooks.destinations),
        destinations,
      );
      if (set.length > 0) await this.#database.brief.query(webhooks.setDestinations, [json(set)]);
      if (removed.length === 0) return { deleted: 0, held };
      const deleted = (await this.#database.long.query(webhooks.removeDestinations, [removed])).length;
      return { deleted, held };
    });
  }

  async claim(destination: string, limit: number, now: number): Promise<readonly WebhookMessage[]> {
    const rows = await this.#write(webhooks.claim, [destination, limit, now, now + webhookClaimMs]);
    return rows.map(toWebhookMessage);
  }

  async settle(seq: number, outcome: WebhookOutcome): Promise<void> {
    if (outcome.state === 'delivered') await this.#write(webhooks.delivered, [seq]);
    else {
      const { nextAttemptAt, reason } = webhookColumns(outcome);
      await this.#write(webhooks.failed, [seq, nextAttemptAt, reason.replaceAll('\0', '')]);
    }
  }

  nextDueAt(destination: string): Promise<number | null> {
    return asStoreUnavailable('read', async () => {
      const [row] = await this.#database.brief.query(webhooks.nextDue, [destination]);
      return numberOrNull(row?.['nextAttemptAt']);
    });
  }

  async pullForward(destination: string, now: number, longestMs: number): Promise<void> {
    await this.#write(webhooks.pullForward, [destination, now, now + longestMs]);
  }

  async hold(destination: string, reason: string): Promise<void> {
    await this.#write(webhooks.hold, [destination, reason]);
  }

  async resume(destination: string, now: number): Promise<boolean> {
    // What is in flight is due within the duration of a claim.
    return (await this.#writeMany(webhooks.resume, [destination, now, now + webhookClaimMs])).length > 0;
  }

  async redrive(destination: string): Promise<number> {
    return (await this.#writeMany(webhooks.redrive, [destination])).length;
  }

  resumes(destination: string): Promise<number> {
    return asStoreUnavailable('read', async () => {
      const [row] = await this.#database.brief.query(webhooks.resumes, [destination]);
      return Number(row?.['resumes'] ?? 0);
    });
  }

  overview(): Promise<readonly WebhookBacklog[]> {
    return asStoreUnavailable('read', async () =>
      rowsAs<WebhookBacklog>(await this.#database.long.query(webhooks.overview)),
    );
  }

  #write(text: string, values: readonly unknown[]): Promise<readonly Row[]> {
    return asStoreUnavailable('written', () => this.#database.brief.query(text, values));
  }

  /** A command of an operator, which may change many rows. */
  #writeMany(text: string, values: readonly unknown[]): Promise<readonly Row[]> {
    return asStoreUnavailable('written', () => this.#database.long.query(text, values));
  }
}

/** Erases signups from the SQLite store: by filter, by person, and by retention; also from its write-ahead log. */
import { conditions } from '../conditions.ts';
import { firstIdOf, ledgerHashes, mailboxHash, suppressionHash } from '../signup-identity.ts';
import type { Retention, SignupFilter } from '../signup-store.ts';
import type { SqliteGroupCommit } from '../group-commit.ts';
import type { SqliteDriver } from './driver.ts';
import { dialect, filtered, type Statements } from './statements.ts';

/** Signups erased in one transaction. */
const batchSize = 500;

export class Erasure {
  readonly #db: SqliteDriver;
  readonly #statements: Statements;
  readonly #commits: SqliteGroupCommit;

  constructor(db: SqliteDriver, statements: Statements, commits: SqliteGroupCommit) {
    this.#db = db;
    this.#statements = statements;
    this.#commits = commits;
  }

  async discard(filter: SignupFilter): Promise<number> {
    const { sql, values } = conditions(filter, dialect);
    const count = await this.#commits.run(() => Number(this.#db.prepare(filtered.discard(sql)).run(...values).changes));
    this.#db.emptyLog();
    return count;
  }

  /** @returns how many signups, entries of the ledger, and delivered ones among the signups */
  async erase(
    address: string,
    { keepConsent = false }: { readonly keepConsent?: boolean | undefined } = {},
  ): Promise<{ readonly signups: number; readonly consents: number; readonly delivered: number }> {
    const [person, spelling] = ledgerHashes(address);
    const { erase, eraseConsents, eraseMailbox, uncover, suppress, webhooks } = this.#statements;
    const { states, consents } = await this.#commits.run(() => {
      webhooks.reportErasure.run({ person, spelling, now: Date.now() });
      suppress.run(suppressionHash(address));
      // First the ledger: a signup takes its request along.
      const consents = keepConsent ? 0 : Number(eraseConsents.run(person, spelling).changes);
      const states = erase.all({ person }).map(({ state }) => state);
      eraseMailbox.run(mailboxHash(address));
      uncover.run(mailboxHash(address));
      return { states, consents };
    });
    this.#db.emptyLog();
    const delivered = states.filter((state) => state === 'delivered').length;
    return { signups: states.length, consents, delivered };
  }

  async expire(
    { delivered, review, dead, unconfirmed, consent, mailboxes = null }: Retention,
    at: number,
  ): Promise<number> {
    const { set, expireDelivered, expireReceived, expireConsent, expireMailboxes, scans, webhooks } = this.#statements;
    const limit = batchSize;
    const beforeId = firstIdOf;
    const joined = await this.#commits.run(() => Number(scans.joinReview.run().changes));
    const erased =
      joined +
      (await this.#inBatches(delivered, (before) => expireDelivered.run({ before, limit }))) +
      (await this.#inBatches(review, (before) =>
        expireReceived.run({ state: 'review', beforeId: beforeId(before), limit }),
      )) +
      (await this.#inBatches(unconfirmed, (before) =>
        expireReceived.run({ state: 'unconfirmed', beforeId: beforeId(before), limit }),
      )) +
      (await this.#inBatches(dead, (before) => scans.expireDead.run({ before, limit }))) +
      (await this.#inBatches(dead, (before) => webhooks.expire.run({ before, limit }))) +
      (await this.#inBatches(mailboxes, (before) => expireMailboxes.run({ before, limit }))) +
      (await this.#inBatches(consent, (before) => expireConsent.run({ before, beforeId: beforeId(before), limit })));
    await this.#commits.run(() => set.run({ name: 'last erasure', value: String(at) }));
    this.#db.emptyLog();
    return erased;
  }

  /** Erases in batches, so that new signups do not wait for one long transaction. */
  async #inBatches(
    before: number | null,
    erase: (before: number) => { readonly changes: number | bigint },
  ): Promise<number> {
    if (before === null) return 0;
    let erased = 0;
    for (;;) {
      const changed = await this.#commits.run(() => Number(erase(before).changes));
      erased += changed;
      if (changed < batchSize) return erased;
    }
  }
}

/** Store of the inbox: the e-mails the service would have sent, and the e-mails that subscribers still wait for. */
import type { Database } from './database.ts';

export type MessageKind = 'confirmation' | 'welcome' | 'automation';

/** An e-mail as stored; its text is made from this when it is read. */
export interface MessageRow {
  readonly seq: number;
  readonly id: string;
  readonly subscription: number;
  readonly publication_id: string;
  readonly recipient: string;
  readonly kind: MessageKind;
  readonly subject: string;
  /** Milliseconds of the sandbox's clock. */
  readonly sent: number;
}

/** What a subscriber is still to be sent; flags are 0 or 1. */
export interface MailState {
  readonly status: string;
  /** The confirmation was sent, and the subscriber has been pending since. */
  readonly asked: number;
  /** A welcome was ordered and not sent yet. */
  readonly welcome: number;
}

export type Inbox = ReturnType<typeof inboxStore>;

export function inboxStore(database: Database) {
  const insert = database.prepare(
    'INSERT INTO inbox (seq, id, subscription, publication_id, recipient, kind, subject, sent) VALUES (?, ?, ?, ?, ?, ?, ?, ?)',
  );
  const bySeq = database.prepare<MessageRow>('SELECT * FROM inbox WHERE seq = ?');
  const byId = database.prepare<MessageRow>('SELECT * FROM inbox WHERE id = ?');
  const latest = database.prepare<MessageRow>(
    "SELECT * FROM inbox WHERE ?1 = '' OR recipient = ?1 COLLATE NOCASE ORDER BY seq DESC LIMIT ?2",
  );
  const total = database.prepare<{ n: number }>(
    "SELECT count(*) AS n FROM inbox WHERE ?1 = '' OR recipient = ?1 COLLATE NOCASE",
  );
  const removeOne = database.prepare('DELETE FROM inbox WHERE id = ?');
  const removeAll = database.prepare('DELETE FROM inbox');
  const forget = database.prepare('DELETE FROM inbox WHERE subscription = ?');
  const state = database.prepare<MailState>(
    `SELECT status, coalesce(asked, 0) AS asked, coalesce(welcome, 0) AS welcome
     FROM subscriptions LEFT JOIN awaited_mail ON subscription = seq WHERE seq = ?`,
  );
  const setState = database.prepare(
    'INSERT OR REPLACE INTO awaited_mail (subscription, asked, welcome) VALUES (?, ?, ?)',
  );
  const clearState = database.prepare('DELETE FROM awaited_mail WHERE subscription = ?');
  return {
    insert: (row: MessageRow): void =>
      insert.run(row.seq, row.id, row.subscription, row.publication_id, row.recipient, row.kind, row.subject, row.sent),
    bySeq: (seq: number) => bySeq.get(seq),
    byId: (id: string) => byId.get(id),
    /** Newest first; of one recipient, or of all where that is empty. */
    latest: (recipient: string, limit: number) => latest.all(recipient, limit),
    total: (recipient: string): number => total.get(recipient)?.n ?? 0,
    removeOne: (id: string): void => removeOne.run(id),
    removeAll: (): void => removeAll.run(),
    /** Deletes every message and state of a subscription. */
    forget(subscription: number): void {
      forget.run(subscription);
      clearState.run(subscription);
    },
    state: (subscription: number) => state.get(subscription),
    setState(subscription: number, { asked, welcome }: Pick<MailState, 'asked' | 'welcome'>): void {
      if (asked || welcome) setState.run(subscription, asked, welcome);
      else clearState.run(subscription);
    },
  };
}

/** Store of the inbox: the e-mails the service would have sent, and the e-mails that subscribers still wait for. */
import { type Database, statementsOf } from './database.ts';
import type { Row } from './tables.ts';

export type MessageKind = 'confirmation' | 'welcome' | 'automation';

/** An e-mail as stored; its text is made from this when it is read. */
export type MessageRow = Row<'inbox'> & { readonly kind: MessageKind };

/** What a subscriber is still to be sent; flags are 0 or 1. */
export interface MailState {
  readonly status: string;
  /** The confirmation was sent, and the subscriber has been pending since. */
  readonly asked: number;
  /** A welcome was ordered and not sent yet. */
  readonly welcome: number;
}

export function inboxStore(database: Database) {
  const { number, one, all, run } = statementsOf(database);
  const ofRecipient = "?1 = '' OR recipient = ?1 COLLATE NOCASE";
  const forget = run<[subscription: number]>('DELETE FROM inbox WHERE subscription = ?');
  const setState = run<[subscription: number, asked: number, welcome: number]>(
    'INSERT OR REPLACE INTO awaited_mail (subscription, asked, welcome) VALUES (?, ?, ?)',
  );
  const clearState = run<[subscription: number]>('DELETE FROM awaited_mail WHERE subscription = ?');
  return {
    bySeq: one<MessageRow, [seq: number]>('SELECT * FROM inbox WHERE seq = ?'),
    byId: one<MessageRow, [id: string]>('SELECT * FROM inbox WHERE id = ?'),
    /** Newest first; of one recipient, or of all where that is empty. */
    latest: all<MessageRow, [recipient: string, limit: number]>(
      `SELECT * FROM inbox WHERE ${ofRecipient} ORDER BY seq DESC LIMIT ?2`,
    ),
    total: number<[recipient: string]>(`SELECT count(*) AS n FROM inbox WHERE ${ofRecipient}`),
    removeOne: run<[id: string]>('DELETE FROM inbox WHERE id = ?'),
    removeAll: run('DELETE FROM inbox'),
    /** Deletes every message and state of a subscription. */
    forget(subscription: number): void {
      forget(subscription);
      clearState(subscription);
    },
    state: one<MailState, [subscription: number]>(
      `SELECT status, coalesce(asked, 0) AS asked, coalesce(welcome, 0) AS welcome
       FROM subscriptions LEFT JOIN awaited_mail ON subscription = seq WHERE seq = ?`,
    ),
    setState(subscription: number, { asked, welcome }: Pick<MailState, 'asked' | 'welcome'>): void {
      if (asked || welcome) setState(subscription, asked, welcome);
      else clearState(subscription);
    },
  };
}

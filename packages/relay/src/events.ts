/** Events of a relay, counted by metrics and reported by alerts. They contain no address and no secret. */

import type { LimitKind } from './config/relay.ts';

/** Why a signup is kept for review or held, by the first cause found: its name in metrics, and what operators read. */
export const suspicions = {
  honeypot: 'the honeypot was filled in',
  'no-proof': 'it came without JavaScript while a proof was required',
  turnstile: 'Turnstile did not answer',
  'mail-domain': 'its domain receives no mail',
  'blocked-domain': 'its domain is in the list of blocked ones',
  'mails-per-hour': 'the form had sent its confirmation mails of the hour',
  'mailbox-limit': 'the mailbox had reached its limit',
} as const;

/** The name of such a cause. */
export type Suspicion = keyof typeof suspicions;

/** What signups need: the store, the API, the mail server, room for mails in the hour, a destination of webhooks. */
export type Fallible = 'store' | 'api' | 'mailServer' | 'mails' | 'webhooks';

/** That something fails. */
export interface FailingEvent {
  readonly type: 'failing';
  readonly what: Fallible;
  /** The API key or publication, the form or the destination; empty for the whole relay. */
  readonly scope: string;
  /** The forms that it concerns; empty for all. */
  readonly forms: readonly string[];
  readonly reason: string;
  /** Whether it does not pass by itself. */
  readonly needsOperator: boolean;
  /** Status of the API's answer; null without a readable one. */
  readonly status?: number | null | undefined;
}

/** One event. Its texts are safe to show. */
export type RelayEvent =
  /**
   * A post was answered with 202. `suspectedBecause`: the signup waits for review or, with `heldUntil`, its mail until
   * then; null if it does not. `needsConfirmation`: it waits for a click in a mail. `tookMs`: until the commit.
   */
  | {
      readonly type: 'accepted';
      readonly form: string;
      readonly suspectedBecause: Suspicion | null;
      readonly heldUntil?: number | undefined;
      readonly needsConfirmation: boolean;
      readonly tookMs: number;
    }
  /**
   * A post to a form was refused. `limit`: the rate limit it exceeded. `form`: null if unknown. `times`: how many
   * posts, where a Worker reports several at once; default 1.
   */
  | {
      readonly type: 'refused';
      readonly form: string | null;
      readonly status: number;
      readonly codes: readonly string[];
      readonly limit?: LimitKind | undefined;
      readonly times?: number | undefined;
    }
  /** The API has the signup. `status`: its word about the subscription as it came; null if that is unknown. */
  | {
      readonly type: 'delivered';
      readonly form: string;
      readonly waitedMs: number;
      readonly status: string | null;
    }
  /** What the API said when it was asked once more, where `delivered` came with `validating` or `pending`. */
  | { readonly type: 'statusKnown'; readonly form: string; readonly status: string | null }
  /** An attempt failed; the signup is retried later. */
  | { readonly type: 'retryScheduled'; readonly form: string; readonly cause: string }
  /** The API refused a signup for good; with `ofMail`, the mail server refused its confirmation mail. */
  | {
      readonly type: 'deadLetter';
      readonly signup: string;
      readonly form: string;
      readonly reason: string;
      readonly ofMail?: boolean;
    }
  /** Something fails from now on, or for another reason than before. */
  | FailingEvent
  /** It works again, or there is room again. */
  | { readonly type: 'works'; readonly what: Fallible; readonly scope: string }
  /** The mail server has accepted a confirmation mail. `waitedMs`: since it was due. */
  | { readonly type: 'confirmationSent'; readonly form: string; readonly waitedMs: number }
  /** A person has confirmed a signup. `waitedMs`: since the signup was received. */
  | { readonly type: 'confirmed'; readonly form: string; readonly waitedMs: number }
  /** A person has left by the program that shows their mails. `isDelivered`: the API has the signup. */
  | { readonly type: 'left'; readonly form: string; readonly isDelivered: boolean }
  /** A webhook was sent to a destination; `waiting`: not accepted, it will be sent again; `dead`: it was given up. */
  | {
      readonly type: 'webhookAttempted';
      readonly destination: string;
      readonly result: 'delivered' | 'waiting' | 'dead';
    }
  /** A call or an answer of the API differs from its specification, and the delivery went on: once for each field. */
  | { readonly type: 'apiDeviated'; readonly operation: string; readonly field: string; readonly problem: string };

/** Posts that were refused. */
export type RefusedEvent = Extract<RelayEvent, { type: 'refused' }>;

/** Receives events. It must return at once and never throw. */
export type EventListener = (event: RelayEvent) => void;

/** A handler for each type of event; types left out are ignored. */
export type EventHandlers = {
  readonly [Type in RelayEvent['type']]?: (event: Extract<RelayEvent, { type: Type }>) => void;
};

/** An {@link EventListener} that passes each event to the handler of its type. */
export function eventListener(handlers: EventHandlers): EventListener {
  // Each handler takes the events of its own type. The table's type ensures that; a lookup by a union type cannot.
  const table = handlers as Readonly<Record<string, ((event: RelayEvent) => void) | undefined>>;
  return (event) => table[event.type]?.(event);
}

/** The events of one relay: its parts report to it, and listen to what concerns them. */
export class Events {
  readonly #listeners: EventListener[] = [];

  /** @param listener - receives every event */
  constructor(listener?: EventListener) {
    if (listener) this.#listeners.push(listener);
  }

  /** Listens from now on. A handler must return at once and never throw. */
  on(handlers: EventHandlers): void {
    this.onEach(eventListener(handlers));
  }

  /** Listens to every event from now on. */
  onEach(listener: EventListener): void {
    this.#listeners.push(listener);
  }

  readonly emit: EventListener = (event) => {
    for (const listener of this.#listeners) listener(event);
  };
}

/** What fails at present. */
export function followFailures(events: Pick<Events, 'on'>): () => readonly FailingEvent[] {
  const open = new Map<string, FailingEvent>();
  events.on({
    failing: (event) => open.set(`${event.what} ${event.scope}`, event),
    works: ({ what, scope }) => open.delete(`${what} ${scope}`),
  });
  return () => [...open.values()];
}

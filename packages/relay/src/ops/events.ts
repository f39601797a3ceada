/** Events of a relay, counted by metrics and reported by alerts. They contain no address and no secret. */

import type { LimitKind } from '../admission/rate-limits.ts';

/** One event. Texts are safe to show. */
export type Happening =
  /** A post was answered with 202. `suspected`: it waits for review. */
  | { readonly what: 'kept'; readonly form: string; readonly suspected: boolean; readonly tookMs: number }
  /** A post to a form was refused. `limit`: the one it exceeded. `form`: null where it is not known. */
  | {
      readonly what: 'refused';
      readonly form: string | null;
      readonly status: number;
      readonly codes: readonly string[];
      readonly limit?: LimitKind | undefined;
    }
  /** The API has it. */
  | { readonly what: 'delivered'; readonly form: string; readonly waitedMs: number }
  /** An attempt failed; the signup waits. */
  | { readonly what: 'putOff'; readonly form: string; readonly trouble: string }
  /** The API refused a signup for good; or, with `ofMail`, the mail server its confirmation mail. */
  | {
      readonly what: 'dead';
      readonly signup: string;
      readonly form: string;
      readonly reason: string;
      readonly ofMail?: boolean;
    }
  /**
   * The API takes no signups of `scope`, a key or a publication, at present. `forms`: those that have it. `status`: the
   * status of its answer; null where there is no answer that can be read. `trouble`: `status 401`, `TimeoutError`, …
   * `needsOperator`: it will not take them again by itself.
   */
  | {
      readonly what: 'stalled';
      readonly scope: string;
      readonly forms: readonly string[];
      readonly status: number | null;
      readonly trouble: string;
      readonly reason: string;
      readonly needsOperator: boolean;
    }
  /** The API takes signups of `scope` again. */
  | { readonly what: 'flowing'; readonly scope: string }
  /** The mail server has taken a confirmation mail. `waitedMs`: since the signup came in. */
  | { readonly what: 'confirmationSent'; readonly form: string; readonly waitedMs: number }
  /** A person has clicked the link in it. `waitedMs`: since the signup came in. */
  | { readonly what: 'confirmed'; readonly form: string; readonly waitedMs: number }
  /** The mail server takes no mails at present. `needsOperator`: it will not by itself. */
  | { readonly what: 'mailStalled'; readonly reason: string; readonly needsOperator: boolean }
  /** The mail server takes mails again. */
  | { readonly what: 'mailFlowing' }
  /** The store cannot write or read. */
  | { readonly what: 'storeFailed'; readonly reason: string }
  | { readonly what: 'storeWorks' };

/** Takes note of what happens. It must return at once and never throw. */
export type Notice = (happening: Happening) => void;

/** What to do about each kind of happening; kinds left out are of no interest. */
export type Handlers = {
  readonly [What in Happening['what']]?: (happening: Extract<Happening, { what: What }>) => void;
};

/** A {@link Notice} that hands each happening to its own handler. */
export function noticing(handlers: Handlers): Notice {
  // Each entry takes the happenings of its own name; the table's type says so, a lookup by a union cannot.
  const table = handlers as Readonly<Record<string, ((happening: Happening) => void) | undefined>>;
  return (happening) => table[happening.what]?.(happening);
}

/** One notice for several listeners; the list may still grow. */
export function noticeAll(notices: readonly Notice[]): Notice {
  return (happening) => notices.forEach((notice) => notice(happening));
}

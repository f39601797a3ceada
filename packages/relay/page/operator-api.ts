/** Calls the relay's operator API with the token that is kept in this tab. */

import type { Question } from '@newsletter-kit/pages';

/** What the parts of the operator's page need of the page around them. */
export interface OperatorActions {
  /** Runs an action of a button and shows its error. */
  run(action: () => Promise<void> | void): Promise<void>;
  /** Asks before something that cannot be undone. */
  confirm(question: Question): Promise<boolean>;
  /** Reads what is shown again, and moves the focus away from a list entry that an action removes. */
  leaveList(origin: EventTarget | null): Promise<void>;
  refresh(): Promise<void>;
}

/** The address of the relay: the page's own, which may end with a slash, is below it. */
export const relayAddress = location.href.replace(/\/operator\/?([?#].*)?$/, '');

/** The key of the token in the session storage. */
const storageKey = 'newsletter-relay-operator';

/** The relay refused the token, or there is none. */
export class SignedOutError extends Error {}

export function hasToken(): boolean {
  return sessionStorage.getItem(storageKey) !== null;
}

export function keepToken(token: string): void {
  sessionStorage.setItem(storageKey, token);
}

export function forgetToken(): void {
  sessionStorage.removeItem(storageKey);
}

/**
 * @param path - below `operator/api/`
 * @throws SignedOutError for 401; Error in the relay's own words for any other refusal
 */
export async function request<Answer>(path: string, method: 'GET' | 'POST' = 'GET', body?: unknown): Promise<Answer> {
  const response = await fetch(`${relayAddress}/operator/api/${path}`, {
    method,
    ...(body !== undefined && { body: JSON.stringify(body) }),
    headers: {
      authorization: `Bearer ${sessionStorage.getItem(storageKey) ?? ''}`,
      'content-type': 'application/json',
    },
  });
  if (response.status === 401) throw new SignedOutError();
  const answer = (await response.json()) as Answer & { readonly errors?: readonly { readonly message: string }[] };
  if (!response.ok) throw new Error(answer.errors?.[0]?.message ?? `The relay answered ${response.status}.`);
  return answer;
}

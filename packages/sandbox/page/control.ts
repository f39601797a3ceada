/** Calls the sandbox's control API, `/_sandbox/…`, and names the operations of the API. */
import { operations } from '@newsletter-kit/core/contract';

/** What {@link ask} sends. */
interface ControlRequest {
  readonly method?: 'GET' | 'POST' | 'PUT' | 'DELETE';
  readonly body?: unknown;
}

/**
 * @param path - below `/_sandbox`
 * @throws Error with the sandbox's message for an error answer
 */
export async function ask<Answer>(path: string, { method = 'GET', body }: ControlRequest = {}): Promise<Answer> {
  const response = await fetch(`/_sandbox${path}`, {
    method,
    ...(body !== undefined && { body: JSON.stringify(body), headers: { 'Content-Type': 'application/json' } }),
  });
  const text = await response.text();
  const answer: unknown = text === '' ? null : JSON.parse(text);
  if (response.ok) return answer as Answer;
  const { errors = [] } = (answer ?? {}) as { readonly errors?: readonly { readonly message: string }[] };
  throw new Error(errors.map(({ message }) => message).join(' ') || `The sandbox answered ${response.status}.`);
}

/** What each operation does, by its id. */
export const summaries: ReadonlyMap<string, string> = new Map(operations.map(({ id, doc }) => [id, doc]));

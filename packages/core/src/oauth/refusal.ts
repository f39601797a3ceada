/** Turns what the engine and oauth4webapi throw into errors of a login, without what must stay secret. */
import { OperationProcessingError, UnsupportedOperationError } from 'oauth4webapi';
import type { OperationId } from '../contract/index.ts';
import { ApiError, InvalidAnswerError, redact } from '../engine/index.ts';
import { withoutSecrets } from '../engine/redact.ts';
import { OAuthError } from './errors.ts';

/**
 * Runs one step of a login.
 *
 * @param secrets - what the service might repeat in its messages
 */
export async function speakOAuth<T>(
  operation: OperationId,
  secrets: readonly (string | null | undefined)[],
  step: () => Promise<T>,
): Promise<T> {
  try {
    return await step();
  } catch (error) {
    if (error instanceof ApiError)
      throw refusal(
        error,
        secrets.filter((secret) => typeof secret === 'string'),
      );
    // Their causes hold the answer, tokens and all; their messages name only what is wrong with it.
    if (error instanceof OperationProcessingError || error instanceof UnsupportedOperationError) {
      throw new InvalidAnswerError(operation, 200, [error.message]);
    }
    throw error;
  }
}

function refusal(error: ApiError, secrets: readonly string[]): OAuthError {
  const { operation, status, errors } = error;
  const [first] = errors;
  const clean = (text: string | undefined): string => redact(text ?? '', secrets);
  return new OAuthError(operation, clean(first?.code), {
    status,
    description: clean(first?.message),
    cause: withoutSecrets(error, secrets),
  });
}

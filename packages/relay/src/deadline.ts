/** A time limit for an answer that somebody waits for. */

/** Time in which a visitor is answered, in milliseconds: five seconds, with some left for the way. */
export const answerWithinMs = 4500;

/** What {@link within} throws. */
export class DeadlineError extends Error {
  override readonly name = 'DeadlineError';
}

/** The promise's value. @throws DeadlineError after `ms` milliseconds; the work itself goes on */
export async function within<T>(ms: number, work: Promise<T>): Promise<T> {
  const over = Promise.withResolvers<never>();
  const timer = setTimeout(() => {
    over.reject(
      new DeadlineError(
        `It took longer than ${ms / 1000} seconds: something it asked, such as the store, does not answer.`,
      ),
    );
  }, ms);
  try {
    return await Promise.race([work, over.promise]);
  } finally {
    clearTimeout(timer);
  }
}

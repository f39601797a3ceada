/** A time limit for an answer that somebody waits for. */

/** Time in which a visitor is answered, in milliseconds: five seconds, with some left for the way. */
export const answerWithinMs = 4500;

/** What a {@link Deadline} throws. */
export class DeadlineError extends Error {
  override readonly name = 'DeadlineError';
}

/** Rejects whatever is awaited through it once its time is over. The work itself goes on. */
export class Deadline {
  readonly #ms: number;
  readonly #over = Promise.withResolvers<never>();
  #timer: NodeJS.Timeout | undefined;

  /** Starts it. */
  constructor(ms: number) {
    this.#ms = ms;
    // Nobody may be waiting when it passes.
    this.#over.promise.catch(() => undefined);
    this.start();
  }

  /** Grants the whole time, from now on. */
  start(): void {
    this.stop();
    this.#timer = setTimeout(() => {
      this.#over.reject(
        new DeadlineError(
          `It took longer than ${this.#ms / 1000} seconds: something it asked, such as the store, does not answer.`,
        ),
      );
    }, this.#ms);
  }

  stop(): void {
    clearTimeout(this.#timer);
  }

  /** The promise's value. @throws DeadlineError once the time is over */
  race<T>(work: Promise<T>): Promise<T> {
    return Promise.race([work, this.#over.promise]);
  }
}

/** The promise's value. @throws DeadlineError after `ms` milliseconds */
export async function within<T>(ms: number, work: Promise<T>): Promise<T> {
  const deadline = new Deadline(ms);
  try {
    return await deadline.race(work);
  } finally {
    deadline.stop();
  }
}

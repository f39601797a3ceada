/** Circuit breakers whose opening and closing is logged, and told to metrics, alerts and operators. */
import type { RelayContext } from './context.ts';
import type { FailingEvent } from './events.ts';
import { CircuitBreaker, type DeliveryFailure } from './queue/circuit-breaker.ts';
import type { BackoffOptions } from './queue/retry.ts';

/** A failure with its words. */
type ToldFailure = DeliveryFailure & Pick<FailingEvent, 'reason' | 'needsOperator' | 'status'>;

/** Options of {@link toldCircuit}. */
export interface CircuitOptions<F extends ToldFailure> extends Pick<FailingEvent, 'what' | 'scope' | 'forms'> {
  readonly backoff: BackoffOptions;
  /** What the log says when it opens, and when it closes. */
  readonly words: readonly [fails: string, works: string];
  /** What the log says beside that. */
  readonly facts: (failure?: F) => object;
}

export function toldCircuit<F extends ToldFailure>(
  { log, events, now, random }: Pick<RelayContext, 'log' | 'events' | 'now' | 'random'>,
  { what, scope, forms, backoff, words: [fails, works], facts }: CircuitOptions<F>,
): CircuitBreaker<F> {
  return new CircuitBreaker<F>({
    backoff,
    now,
    random,
    onOpen(failure) {
      const { reason, needsOperator, status } = failure;
      log[needsOperator ? 'error' : 'warn']({ ...facts(failure), reason }, fails);
      events.emit({ type: 'failing', what, scope, forms, reason, needsOperator, status });
    },
    onClose() {
      log.info(facts(), works);
      events.emit({ type: 'works', what, scope });
    },
  });
}

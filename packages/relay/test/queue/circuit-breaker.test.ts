/** When a circuit breaker opens, how long it stays open, and what it reports. */
import { beforeEach, describe, expect, it, vi } from 'vitest';
import { CircuitBreaker, createApiCircuits, type DeliveryFailure } from '../../src/queue/circuit-breaker.ts';
import { decideRetry, defaultBackoff, type Retry } from '../../src/queue/retry.ts';

const hourMs = 3_600_000;
const startAt = Date.UTC(2026, 10, 23);
let now = startAt;
const onOpen = vi.fn<(failure: DeliveryFailure) => void>();
const onClose = vi.fn<() => void>();

/** A circuit breaker whose first pause is 750 ms: a second with the jitter of a random number of 0.5. */
function breaker<F extends DeliveryFailure = DeliveryFailure>(): CircuitBreaker<F> {
  return new CircuitBreaker<F>({ backoff: defaultBackoff, now: () => now, random: () => 0.5, onOpen, onClose });
}

beforeEach(() => {
  now = startAt;
  onOpen.mockReset();
  onClose.mockReset();
});

describe('a circuit breaker', () => {
  it('opens at the third possible failure in succession', () => {
    const circuit = breaker();
    circuit.recordPossibleFailure({ cause: 'status 500' });
    circuit.recordPossibleFailure({ cause: 'status 500' });
    expect([circuit.openForMs, circuit.isFailing]).toEqual([0, false]);
    circuit.recordPossibleFailure({ cause: 'status 500' });
    expect([circuit.openForMs, circuit.isFailing]).toEqual([750, true]);
    expect(onOpen).toHaveBeenCalledExactlyOnceWith({ cause: 'status 500' });
  });

  it('counts possible failures from zero after a success', () => {
    const circuit = breaker();
    for (let n = 0; n < 2; n += 1) circuit.recordPossibleFailure({ cause: 'status 500' });
    circuit.recordSuccess();
    for (let n = 0; n < 2; n += 1) circuit.recordPossibleFailure({ cause: 'status 500' });
    expect(circuit.isFailing).toBe(false);
    expect(onClose).not.toHaveBeenCalled();
  });

  it('is open for its pause, and fails until a success', () => {
    const circuit = breaker();
    circuit.open({ cause: 'status 401' });
    now += 749;
    expect(circuit.openForMs).toBe(1);
    now += 1;
    expect([circuit.openForMs, circuit.isFailing]).toEqual([0, true]);
    circuit.recordSuccess();
    expect([circuit.openForMs, circuit.isFailing]).toEqual([0, false]);
  });

  it('lets one call through at once after an operator ended its pause', () => {
    const circuit = breaker();
    circuit.open({ cause: 'status 401', retryAfterMs: hourMs });
    circuit.endPause();
    expect([circuit.openForMs, circuit.isFailing]).toEqual([0, true]);
  });

  it('opens at one possible failure while it fails, with twice the pause', () => {
    const circuit = breaker();
    circuit.open({ cause: 'status 503' });
    now += 750;
    circuit.recordPossibleFailure({ cause: 'status 503' });
    expect(circuit.openForMs).toBe(1500);
  });

  it('counts several failures within a pause as one', () => {
    const circuit = breaker();
    for (let n = 0; n < 5; n += 1) circuit.open({ cause: 'status 503' });
    expect(circuit.openForMs).toBe(750);
    now += 750;
    circuit.open({ cause: 'status 503' });
    expect(circuit.openForMs).toBe(1500);
  });

  it('keeps the longer of two pauses', () => {
    const circuit = breaker();
    circuit.open({ cause: 'status 429', retryAfterMs: 60_000 });
    circuit.open({ cause: 'status 429' });
    expect(circuit.openForMs).toBe(60_050);
  });

  it('reports each new cause once, and its end once', () => {
    const circuit = breaker();
    for (const cause of ['status 401', 'status 401', 'status 403']) circuit.open({ cause });
    expect(onOpen.mock.calls.map(([{ cause }]) => cause)).toEqual(['status 401', 'status 403']);
    circuit.recordSuccess();
    circuit.recordSuccess();
    expect(onClose).toHaveBeenCalledOnce();
    circuit.open({ cause: 'status 403' });
    expect(onOpen).toHaveBeenCalledTimes(3);
  });

  it('closes after the clock was set back by more than any pause', () => {
    const circuit = breaker();
    circuit.open({ cause: 'status 503' });
    now += 750 - 2 * hourMs;
    expect(circuit.openForMs).toBe(2 * hourMs);
    now -= 1;
    expect(circuit.openForMs).toBe(0);
  });
});

describe('the circuit breakers of an API key and a publication', () => {
  const retryOf = (changes: Partial<Retry>): Retry => {
    const decision = decideRetry(new Error('failed'));
    if (decision.kind !== 'retry') throw new Error('An unknown error is retried.');
    return { ...decision, ...changes };
  };
  const circuits = () => {
    const [key, publication] = [breaker<Retry>(), breaker<Retry>()];
    return { key, publication, both: createApiCircuits(key, publication) };
  };

  it.each([
    ['key', [750, 0]],
    ['publication', [0, 750]],
    ['unknown', [0, 0]],
  ] as const)('a failure of scope %s opens its own', (scope, expected) => {
    const { key, publication, both } = circuits();
    both.recordFailure(retryOf({ scope }));
    expect([key.openForMs, publication.openForMs]).toEqual(expected);
    expect(both.openForMs).toBe(Math.max(...expected));
    expect(both.isFailing).toBe(Math.max(...expected) > 0);
  });

  it('failures of unknown scope open that of the key', () => {
    const { key, both } = circuits();
    for (let n = 0; n < 3; n += 1) both.recordFailure(retryOf({ scope: 'unknown' }));
    expect(key.openForMs).toBe(750);
  });

  it('a success closes both', () => {
    const { key, publication, both } = circuits();
    both.recordFailure(retryOf({ scope: 'key' }));
    both.recordFailure(retryOf({ scope: 'publication', retryAfterMs: 60_000 }));
    expect(both.openForMs).toBe(60_050);
    both.recordSuccess();
    expect([key.isFailing, publication.isFailing, both.isFailing]).toEqual([false, false, false]);
  });
});

/** People who sign up while relays are killed and the API fails, and the judgement that nobody of them was lost. */
import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import fc from 'fast-check';
import { expect } from 'vitest';
import type { ServingRelay } from '../../packages/relay/test/commands/relay-process.ts';
import { waitUntil } from '../support/waits.ts';
import { calm, type StormyApi } from './stormy-api.ts';

/** How many sign up at a time. */
export const callers = 24;

/** Most signups a relay has sent and not yet written down when it is killed. */
const underWay = 5;

/** Ends what would never happen, in milliseconds. */
export function timeLimitOf(signups: number): number {
  return 240_000 + signups * 60;
}

/** Random numbers from 0 to 1, the same for the same seed. */
export function seeded(): () => number {
  const chance = fc.nat(2 ** 30 - 1).map((n) => n / 2 ** 30);
  const [stream] = fc.sample(fc.infiniteStream(chance, { noHistory: true }), { numRuns: 1, unbiased: true });
  return () => stream?.next().value ?? 0;
}

/**
 * People who sign up, all at once, wherever a relay answers; each tries again under the same key until there is an
 * answer.
 */
export class Crowd {
  readonly acknowledged = new Set<string>();
  /** Number of posts answered with 503. */
  turnedAway = 0;
  #next = 0;
  readonly #relays: () => readonly Pick<ServingRelay, 'signUp'>[];
  readonly #random: () => number;
  readonly #more: Readonly<Record<string, unknown>>;
  readonly size: number;
  readonly #timeLimit: number;

  constructor(
    relays: () => readonly Pick<ServingRelay, 'signUp'>[],
    random: () => number,
    more: Readonly<Record<string, unknown>>,
    size: number,
  ) {
    this.#relays = relays;
    this.#random = random;
    this.#more = more;
    this.size = size;
    this.#timeLimit = timeLimitOf(size);
  }

  get isDone(): boolean {
    return this.#next >= this.size;
  }

  /**
   * Waits for so many more to be acknowledged: what happens to the relays then happens under load, however fast the
   * machine is.
   */
  async grows(more: number): Promise<void> {
    const enough = this.acknowledged.size + more;
    await waitUntil(
      'more people have signed up',
      () => this.acknowledged.size >= enough || this.isDone,
      this.#timeLimit,
    );
  }

  async run(): Promise<void> {
    await Promise.all(Array.from({ length: callers }, () => this.#call()));
  }

  async #call(): Promise<void> {
    while (!this.isDone) {
      const email = `person-${this.#next++}@example.com`;
      const key = randomUUID();
      for (const end = Date.now() + this.#timeLimit; Date.now() < end;) {
        const status = await this.#post(email, key);
        if (status === 202) {
          this.acknowledged.add(email);
          break;
        }
        if (status === 503) this.turnedAway += 1;
        await sleep(100 * this.#random());
      }
    }
  }

  /** @returns the status, or null where no answer came */
  async #post(email: string, key: string): Promise<number | null> {
    const relays = this.#relays();
    const relay = relays[Math.floor(this.#random() * relays.length)];
    if (!relay) return null;
    try {
      const answer = await relay.signUp(email, this.#more, { 'idempotency-key': key });
      await answer.arrayBuffer();
      return answer.status;
    } catch {
      return null;
    }
  }
}

/** Waits until everybody who had a 202 is subscribed, and judges. */
export async function judge(api: StormyApi, crowd: Crowd, killed: number): Promise<void> {
  api.weather = calm;
  const missing = async (): Promise<string[]> => {
    const subscribed = new Set(await api.subscribed());
    return [...crowd.acknowledged].filter((email) => !subscribed.has(email));
  };
  await waitUntil(
    'everybody who had a 202 is subscribed',
    async () => (await missing()).length === 0 || sleep(500, false),
    timeLimitOf(crowd.size),
  );
  const subscribed = await api.subscribed();
  expect(new Set(subscribed).size).toBe(subscribed.length);
  // Only signups with a lost answer are sent again, and those whose outcome a killed relay could not store.
  const unexplained = [...api.created.values()].reduce(
    (sum, { times, unheard }) => sum + Math.max(0, times - 1 - unheard),
    0,
  );
  expect(unexplained).toBeLessThanOrEqual(killed * underWay);
  expect(crowd.acknowledged.size).toBe(crowd.size);
}

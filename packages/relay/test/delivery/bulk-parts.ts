/** A bulk delivery for a test, and its backlog. */
import { vi } from 'vitest';
import { type BulkDelivery, createBulkDelivery, type BulkOptions } from '../../src/delivery/bulk-delivery.ts';
import type { SignupStore } from '../../src/index.ts';
import { InFlight } from '../../src/queue/worker.ts';
import { newSignup } from '../new-signup.ts';
import { deliveryParts, listPage, type DeliveryParts } from './parts.ts';

export type Answer = (request: Request) => Promise<Response>;

export const accepted: Answer = () => Promise.resolve(Response.json({ message: 'Accepted.', import_id: 'import-1' }));

export interface Test extends DeliveryParts {
  readonly delivery: BulkDelivery;
  readonly inFlight: InFlight;
  readonly onEnd: ReturnType<typeof vi.fn<() => void>>;
  /** Addresses of each batch that reached the API. */
  batches(): Promise<string[][]>;
  /** Sends one batch, and waits for its end. */
  send(): Promise<void>;
  /** Runs one confirmation, and waits for its end. */
  confirm(): Promise<void>;
}

export function bulk({
  create = accepted,
  list = () => Promise.resolve(listPage([])),
  options = { above: 20 },
  change = {},
}: {
  readonly create?: Answer;
  readonly list?: Answer;
  readonly options?: BulkOptions | null;
  readonly change?: Partial<SignupStore>;
} = {}): Test {
  const parts = deliveryParts((request) => (request.method === 'GET' ? list(request) : create(request)), change);
  const onEnd = vi.fn<() => void>();
  const inFlight = new InFlight(onEnd);
  const delivery = createBulkDelivery({ ...parts.lane, worker: { ...parts.lane.worker, inFlight } }, options);
  return {
    ...parts,
    delivery,
    inFlight,
    onEnd,
    async batches() {
      const bodies = parts.requests
        .filter(({ method }) => method === 'POST')
        .map((request) => request.clone().json() as Promise<{ subscriptions: { email: string }[] }>);
      return (await Promise.all(bodies)).map(({ subscriptions }) => subscriptions.map(({ email }) => email));
    },
    async send() {
      await delivery.startBatch();
      await inFlight.end();
    },
    async confirm() {
      delivery.startConfirmation();
      await inFlight.end();
    },
  };
}

export const people = (count: number, prefix = 'p'): string[] =>
  Array.from({ length: count }, (_, n) => `${prefix}${n}@example.com`);

/** Stores signups as a backlog. */
export async function fill({ store, clock }: DeliveryParts, count: number, text = 'x', prefix = 'p'): Promise<void> {
  const receivedAt = clock.now - 3_600_000;
  await Promise.all(
    people(count, prefix).map((email) =>
      store.accept(newSignup(email, { submission: { email, utm_content: text }, receivedAt })),
    ),
  );
}

/** An engine whose service takes creations in bulk, or gives the answers of a test. */
import { createEngine, type Host, type HostAnswer } from '../../src/engine/index.ts';

export interface Sent {
  readonly rows: readonly { readonly email: string }[];
}

export interface Service {
  readonly host: Host;
  readonly engine: ReturnType<typeof createEngine>;
  readonly sent: Sent[];
}

type Answering = (
  rows: Sent['rows'],
  call: number,
) => Partial<HostAnswer> | undefined | Promise<Partial<HostAnswer> | undefined>;

/** @param answering - undefined for a plain yes */
export function service(answering: Answering = () => undefined): Service {
  const sent: Sent[] = [];
  let now = 0;
  const host: Host = {
    async send({ body = '{}' }) {
      const { subscriptions: rows } = JSON.parse(body) as { subscriptions: { email: string }[] };
      const call = sent.push({ rows });
      now += 1000;
      const yes = { message: 'Accepted.', import_id: `import-${call}` };
      return { status: 200, headers: {}, body: JSON.stringify(yes), ...(await answering(rows, call)) };
    },
    sleep: async (ms) => void (now += ms),
    monotonic: () => now,
    now: () => now,
    random: () => 0.5,
  };
  return {
    host,
    sent,
    engine: createEngine({ host, baseUrl: 'http://api.test/v2', publicationId: 'pub_1', retry: false }),
  };
}

export const refusal = (message: string, status = 400): Partial<HostAnswer> => ({
  status,
  body: JSON.stringify({ status, statusText: '', errors: [{ message, code: 'X' }] }),
});

export const people = (count: number): { email: string }[] =>
  Array.from({ length: count }, (_, index) => ({ email: `reader${index + 1}@example.com` }));

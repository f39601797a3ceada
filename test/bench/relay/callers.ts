/**
 * So many callers at once, each with one request under way, with the client that Node brings: the same for everything
 * that is compared.
 */
import { Agent, request } from 'node:http';

export interface Load {
  /** Answers a second. */
  readonly rate: number;
  /** Milliseconds from request to answer, sorted. */
  readonly latencies: readonly number[];
}

/** The value below which this share of the latencies lies. */
export const percentile = ({ latencies }: Load, share: number): number =>
  latencies[Math.min(latencies.length - 1, Math.floor(latencies.length * share))] ?? Number.NaN;

/** Posts as a proxy passes them on, each from a visitor of its own. @param body - of the next request */
export async function load(address: string, callers: number, requests: number, body: () => string): Promise<Load> {
  const agent = new Agent({ keepAlive: true, maxSockets: callers });
  const latencies: number[] = [];
  let next = 0;
  const caller = async (): Promise<void> => {
    while ((next += 1) <= requests) {
      const text = body();
      const from = performance.now();
      await post(agent, address, text, `10.${(next >> 16) & 255}.${(next >> 8) & 255}.${next & 255}`);
      latencies.push(performance.now() - from);
    }
  };
  const begun = performance.now();
  await Promise.all(Array.from({ length: callers }, caller));
  const seconds = (performance.now() - begun) / 1000;
  agent.destroy();
  return { rate: requests / seconds, latencies: latencies.toSorted((a, b) => a - b) };
}

function post(agent: Agent, address: string, text: string, visitor: string): Promise<void> {
  const headers = {
    origin: 'https://shop.example',
    'content-type': 'application/json',
    'content-length': Buffer.byteLength(text),
    'x-forwarded-for': visitor,
    'cf-connecting-ip': visitor,
  };
  return new Promise((resolve, reject) => {
    const sent = request(`${address}/signup`, { method: 'POST', agent, headers }, (answer) => {
      answer.resume();
      answer.on('end', () =>
        answer.statusCode === 202 ? resolve() : reject(new Error(`The answer was ${answer.statusCode}.`)),
      );
      answer.on('error', reject);
    });
    sent.on('error', reject);
    sent.end(text);
  });
}

/** The operator interface of a running relay, through its HTTP API. */
import type { ConsentRecord, StoredSignup } from '../store/signup-store.ts';
import type { Operator } from './operator.ts';
import { writeFilter } from './signup-filter.ts';

/** A running relay does not answer, or refuses a request. */
export class OperatorError extends Error {
  override readonly name = 'OperatorError';
}

/**
 * @param address - of the relay, for example `http://127.0.0.1:4020`
 * @param fetch - default: the global one
 */
export function relayOperator(
  address: string,
  token: string,
  fetch: typeof globalThis.fetch = globalThis.fetch,
): Operator {
  const ask = async <Answer>(
    method: 'GET' | 'POST',
    path: string,
    query: Readonly<Record<string, string>> = {},
    body?: unknown,
  ): Promise<Answer> => {
    const search = new URLSearchParams(query).toString();
    let answer: Response;
    try {
      answer = await fetch(`${address}/operator/api/${path}${search && `?${search}`}`, {
        method,
        headers: {
          authorization: `Bearer ${token}`,
          ...(body !== undefined && { 'content-type': 'application/json' }),
        },
        ...(body !== undefined && { body: JSON.stringify(body) }),
      });
    } catch (cause) {
      throw new OperatorError(`The relay at ${address} does not answer: check RELAY_HOST and RELAY_PORT.`, { cause });
    }
    if (answer.status === 401)
      throw new OperatorError(
        `The relay at ${address} does not accept the operator token: set RELAY_OPERATOR_TOKEN to the one it was started with.`,
      );
    const content = (await answer.json().catch(() => null)) as (Answer & { errors?: { message: string }[] }) | null;
    if (!answer.ok || content === null)
      throw new OperatorError(
        `The relay at ${address} answered ${answer.status}: ${content?.errors?.[0]?.message ?? 'no relay of ours, or a proxy in between'}`,
      );
    return content;
  };
  return {
    status: () => ask('GET', 'status'),
    setPaused: async (paused) => void (await ask('POST', paused ? 'pause' : 'resume')),
    async list(filter, { after, limit }) {
      const query = { ...writeFilter(filter), limit: String(limit), ...(after !== undefined && { after }) };
      return (await ask<{ signups: readonly StoredSignup[] }>('GET', 'signups', query)).signups;
    },
    redrive: async (filter) => (await ask<{ redriven: number }>('POST', 'redrive', writeFilter(filter))).redriven,
    async listConsents({ after, limit }) {
      const query = { limit: String(limit), ...(after !== undefined && { after }) };
      return (await ask<{ consents: readonly ConsentRecord[] }>('GET', 'consents', query)).consents;
    },
    person: (address) => ask('POST', 'person', {}, { address }),
    discard: async (filter) => (await ask<{ discarded: number }>('POST', 'discard', writeFilter(filter))).discarded,
    erase: (address, { keepConsent = false } = {}) => ask('POST', 'erase', {}, { address, keepConsent }),
  };
}

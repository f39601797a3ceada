/**
 * A host whose answers are written down beforehand and whose clock is turned by waiting: for rules of time and order.
 */
import { TransportError, type Host, type HostAnswer, type HostRequest } from '../../src/engine/index.ts';

export type Scripted = Partial<HostAnswer> | TransportError;

export interface ScriptedHost extends Host {
  readonly sent: HostRequest[];
  readonly slept: number[];
  /** Sets the time of day back (negative) or forward, as a person or NTP would. */
  setClock(byMs: number): void;
}

export function scriptedHost(
  script: readonly Scripted[],
  options: { readonly random?: number; readonly nowMs?: number } = {},
): ScriptedHost {
  const left = [...script];
  const sent: HostRequest[] = [];
  const slept: number[] = [];
  let elapsed = 0;
  let start = options.nowMs ?? Date.UTC(2026, 0, 1);
  return {
    sent,
    slept,
    async send(request) {
      sent.push(request);
      const next = left.shift();
      if (!next) throw new Error(`Request ${sent.length} was not in the script.`);
      if (next instanceof TransportError) throw next;
      const { status = 200 } = next;
      return {
        headers: { 'content-type': 'application/json' },
        body: status < 300 ? '' : refused(status),
        ...next,
        status,
      };
    },
    async sleep(ms, signal) {
      if (signal?.aborted) throw new TransportError('aborted');
      slept.push(ms);
      elapsed += ms;
    },
    now: () => start + elapsed,
    monotonic: () => elapsed,
    setClock(byMs) {
      start += byMs;
    },
    random: () => options.random ?? 0.5,
  };
}

/** The body with which the API answers an error status. */
const refused = (status: number): string => JSON.stringify({ status, statusText: '', errors: [] });

export const json = (value: unknown, extra: Partial<HostAnswer> = {}): Scripted => ({
  body: JSON.stringify(value),
  ...extra,
});

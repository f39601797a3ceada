/** Tests that requests are refused with an error, word for word. */
import { expect, test } from 'vitest';
import type { SandboxOptions } from '../../src/index.ts';
import { errorsOf, fresh, send } from '../caller.ts';

/** A request, GET by default, and the one error in its answer, 400 by default. */
export interface Refused {
  readonly method?: string;
  readonly path: string;
  readonly body?: unknown;
  readonly headers?: Record<string, string>;
  readonly options?: SandboxOptions;
  readonly status?: number;
  readonly code: string;
  readonly message: string;
}

/** One test for each request, to a sandbox with the demo's records. */
export function expectRefused(requests: Readonly<Record<string, Refused>>): void {
  test.each(Object.entries(requests))('refuses %s', async (_name, request) => {
    const { method = 'GET', path, body, headers, options, status = 400, code, message } = request;
    const answered = await send(fresh({ seed: 'demo', ...options }), method, path, body, headers);
    expect(answered.status).toBe(status);
    expect(errorsOf(answered)).toEqual([{ message, code }]);
  });
}

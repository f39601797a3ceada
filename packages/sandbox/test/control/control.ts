/** Calls the control endpoints of a sandbox in process. */
import type { Sandbox } from '../../src/index.ts';
import type { Answered } from '../caller.ts';

/** A string goes out as it is, everything else as JSON. */
export async function control(
  sandbox: Sandbox,
  method: string,
  path: string,
  body?: unknown,
  headers: Record<string, string> = {},
): Promise<Answered> {
  const answer = await sandbox.fetch(`http://sandbox.test/_sandbox${path}`, {
    method,
    headers: { ...(body !== undefined && { 'Content-Type': 'application/json' }), ...headers },
    ...(body !== undefined && { body: typeof body === 'string' ? body : JSON.stringify(body) }),
  });
  const text = await answer.text();
  return { status: answer.status, headers: answer.headers, body: text === '' ? null : (JSON.parse(text) as unknown) };
}

/** A published workflow with the signup trigger, and posts to it as the tag sends them. */
import { setTimeout as sleep } from 'node:timers/promises';
import { expect } from 'vitest';
import { packageName } from '../../../scripts/n8n/pack.ts';
import type { NodeDraft, Rest } from './rest.ts';
import { n8n } from './test.ts';

export const signupType = `${packageName}.newsletterSignupTrigger`;
/** The origin of the form in most tests; no server is needed for a request to name it. */
export const site = 'https://www.example.com';

/** A published workflow with a signup trigger. */
export interface Form {
  readonly workflow: string;
  readonly endpoint: string;
  /** Posts a signup as the tag does. @param to - the address of another process of this n8n */
  post(body: unknown, headers?: Readonly<Record<string, string>>, to?: string): Promise<Response>;
  /** The items of all executions, after waiting for this many; additional ones would be included. */
  items(count: number): Promise<readonly Readonly<Record<string, unknown>>[]>;
}

/** @param on - another n8n than the shared one */
export async function publish(
  parameters: Readonly<Record<string, unknown>> = {},
  next: readonly NodeDraft[] = [],
  on: Rest = n8n,
): Promise<Form> {
  const path = String(parameters['path'] ?? `signup-${crypto.randomUUID()}`);
  const workflow = await on.createWorkflow([
    {
      name: 'Signup',
      type: signupType,
      webhookId: crypto.randomUUID(),
      parameters: { allowedOrigins: site, ...parameters, path },
    },
    ...next,
  ]);
  await on.activate(workflow);
  const endpoint = `${on.url}/webhook/${path}`;
  await expect.poll(async () => (await fetch(endpoint, { method: 'POST' })).status).toBe(403);
  return {
    workflow,
    endpoint,
    post: (body, headers, to = on.url) =>
      fetch(endpoint.replace(on.url, to), {
        method: 'POST',
        headers: { origin: site, 'content-type': 'application/json', ...headers },
        body: typeof body === 'string' ? body : JSON.stringify(body),
        redirect: 'manual',
      }),
    async items(count) {
      await expect.poll(() => on.executionIds(workflow)).toHaveLength(count);
      // Leaves time for additional executions.
      await sleep(1_000);
      const ids = await on.executionIds(workflow);
      expect(ids).toHaveLength(count);
      const executions = await Promise.all(ids.map((id) => on.ended(id)));
      expect(executions.map(({ status }) => status)).toEqual(executions.map(() => 'success'));
      return executions.flatMap((execution) => execution.output('Signup'));
    },
  };
}

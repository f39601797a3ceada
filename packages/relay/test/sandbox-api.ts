/** The newsletter API for tests: a sandbox that records requests, and can be replaced by another handler. */
import { createServer } from 'node:http';
import { createClient, type Subscription } from '@newsletter-kit/core';
import { createSandbox, type Sandbox, type SandboxOptions } from '@newsletter-kit/sandbox';
import { createAdaptorServer } from '@hono/node-server';
import { onTestFinished } from 'vitest';
import { apiKey, publicationId } from './running-relay.ts';

/** Answers a request. */
export type Handler = (request: Request) => Promise<Response>;

/** A handler in the form of `fetch`. */
export function asFetch(handle: Handler): (input: Request | string, init?: RequestInit) => Promise<Response> {
  // A server's Request is not always the platform's, which cannot copy it.
  return (input, init) => handle(typeof input === 'string' ? new Request(input, init) : input);
}

export interface SandboxApi {
  readonly sandbox: Sandbox;
  readonly fetch: ReturnType<typeof asFetch>;
  /** Bodies of the creates that reached it, in order. */
  readonly received: Record<string, unknown>[];
  /** Statuses it answered to them, in order. */
  readonly answered: number[];
  /** In place of the sandbox, while set. */
  instead: Handler | null;
  subscriptions(): Promise<Subscription[]>;
}

export function sandboxApi(options: SandboxOptions = { seed: 'demo' }): SandboxApi {
  const sandbox = createSandbox(options);
  onTestFinished(() => sandbox.close());
  const client = createClient({
    baseUrl: 'http://sandbox.example/v2',
    token: apiKey,
    publicationId,
    fetch: sandbox.fetch,
  });
  const api: SandboxApi = {
    sandbox,
    received: [],
    answered: [],
    instead: null,
    fetch: asFetch(async (request) => {
      if (api.instead) return api.instead(request);
      if (request.method !== 'POST') return sandbox.fetch(request);
      api.received.push((await request.clone().json()) as Record<string, unknown>);
      const answer = await sandbox.fetch(request);
      api.answered.push(answer.status);
      return answer;
    }),
    async subscriptions() {
      const all: Subscription[] = [];
      for await (const subscription of client.subscriptions.list({ expand: ['custom_fields'], limit: 100 }))
        all.push(subscription);
      return all;
    },
  };
  return api;
}

/** The same on a port. @returns its address */
export async function onPort(handle: Handler): Promise<string> {
  const server = createAdaptorServer({
    fetch: (request) => handle(request),
    createServer,
    overrideGlobalObjects: false,
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => {
    if ('closeAllConnections' in server) server.closeAllConnections();
    server.close();
  });
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('The server has no port.');
  return `http://127.0.0.1:${address.port}`;
}

/**
 * Simulates n8n 2 around a webhook node: a real port, one copy of the static data per request, saved only where n8n's
 * own observer has seen a change, and an answer after the save.
 */
import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { createRequire } from 'node:module';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { ObservableObject } from 'n8n-workflow';

/** Result of a webhook node. */
interface Outcome {
  readonly noWebhookResponse?: boolean;
  readonly webhookResponse?: unknown;
  readonly workflowData?: readonly (readonly { readonly json: Readonly<Record<string, unknown>> }[])[];
}

export interface SignupHost {
  readonly endpoint: string;
  /** Number of posts that the node has begun to read. */
  posts: number;
  /** The items that started executions. */
  readonly started: Readonly<Record<string, unknown>>[];
  /** The static data of the workflow, as JSON. */
  kept: string;
  /** Whether n8n gives the node static data that it cannot change. */
  frozen: boolean;
  /** Lines of the log. */
  readonly logged: string[];
  /** Saves an execution before it is answered; a rejection simulates a database that is down. */
  save: (response: ServerResponse) => Promise<void>;
  close(): Promise<void>;
}

/** The part of a webhook node that n8n calls for a post. */
export interface HostedNode {
  webhook(this: unknown): Promise<unknown>;
}

/** The node under test. */
export interface SignupTrigger extends HostedNode {
  readonly webhookMethods: { readonly default: { create(this: unknown): Promise<boolean> } };
}

/**
 * Loads the node as in a new process, without remembered signups.
 * @param folder - folder of the bundle
 */
export function loadSignupTrigger(folder: string): SignupTrigger {
  const load = createRequire(join(folder, 'loader.cjs'));
  for (const path of Object.keys(load.cache)) if (path.startsWith(folder)) delete load.cache[path];
  const { NewsletterSignupTrigger } = load(join(folder, 'nodes/Newsletter/NewsletterSignupTrigger.node.js')) as {
    NewsletterSignupTrigger: new () => SignupTrigger;
  };
  return new NewsletterSignupTrigger();
}

/** The website with the form. */
export const site = 'https://www.example.com';

/** Posts a signup as a page of the website does. */
export function post(
  { endpoint }: Pick<SignupHost, 'endpoint'>,
  body: unknown,
  headers: Readonly<Record<string, string>> = {},
  signal?: AbortSignal,
): Promise<Response> {
  return fetch(endpoint, {
    method: 'POST',
    ...(signal && { signal }),
    redirect: 'manual',
    headers: { origin: site, 'content-type': 'application/json', ...headers },
    body: typeof body === 'string' || body instanceof Uint8Array ? (body as BodyInit) : JSON.stringify(body),
  });
}

/**
 * Opens a port whose requests the node receives.
 * @param parameters - parameters of the node; missing ones have their defaults
 */
export async function hostSignup(
  node: HostedNode,
  parameters: Readonly<Record<string, unknown>>,
  mode: 'webhook' | 'manual' = 'webhook',
): Promise<SignupHost> {
  // A unique node: the process remembers signups per node.
  const id = crypto.randomUUID();
  const host: SignupHost = {
    endpoint: '',
    posts: 0,
    started: [],
    kept: '{}',
    frozen: false,
    logged: [],
    save: async () => undefined,
    async close() {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };

  async function handle(request: IncomingMessage, response: ServerResponse): Promise<void> {
    if (request.headers.origin !== undefined) response.setHeader('Access-Control-Allow-Origin', request.headers.origin);
    const kept = JSON.parse(host.kept) as Record<string, unknown>;
    if (host.frozen) Object.freeze(kept);
    const staticData: { readonly node: object; readonly __dataChanged?: boolean } = { node: kept };
    // n8n builds a Workflow on the static data, and observes them by that.
    const buildWorkflow = () => host.frozen || ObservableObject.create(staticData);
    buildWorkflow();
    host.posts += 1;
    const outcome = (await node.webhook.call({
      getRequestObject: () => request,
      getResponseObject: () => response,
      getNodeParameter: (name: string, fallback: unknown) => parameters[name] ?? fallback,
      getMode: () => mode,
      getNode: () => ({ id }),
      getWorkflow: () => ({ id: 'workflow' }),
      getWorkflowStaticData: () => staticData.node,
      logger: { error: (line: string) => host.logged.push(line) },
    })) as Outcome;
    if (outcome.noWebhookResponse === true) return;
    if (outcome.workflowData) {
      try {
        await host.save(response);
        // Its runner builds a second Workflow on the same object, which forgets that they have changed.
        buildWorkflow();
      } catch {
        response.writeHead(500).end('{"code":0}');
        return;
      }
      host.started.push(...outcome.workflowData.flat().map(({ json }) => json));
    }
    const answer = JSON.stringify(outcome.webhookResponse);
    if (staticData.__dataChanged === true) host.kept = JSON.stringify(kept);
    response.setHeader('Content-Type', 'application/json').end(answer);
  }

  // On a busy machine, seconds pass between two requests of a test, and the next would meet a connection that ends.
  const options = { keepAliveTimeout: 0 };
  const server = createServer(options, (request, response) => void handle(request, response)).listen(0, '127.0.0.1');
  await once(server, 'listening');
  return Object.assign(host, { endpoint: `http://127.0.0.1:${(server.address() as AddressInfo).port}/` });
}

/** A client of n8n's internal REST API, which its editor uses, signed in as the owner. */
import { setTimeout as sleep } from 'node:timers/promises';
import type { SandboxOnPort } from '@newsletter-kit/sandbox/vitest';
import { parse } from 'flatted';
import type { INodeTypeDescription } from 'n8n-workflow';
import { setUpOwner, signIn } from '../../../scripts/n8n/server.ts';

/** The owner account of all tests. */
export const owner = {
  email: 'owner@example.com',
  firstName: 'Ada',
  lastName: 'Owner',
  password: 'Sandbox-Owner-1',
} as const;

/** A node's credentials, by their types. */
export type Credentials = Readonly<Record<string, { readonly id: string; readonly name: string }>>;

/** The output of a node in an execution: the JSON of each item. */
export type NodeOutput = readonly Readonly<Record<string, unknown>>[];

/** An execution that has ended. */
export interface Execution {
  readonly id: string;
  readonly status: string;
  /** The items of the node that started it. */
  readonly given: NodeOutput;
  /** The items of the named node at its first output, or at the one of this index; empty where it did not run. */
  output(node: string, index?: number): NodeOutput;
  /** The items of its second output, which is the error output. */
  errors(node: string): NodeOutput;
  /** The hints of the named node. */
  hints(node: string): readonly string[];
  /** The index of the input item of each output item of the named node. */
  pairs(node: string): readonly number[];
  /** Message and description of the error that failed it. */
  readonly error: { readonly message: string; readonly description?: string | null } | undefined;
}

/** A workflow as n8n stores it. */
export interface SavedWorkflow {
  readonly name: string;
  readonly versionId: string;
  readonly active: boolean;
  readonly staticData: unknown;
  readonly nodes: readonly Readonly<Record<string, unknown>>[];
  readonly connections: Readonly<Record<string, unknown>>;
  readonly settings: unknown;
}

/** A node of a workflow; omitted fields get defaults. */
export type NodeDraft = Readonly<Record<string, unknown>> & { readonly name: string };

/** The editor's request for the options of a parameter. */
export interface DynamicRequest {
  /** The path of the parameter, for example `parameters.automationId`. */
  readonly path: string;
  /** The method of the node. */
  readonly methodName: string;
  readonly nodeTypeAndVersion: { readonly name: string; readonly version: number };
  readonly currentNodeParameters: Readonly<Record<string, unknown>>;
  readonly credentials: Credentials;
}

/** A page of a resource locator's list. */
export interface LocatorPage {
  readonly results: readonly { readonly name: string; readonly value: string }[];
  readonly paginationToken?: string;
}

/** The result of a credential test. */
export interface CredentialTest {
  readonly status: 'OK' | 'Error';
  readonly message: string;
}

interface TaskData {
  /** The main output, or the output of a tool. */
  readonly data?: Readonly<
    Partial<
      Record<
        'main' | 'ai_tool',
        readonly (readonly { json: Readonly<Record<string, unknown>>; pairedItem?: unknown }[] | null)[]
      >
    >
  >;
  readonly hints?: readonly { readonly message: string }[];
}

interface RunResult {
  readonly resultData: {
    readonly runData: Readonly<Record<string, readonly TaskData[]>>;
    readonly error?: Execution['error'];
  };
}

/** A signed-in client. The session is a cookie. */
export class Rest {
  /** The address of this n8n. */
  readonly url: string;
  readonly #cookie: string;
  #major: Promise<number> | undefined;

  constructor(url: string, cookie: string) {
    this.url = url;
    this.#cookie = cookie;
  }

  /** Creates the owner of a fresh n8n. @returns the session's cookie */
  static async setUpOwner(url: string): Promise<string> {
    return cookieOf(await setUpOwner(url, owner));
  }

  /** @throws Error where n8n refuses the account */
  static async signIn(url: string, email: string, password: string): Promise<Rest> {
    return new Rest(url, await cookieOf(await signIn(url, { email, password })));
  }

  #fetch(path: string, options: Pick<RequestInit, 'method' | 'body'> = {}): Promise<Response> {
    // A kept connection breaks where n8n was ended, or closed it after some idle seconds: no request may leave one.
    const headers = { cookie: this.#cookie, 'content-type': 'application/json', connection: 'close' };
    return fetch(this.url + path, { ...options, headers });
  }

  async #send<T>(method: string, path: string, body?: unknown): Promise<T> {
    const response = await this.#fetch(path, { method, ...(body !== undefined && { body: JSON.stringify(body) }) });
    const text = await response.text();
    if (!response.ok) throw new Error(`${method} ${path}: ${response.status} ${text}`);
    return (JSON.parse(text) as { data: T }).data;
  }

  /** The major version of n8n. n8n 1 publishes synchronously. */
  #majorVersion(): Promise<number> {
    this.#major ??= this.#send<{ versionCli: string }>('GET', '/rest/settings').then(({ versionCli }) =>
      Number.parseInt(versionCli, 10),
    );
    return this.#major;
  }

  /**
   * Publishes the saved workflow, or an earlier version of it, and waits for the first poll of its trigger.
   *
   * @param version - the ID of a version; the saved one where left out
   */
  async activate(id: string, version?: string): Promise<void> {
    const versionId = version ?? (await this.workflow(id)).versionId;
    await this.#send('POST', `/rest/workflows/${id}/activate`, { versionId });
    await this.publication(id, 'published');
  }

  /** Unpublishes the workflow. */
  async deactivate(id: string): Promise<void> {
    await this.#send('POST', `/rest/workflows/${id}/deactivate`, {});
    await this.publication(id, 'not_published');
  }

  /**
   * Waits for the publication: from n8n 2 on it goes through an outbox, after the answer or the start. n8n gives up an
   * activation after 84 seconds.
   */
  async publication(id: string, wanted: 'published' | 'not_published' | 'failed'): Promise<void> {
    if ((await this.#majorVersion()) < 2) return;
    let told: { status: string; triggers: readonly { errorMessage: string | null }[] } | undefined;
    for (const deadline = Date.now() + 120_000; Date.now() < deadline; await sleep(100)) {
      told = await this.#send('GET', `/rest/workflows/${id}/publication-status`);
      if (told?.status === wanted) return;
      if (told?.status === 'failed') break;
    }
    throw new Error(
      `The workflow is not ${wanted}, but ${told?.status}: ${told?.triggers.map(({ errorMessage }) => errorMessage).join('; ')}`,
    );
  }

  workflow(id: string): Promise<SavedWorkflow> {
    return this.#send('GET', `/rest/workflows/${id}`);
  }

  /** Saves a changed workflow, as the editor does. */
  async change(id: string, edit: (workflow: SavedWorkflow) => Partial<SavedWorkflow>): Promise<void> {
    const saved = await this.workflow(id);
    const { name, nodes, connections, settings, versionId } = { ...saved, ...edit(saved) };
    await this.#send('PATCH', `/rest/workflows/${id}`, { name, nodes, connections, settings, versionId });
  }

  /** The IDs of the workflow's executions, oldest first. */
  async executionIds(workflowId: string): Promise<string[]> {
    const filter = encodeURIComponent(JSON.stringify({ workflowId }));
    const { results } = await this.#send<{ results: { id: string }[] }>('GET', `/rest/executions?filter=${filter}`);
    // n8n reads the running and the finished executions one after the other: one that ends in between is in both.
    return [...new Set(results.map(({ id }) => id))].toSorted((a, b) => Number(a) - Number(b));
  }

  /** All stored data of the execution as one text; of a crashed execution, its input. */
  async executionText(id: string): Promise<string> {
    return JSON.stringify(await this.#send('GET', `/rest/executions/${id}`));
  }

  /** The execution, or undefined while it runs. */
  async execution(id: string): Promise<Execution | undefined> {
    const { status, data } = await this.#send<{ status: string; data: string }>('GET', `/rest/executions/${id}`);
    if (['new', 'running', 'waiting'].includes(status)) return undefined;
    // n8n 1 sets the status before it writes the data.
    const saved = parse(data) as RunResult | undefined;
    if (saved === undefined) return undefined;
    const { resultData } = saved;
    const first = (node: string): TaskData | undefined => resultData.runData[node]?.[0];
    const items = (node: string, index = 0) => {
      const { main, ai_tool: toAgent } = first(node)?.data ?? {};
      return (main ?? toAgent)?.[index] ?? [];
    };
    return {
      id,
      status,
      given: items(Object.keys(resultData.runData)[0] ?? '').map(({ json }) => json),
      output: (node, index) => items(node, index).map(({ json }) => json),
      errors: (node) => items(node, 1).map(({ json }) => json),
      hints: (node) => (first(node)?.hints ?? []).map(({ message }) => message),
      pairs: (node) => items(node).map(({ pairedItem }) => pairedIndex(pairedItem)),
      error: resultData.error,
    };
  }

  /**
   * Waits for the execution.
   *
   * @param within - milliseconds to wait at most
   */
  async ended(id: string, within = 240_000): Promise<Execution> {
    for (const deadline = Date.now() + within; Date.now() < deadline; await sleep(100)) {
      const execution = await this.execution(id);
      if (execution) return execution;
    }
    throw new Error(`Execution ${id} did not end within ${within / 1000} s.`);
  }

  /** Runs the workflow as the editor's button does, and waits for its end. */
  async run(workflowId: string, trigger = 'Start', within?: number): Promise<Execution> {
    return this.ended(await this.runManually(workflowId, trigger), within);
  }

  /** Runs the workflow from one of its triggers, as the editor's button does. @returns the execution's id */
  async runManually(workflowId: string, trigger: string): Promise<string> {
    return (await this.#startRun(workflowId, { triggerToStartFrom: { name: trigger } })).executionId;
  }

  /** n8n 1 also requires the workflow itself. */
  async #startRun(workflowId: string, run: object): Promise<{ executionId: string }> {
    const body = (await this.#majorVersion()) < 2 ? { ...run, workflowData: await this.workflow(workflowId) } : run;
    return this.#send('POST', `/rest/workflows/${workflowId}/run`, body);
  }

  /** Runs a failed execution again from its data, as "Retry" in the list does. @returns the ID of the new execution */
  async retry(id: string): Promise<string> {
    const body = { loadWorkflow: false };
    return String((await this.#send<{ id: unknown }>('POST', `/rest/executions/${id}/retry`, body)).id);
  }

  credentials(): Promise<readonly { readonly id: string; readonly updatedAt: string }[]> {
    return this.#send('GET', '/rest/credentials');
  }

  /** Saves a new credential. @returns its id */
  async createCredential(type: string, data: Readonly<Record<string, unknown>>): Promise<string> {
    return (await this.#send<{ id: string }>('POST', '/rest/credentials', { name: 'Of a test', type, data })).id;
  }

  /** A new credential for this sandbox, as a node refers to it. */
  async newsletterCredentials({ clientOptions }: Pick<SandboxOnPort, 'clientOptions'>): Promise<Credentials> {
    const { baseUrl, token: apiKey, publicationId } = clientOptions;
    const id = await this.createCredential('newsletterApi', { service: 'other', apiKey, baseUrl, publicationId });
    return { newsletterApi: { id, name: 'Of a test' } };
  }

  /**
   * Runs the tool of this name for an agent, as the editor's button on a tool does.
   *
   * @param query - the values that the agent fills in, by name
   */
  async useTool(workflowId: string, tool: string, query: Readonly<Record<string, unknown>>): Promise<Execution> {
    const { executionId } = await this.#startRun(workflowId, {
      triggerToStartFrom: { name: 'Start' },
      destinationNode: { nodeName: tool, mode: 'inclusive' },
      agentRequest: { query: (await this.#majorVersion()) < 2 ? query : { [tool]: query }, tool: { name: tool } },
    });
    return this.ended(executionId);
  }

  /**
   * Saves a new workflow: these nodes, each connected to the next, and tools and a model connected to the last one.
   *
   * @returns its id
   */
  async createWorkflow(
    nodes: readonly NodeDraft[],
    tools: readonly NodeDraft[] = [],
    models: readonly NodeDraft[] = [],
  ): Promise<string> {
    const last = nodes.at(-1)?.name;
    const to = (type: string, from: readonly NodeDraft[]) =>
      from.map(({ name }) => [name, { [type]: [[{ node: last, type, index: 0 }]] }] as const);
    const inRow = Object.fromEntries(
      nodes
        .slice(0, -1)
        .map(({ name }, index) => [name, { main: [[{ node: nodes[index + 1]?.name, type: 'main', index: 0 }]] }]),
    );
    const connections = {
      ...inRow,
      ...Object.fromEntries([...to('ai_tool', tools), ...to('ai_languageModel', models)]),
    };
    const placed = [...nodes, ...tools, ...models].map((node, index) => ({
      id: crypto.randomUUID(),
      typeVersion: 1,
      position: [index * 240, 0],
      parameters: {},
      ...node,
    }));
    return this.saveWorkflow({ nodes: placed, connections });
  }

  /** Saves a new workflow as n8n exports it. @returns its id */
  async saveWorkflow(workflow: {
    readonly nodes: readonly unknown[];
    readonly connections: object;
    readonly settings?: object;
    readonly pinData?: object | undefined;
  }): Promise<string> {
    const { nodes, connections, settings = {}, pinData = {} } = workflow;
    const saved = { name: 'Of a test', active: false, nodes, connections, settings, pinData };
    return (await this.#send<{ id: string }>('POST', '/rest/workflows', saved)).id;
  }

  /** Tests a saved credential with these fields. */
  testCredential(id: string, type: string, data: Readonly<Record<string, unknown>>): Promise<CredentialTest> {
    return this.#send('POST', '/rest/credentials/test', {
      credentials: { id, name: 'Newsletter sandbox', type, data },
    });
  }

  /** The fields of a resource mapper. */
  mapperFields(request: DynamicRequest): Promise<{ fields: readonly { id: string; type: string }[] }> {
    return this.#send('POST', '/rest/dynamic-node-parameters/resource-mapper-fields', request);
  }

  /** A page of a resource locator's list, as the editor requests it on opening, scrolling or searching. */
  locatorPage(
    request: DynamicRequest & { readonly filter?: string; readonly paginationToken?: string },
  ): Promise<LocatorPage> {
    return this.#send('POST', '/rest/dynamic-node-parameters/resource-locator-results', request);
  }

  /** All loaded node types; some have several descriptions for their versions. */
  async nodeTypes(): Promise<readonly INodeTypeDescription[]> {
    return (await (await this.#fetch('/types/nodes.json')).json()) as INodeTypeDescription[];
  }

  /** The address that "Connect" of an OAuth2 credential opens. */
  connectUrl(credentialId: string): Promise<string> {
    return this.#send('GET', `/rest/oauth2-credential/auth?id=${credentialId}`);
  }
}

/** The session that n8n opens with an answer. @throws Error with what n8n says in place of it */
async function cookieOf(response: Response): Promise<string> {
  const cookie = response.headers.getSetCookie().find((each) => each.startsWith('n8n-auth='));
  if (!response.ok || cookie === undefined)
    throw new Error(`n8n opens no session: ${response.status} ${await response.text()}`);
  return cookie.split(';')[0] ?? '';
}

function pairedIndex(paired: unknown): number {
  const one: unknown = Array.isArray(paired) ? paired[0] : paired;
  if (typeof one === 'number') return one;
  return typeof one === 'object' && one !== null && 'item' in one ? Number(one.item) : Number.NaN;
}

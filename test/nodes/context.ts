/**
 * A minimal fake of n8n's function contexts: parameters from an object, HTTP from the sandbox. The tests of test/n8n
 * prove that the real helper of n8n behaves alike.
 */
import { createClient, type Client } from '@newsletter-kit/core';
import type { Sandbox } from '@newsletter-kit/sandbox';
import { NodeApiError } from './bundle.ts';
import { evaluator } from './expressions.ts';

/** The input of one run of a node. */
export interface Run {
  readonly sandbox: Pick<Sandbox, 'fetch'>;
  readonly credential?: Partial<Record<'service' | 'apiKey' | 'baseUrl' | 'publicationId', string>>;
  /** By name; a function gets the index of the item. */
  readonly parameters: Readonly<Record<string, unknown>>;
  readonly items?: readonly Readonly<Record<string, unknown>>[];
  /** The item objects of an earlier try of the same run. */
  readonly input?: readonly { readonly json: Readonly<Record<string, unknown>> }[];
  readonly continueOnFail?: boolean;
  readonly mode?: 'manual' | 'trigger';
  /** The static data of node and workflow. */
  readonly staticData?: Record<string, unknown>;
  /** The time limit of a poll in milliseconds; older versions of n8n report none. */
  readonly pollBudgetMs?: number;
  /** How n8n began the polls; `activate` where left out. */
  readonly activation?: 'init' | 'activate' | 'update' | 'leadershipChange';
  readonly workflowId?: string;
  readonly node?: { readonly id?: string; readonly name?: string; readonly retryOnFail?: boolean };
  /** Collects the errors of which n8n makes error executions. */
  readonly errors?: Error[];
  /** The time zone of the workflow. */
  readonly timezone?: string;
  /** Collects the lines that the node writes to n8n's log. */
  readonly log?: string[];
  /** Collects the hints of the node; left out for a version of n8n without hints. */
  readonly hints?: { message: string }[];
  /** Uses the OAuth2 credential: its stored token data, and the refresh of the token. */
  readonly connection?: Connection;
  /** Aborts when the execution is stopped. */
  readonly signal?: AbortSignal;
  /** The setting On Error of the node. */
  readonly onError?: 'continueErrorOutput' | 'continueRegularOutput';
  /**
   * Stored parameters with expressions, which n8n's own code evaluates; left out where a test sets values.
   */
  readonly stored?: Readonly<Record<string, unknown>>;
  /** Collects the name of each parameter that the node reads. */
  readonly reads?: string[];
  /** Whether "Always Output Data" is on in the settings of the node. */
  readonly alwaysOutputData?: boolean;
  /** Whether an AI agent runs the node as a tool. */
  readonly tool?: boolean;
}

/** A connected account. */
export interface Connection {
  readonly oauthTokenData?: { readonly access_token: string };
  /** Returns a new access token; n8n refreshes when a 401 is thrown. */
  refresh?(): Promise<string>;
}

/** The sandbox's own account. */
const account = {
  apiKey: 'sandbox-key',
  baseUrl: 'http://sandbox.test/v2',
  publicationId: 'pub_00000000-0000-4000-8000-000000000001',
};

/** The client of that account, for what happens without a node. */
export const clientOf = ({ fetch }: Pick<Sandbox, 'fetch'>): Client =>
  createClient({ baseUrl: account.baseUrl, token: account.apiKey, publicationId: account.publicationId, fetch });

interface HelperRequest {
  readonly method: string;
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: string;
  readonly disableFollowRedirect?: boolean;
  readonly ignoreHttpStatusErrors?: { readonly ignore: boolean; readonly except?: readonly number[] };
}

/** The context of an action node: parameters are read for an item. */
export function executeContext(run: Run): unknown {
  const items = run.items ?? [{}];
  const input = run.input ?? items.map((json) => ({ json }));
  const n8n = evaluator(run.stored ?? {}, items, run.timezone);
  return {
    ...common(run),
    getInputData: () => input,
    getNodeParameter: (name: string, index: number, fallback?: unknown, options?: ParameterOptions) => (
      run.reads?.push(name),
      extracted(
        Object.hasOwn(run.stored ?? {}, name.split('.', 1)[0] ?? '')
          ? (n8n.read(name, index, options?.skipValidation) ?? fallback)
          : (parameter(run, name, index) ?? fallback),
        options,
      )
    ),
    evaluateExpression: (expression: string, index = 0) => n8n.evaluate(expression, index),
    isToolExecution: () => run.tool ?? false,
    continueOnFail: () => run.continueOnFail ?? run.onError !== undefined,
    getMode: () => run.mode ?? 'trigger',
    getExecutionCancelSignal: () => run.signal,
    getWorkflowStaticData: () => run.staticData ?? {},
    ...(run.hints && { addExecutionHints: (hint: { message: string }) => run.hints?.push(hint) }),
  };
}

/** The context of a polling trigger or of the editor, without items. */
export function itemlessContext(run: Run): unknown {
  return {
    ...common(run),
    getNodeParameter: (name: string, fallback?: unknown, options?: ParameterOptions) =>
      extracted(parameter(run, name, 0) ?? fallback, options),
    getMode: () => run.mode ?? 'trigger',
    getActivationMode: () => run.activation ?? 'activate',
    getWorkflow: () => ({ id: run.workflowId ?? '1' }),
    getWorkflowStaticData: (type: 'node' | 'global') => staticDataOf(run, type),
    __emitError: (error: Error) => void run.errors?.push(error),
    ...(run.pollBudgetMs !== undefined && { getPollBudgetMs: () => run.pollBudgetMs }),
  };
}

/** The static data of the workflow, and that of the node by its name, as n8n keeps them in one object. */
function staticDataOf({ staticData = {}, node }: Run, type: 'node' | 'global'): unknown {
  return (staticData[type === 'global' ? type : `node:${node?.name ?? 'Newsletter'}`] ??= {});
}

interface ParameterOptions {
  readonly extractValue?: boolean;
  readonly skipValidation?: boolean;
}

function common(run: Run) {
  const { connection } = run;
  const note = (message: string): void => void run.log?.push(message);
  const credential = { ...account, ...run.credential };
  const connected = {
    service: 'other',
    baseUrl: credential.baseUrl,
    publicationId: credential.publicationId,
    ...connection,
  };
  let token = connection ? (connection.oauthTokenData?.access_token ?? '') : credential.apiKey;
  // A function stands for an expression.
  const entered = Object.entries(run.parameters).map(
    ([name, value]) => [name, typeof value === 'function' ? '={{ … }}' : value] as const,
  );
  const parameters = {
    ...Object.fromEntries(entered),
    ...run.stored,
    ...(connection && { authentication: 'oAuth2' }),
  };
  return {
    getNode: () => ({
      ...(run.onError && { onError: run.onError }),
      ...(run.alwaysOutputData && { alwaysOutputData: true }),
      id: '1',
      name: 'Newsletter',
      ...run.node,
      type: run.tool ? 'newsletterTool' : 'newsletter',
      typeVersion: 1,
      position: [0, 0],
      parameters,
    }),
    getCredentials: async (type: string) => (type === 'newsletterOAuth2Api' ? connected : credential),
    getTimezone: () => run.timezone ?? 'UTC',
    logger: { debug: note, info: note, warn: note },
    helpers: {
      prepareBinaryData: async (data: Buffer, fileName: string, mimeType: string) => ({
        data: data.toString('base64'),
        fileName,
        mimeType,
      }),
      /**
       * Throws on a broken connection and on the statuses not to be ignored, wrapped as n8n wraps it; returns every
       * other status as an answer.
       */
      async httpRequestWithAuthentication(type: string, request: HelperRequest) {
        const { ignore, except = [] } = request.ignoreHttpStatusErrors ?? { ignore: false };
        const throws = ({ ok, status }: Response): boolean => !ok && (!ignore || except.includes(status));
        let response = await send(run, token, request);
        // A token is only refreshed where the 401 is thrown.
        if (response.status === 401 && throws(response) && type === 'newsletterOAuth2Api' && connection?.refresh) {
          token = await connection.refresh();
          response = await send(run, token, request);
        }
        const answered = {
          status: response.status,
          headers: Object.fromEntries(response.headers),
          data: await response.text(),
        };
        if (throws(response))
          throw new NodeApiError({}, Object.assign(new Error('Request failed'), { response: answered }));
        return { statusCode: answered.status, headers: answered.headers, body: answered.data };
      },
    },
  };
}

async function send(
  { sandbox, parameters }: Run,
  token: string,
  { method, url, headers, body, disableFollowRedirect }: HelperRequest,
): Promise<Response> {
  if (body?.includes('"reactivate_existing":true') && parameters['operation'] !== 'createOrUpdate')
    throw new Error('Create or Update alone may reactivate.');
  try {
    return await sandbox.fetch(url, {
      method,
      headers: { ...headers, authorization: `Bearer ${token}` },
      ...(body !== undefined && { body }),
      redirect: disableFollowRedirect ? 'manual' : 'follow',
    });
  } catch (cause) {
    throw new NodeApiError({}, cause);
  }
}

/** Extracts the value of a resource locator where `extractValue` is set. */
function extracted(value: unknown, options?: ParameterOptions): unknown {
  return options?.extractValue && typeof value === 'object' && value !== null && 'value' in value ? value.value : value;
}

function parameter({ parameters }: Run, name: string, index: number): unknown {
  const [first = '', ...rest] = name.split('.');
  const entered = parameters[first];
  const whole: unknown = typeof entered === 'function' ? (entered as (index: number) => unknown)(index) : entered;
  return rest.reduce<unknown>(
    (value, key) => (typeof value === 'object' && value !== null ? (value as Record<string, unknown>)[key] : undefined),
    whole,
  );
}

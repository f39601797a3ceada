/**
 * A stand-in for n8n's function contexts, as thin as can be: parameters from an object, HTTP from the sandbox. That
 * n8n's own helper behaves like this one is what test/n8n proves.
 */
import type { Sandbox } from '@newsletter-kit/sandbox';
import { NodeApiError } from './bundle.ts';
import { evaluator } from './expressions.ts';

/** What a node is run with. */
export interface Run {
  readonly sandbox: Pick<Sandbox, 'fetch'>;
  readonly credential?: Partial<Record<'service' | 'apiKey' | 'baseUrl' | 'publicationId', string>>;
  /** By name; a function gets the index of the item. */
  readonly parameters: Readonly<Record<string, unknown>>;
  readonly items?: readonly Readonly<Record<string, unknown>>[];
  readonly continueOnFail?: boolean;
  readonly mode?: 'manual' | 'trigger';
  /** What n8n keeps for the node between runs. */
  readonly staticData?: Record<string, unknown>;
  /** The milliseconds that n8n gives a poll; older versions do not say. */
  readonly pollBudgetMs?: number;
  /** The time zone of the workflow. */
  readonly timezone?: string;
  /** What the node wrote to n8n's log. */
  readonly log?: string[];
  /** Left out by versions of n8n that do not have it. */
  readonly hints?: { message: string }[];
  /** Signs with the OAuth2 credential: what n8n keeps of the connection, and how it refreshes it. */
  readonly connection?: Connection;
  /** Aborts when the execution is stopped. */
  readonly signal?: AbortSignal;
  /** On Error in the settings of the node, where it is to be seen. */
  readonly onError?: 'continueErrorOutput' | 'continueRegularOutput';
  /**
   * Parameters as the workflow has them, with expressions, which n8n's own code evaluates; left out where a test does
   * not care.
   */
  readonly stored?: Readonly<Record<string, unknown>>;
  /** The version of the node in the workflow; the newest where left out. */
  readonly version?: number;
  /** The names of the parameters that the node asked for, each time. */
  readonly reads?: string[];
  /** As n8n runs it for an AI agent. */
  readonly tool?: boolean;
}

/** A connected account. */
export interface Connection {
  readonly oauthTokenData?: { readonly access_token: string };
  /** Gives a new access token; n8n asks for one when a 401 is thrown. */
  refresh?(): Promise<string>;
}

/** The sandbox's own account. */
const account = {
  apiKey: 'sandbox-key',
  baseUrl: 'http://sandbox.test/v2',
  publicationId: 'pub_00000000-0000-4000-8000-000000000001',
};

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
  const input = items.map((json) => ({ json }));
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
    getExecutionCancelSignal: () => run.signal,
    getWorkflowStaticData: () => run.staticData ?? {},
    ...(run.hints && { addExecutionHints: (hint: { message: string }) => run.hints?.push(hint) }),
  };
}

/** The context of a polling trigger or of the editor: there are no items. */
export function itemlessContext(run: Run): unknown {
  return {
    ...common(run),
    getNodeParameter: (name: string, fallback?: unknown, options?: ParameterOptions) =>
      extracted(parameter(run, name, 0) ?? fallback, options),
    getMode: () => run.mode ?? 'trigger',
    getWorkflowStaticData: (type: 'node' | 'global') => staticDataOf(run, type),
    ...(run.pollBudgetMs !== undefined && { getPollBudgetMs: () => run.pollBudgetMs }),
  };
}

/** The static data of the node, and that of the workflow, as n8n keeps them in one object. */
function staticDataOf({ staticData = {} }: Run, type: 'node' | 'global'): unknown {
  return (staticData[type] ??= {});
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
      id: '1',
      name: 'Newsletter',
      type: run.tool ? 'newsletterTool' : 'newsletter',
      typeVersion: run.version ?? 2,
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
       * Throws on a broken connection and on the statuses it is told to, wrapped as n8n wraps it; every other status is
       * an answer.
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
  { sandbox }: Run,
  token: string,
  { method, url, headers, body, disableFollowRedirect }: HelperRequest,
): Promise<Response> {
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

/** A resource locator gives its value alone where that is asked for. */
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

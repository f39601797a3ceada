/**
 * A stand-in for n8n's function contexts, as thin as can be: parameters from an object, HTTP from the sandbox. That n8n's
 * own helper behaves like this one is what test/n8n proves.
 */
import type { Sandbox } from '@newsletter-kit/sandbox';
import { NodeApiError } from './bundle.ts';

/** What a node is run with. */
export interface Run {
  readonly sandbox: Pick<Sandbox, 'fetch'>;
  readonly credential?: Partial<Record<'apiKey' | 'baseUrl' | 'publicationId', string>>;
  /** By name; a function gets the index of the item. */
  readonly parameters: Readonly<Record<string, unknown>>;
  readonly items?: readonly Readonly<Record<string, unknown>>[];
  readonly continueOnFail?: boolean;
  readonly mode?: 'manual' | 'trigger';
  /** What n8n keeps for the node between runs. */
  readonly staticData?: Record<string, unknown>;
  /** Left out by versions of n8n that do not have it. */
  readonly hints?: { message: string }[];
}

/** The sandbox's own account. */
const account = { apiKey: 'sandbox-key', baseUrl: 'http://sandbox.test/v2', publicationId: 'pub_00000000-0000-4000-8000-000000000001' };

interface HelperRequest {
  readonly method: string;
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: string;
}

/** The context of an action node: parameters are read for an item. */
export function executeContext(run: Run): unknown {
  const items = run.items ?? [{}];
  return {
    ...common(run),
    getInputData: () => items.map((json) => ({ json })),
    getNodeParameter: (name: string, index: number, fallback?: unknown) => parameter(run, name, index) ?? fallback,
    continueOnFail: () => run.continueOnFail ?? false,
    getExecutionCancelSignal: () => undefined,
    ...(run.hints && { addExecutionHints: (hint: { message: string }) => run.hints?.push(hint) }),
  };
}

/** The context of a polling trigger or of the editor: there are no items. */
export function itemlessContext(run: Run): unknown {
  return {
    ...common(run),
    getNodeParameter: (name: string, fallback?: unknown) => parameter(run, name, 0) ?? fallback,
    getMode: () => run.mode ?? 'trigger',
    getWorkflowStaticData: () => run.staticData ?? {},
    logger: { info: () => undefined, warn: () => undefined },
  };
}

function common(run: Run) {
  const credential = { ...account, ...run.credential };
  return {
    getNode: () => ({ id: '1', name: 'Newsletter', type: 'newsletter', typeVersion: 1, position: [0, 0], parameters: {} }),
    getCredentials: async () => credential,
    helpers: {
      /** Throws on 401 and on a broken connection only, wrapped as n8n wraps it; everything else is an answer. */
      async httpRequestWithAuthentication(_type: string, { method, url, headers, body }: HelperRequest) {
        let response: Response;
        try {
          response = await run.sandbox.fetch(url, { method, headers: { ...headers, authorization: `Bearer ${credential.apiKey}` }, ...(body !== undefined && { body }) });
        } catch (cause) {
          throw new NodeApiError(this, cause);
        }
        const answered = { status: response.status, headers: Object.fromEntries(response.headers), data: await response.text() };
        if (response.status === 401) throw new NodeApiError({}, Object.assign(new Error('Request failed'), { response: answered }));
        return { statusCode: answered.status, headers: answered.headers, body: answered.data };
      },
    },
  };
}

function parameter({ parameters }: Run, name: string, index: number): unknown {
  const [first = '', ...rest] = name.split('.');
  const entered = parameters[first];
  const whole: unknown = typeof entered === 'function' ? (entered as (index: number) => unknown)(index) : entered;
  return rest.reduce<unknown>((value, key) => (typeof value === 'object' && value !== null ? (value as Record<string, unknown>)[key] : undefined), whole);
}

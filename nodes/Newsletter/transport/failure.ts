/** Converts errors to n8n's error classes, with remedies that use the labels of the node's parameters. */
import { type Operation, operations } from '@newsletter-kit/core/contract';
import {
  ApiError,
  type CallName,
  ConfigurationError,
  ForeignAnswerError,
  InvalidAnswerError,
  InvalidRequestError,
  NetworkError,
  NewsletterError,
  RateLimitError,
  RedirectError,
  ServerError,
  TimeoutError,
} from '@newsletter-kit/core/engine';
import { type INode, type INodeProperties, NodeApiError, NodeOperationError } from 'n8n-workflow';
import { usesOAuth2 } from '../parameters/connection.ts';
import { withLabels } from '../parameters/properties.ts';
import { ParameterMismatch } from '../parameters/read.ts';
import { notIncluded } from './credential.ts';

/** Either error class of n8n. */
export type NodeFailure = NodeApiError | NodeOperationError;

type FailureOptions = NonNullable<ConstructorParameters<typeof NodeApiError>[2]>;
type Cause = NonNullable<FailureOptions['failure']>;

const remedies: Readonly<Record<number, string>> = {
  400: 'Correct the fields as the message says.',
  401: 'Check the API Key of the credential: it is missing, wrong, expired, revoked, or the key of another service. If it was revoked, create a new one at the service and enter that.',
  402: notIncluded,
  403: 'The API Key of the credential may not do this. It may be restricted to other publications, or the feature may be off for the organization.',
  404: 'Check the Publication and the other IDs. If the publication was deleted, or the key is restricted to others, choose another Publication in the node or change the Publication ID of the credential.',
  409: 'It already exists, or is already in progress.',
  429: 'The rate limit of the service is exceeded, also after retries. Process fewer items at a time, or try again later.',
};

const notConnected =
  'Open the Newsletter OAuth2 credential and connect it again: its access has expired or was revoked.';

/** The remedy for an answer of another server. */
const wrongAddress = 'Check the Service of the credential; for Other, check the Base URL, which ends with /v2.';

const deletionDisabled =
  'Data deletion has to be enabled for the organization, and the key must not be restricted to publications.';
const unlisted = 'Choose "By ID" in Publication and enter the ID, which begins with pub_.';

/** Remedies of single operations. */
const remediesByOperation: Readonly<Partial<Record<CallName, Readonly<Record<number, string>>>>> = {
  'journeys.enroll': {
    400: 'Check "Subscription", and that the automation in "Automation" has an active Add by API trigger.',
    404: 'Only existing subscribers can be enrolled: check "Subscription" and "Automation". Subscription: Create or Update enrolls a new one by "Automations" in "Additional Fields".',
  },
  'deletionRequests.create': {
    403: deletionDisabled,
    404: 'No publication of the organization has a subscription with this address.',
    409: 'The deletion of this subscriber was already requested. Data Deletion: Get Many shows when it is due.',
  },
  'deletionRequests.list': { 403: deletionDisabled },
  'deletionRequests.get': { 403: deletionDisabled },
  'publicationFields.list': {
    403: 'Publication fields belong to the workspace: the key needs access to every publication in it.',
  },
  'publications.list': {
    403: `The service does not let you list publications. ${unlisted}`,
    404: `The service does not list publications. ${unlisted}`,
  },
};

/** Operations that a service may lack; it then answers 404 without an error body of the API. */
const optional: ReadonlySet<CallName> = new Set(
  operations.flatMap((each: Operation) => (each.extension ? [each.id as CallName] : [])),
);

function remedyFor(node: INode, id: CallName, status: number): string {
  const own =
    remediesByOperation[id]?.[status] ??
    (status === 401 && usesOAuth2(node) ? notConnected : undefined) ??
    remedies[status];
  const scope = operations.find((operation) => operation.id === id)?.scope ?? null;
  const access =
    status === 403 && usesOAuth2(node) && scope !== null
      ? `Access in the Newsletter OAuth2 credential must include ${scope}; connect it again after a change.`
      : '';
  if (own !== undefined) return [own, access].filter(Boolean).join(' ');
  return status >= 500 ? 'The service is not working at the moment; try again later.' : '';
}

/** The item and the parameters of a failure. */
interface FailureContext {
  readonly itemIndex?: number;
  /** The parameters of the operation: messages of the service name fields, the editor shows their labels. */
  readonly parameters?: readonly INodeProperties[];
  /** Parameters of other operations, which messages of the service may name too. */
  readonly others?: readonly INodeProperties[];
}

/**
 * Whether an error may pass by itself: no answer, or a busy or broken service.
 *
 * @param worked - whether the connection has worked before; then also an answer that is not the API's, a redirect and a
 *   certificate that is not accepted, which otherwise mean a wrong address in the credential
 */
export function isOutage(error: unknown, worked: boolean): boolean {
  if (error instanceof ForeignAnswerError) return worked || error.about === 'outage';
  const kinds = [NetworkError, TimeoutError, RateLimitError, ServerError];
  return [...kinds, ...(worked ? [InvalidAnswerError, ConfigurationError] : [])].some((kind) => error instanceof kind);
}

const passing = new WeakSet<NodeFailure>();

/** Whether this failure may pass by itself, so that another try can succeed. */
export const mayPass = (failure: NodeFailure): boolean => passing.has(failure);

/** Converts an error to n8n's error for an item. Errors of n8n are returned as they are. */
export function toNodeFailure(node: INode, error: unknown, context: FailureContext = {}): NodeFailure {
  const failure = converted(node, error, context);
  if (isOutage(error, false)) passing.add(failure);
  return failure;
}

function converted(
  node: INode,
  error: unknown,
  { itemIndex, parameters = [], others = [] }: FailureContext,
): NodeFailure {
  const at: FailureOptions = itemIndex === undefined ? {} : { itemIndex };
  const labelled = (text: string): string => sentence(withLabels(text, [...parameters, ...others]));
  if (error instanceof NodeApiError || error instanceof NodeOperationError) {
    if (itemIndex !== undefined) error.context['itemIndex'] ??= itemIndex;
    return error;
  }
  if (error instanceof ApiError) return apiFailure(node, error, at, labelled);
  if (error instanceof InvalidRequestError) {
    if (error.problems.some((problem) => problem.includes('publicationId'))) return publicationFailure(node, error, at);
    const description = 'Nothing was sent. Correct the fields named above.';
    return new NodeOperationError(node, labelled(error.problems.join('; ')), { ...at, description });
  }
  if (error instanceof ParameterMismatch) return new NodeOperationError(node, sentence(error.message), at);
  if (error instanceof NewsletterError) return connectionFailure(node, error, at);
  return new NodeOperationError(node, error instanceof Error ? error : String(error), at);
}

/** The publication is missing, or its ID is malformed. */
function publicationFailure(node: INode, { problems }: InvalidRequestError, at: FailureOptions): NodeOperationError {
  const missing = problems.includes('"publicationId" is missing');
  const message = missing ? 'No publication is chosen' : 'The ID of the publication does not look like pub_<uuid>';
  const description = missing
    ? 'Choose a Publication in the node, or enter a Publication ID in the credential. Nothing was sent.'
    : 'Correct the Publication of the node; where that is empty, the Publication ID of the credential. Nothing was sent.';
  return new NodeOperationError(node, message, { ...at, description, failure: { cause: 'configuration-invalid' } });
}

/** The service answered an error status. */
function apiFailure(
  node: INode,
  { operation, status, statusText, errors, retryAfterMs }: ApiError,
  at: FailureOptions,
  labelled: (text: string) => string,
): NodeApiError {
  const messages = errors.map(({ message }) => message.replace(/\.$/, '')).filter(Boolean);
  const codes = errors.map(({ code }) => code).filter(Boolean);
  return new NodeApiError(
    node,
    {},
    {
      ...at,
      message:
        messages.length > 0 ? labelled(messages.join('; ')) : `The service answered ${status} ${statusText}`.trim(),
      description: [remedyFor(node, operation, status), `(${[`status ${status}`, ...codes].join(', ')})`]
        .filter(Boolean)
        .join(' '),
      httpCode: String(status),
      failure: causeOf(status, retryAfterMs),
    },
  );
}

/** No answer, one that is not the API's, or a redirect. */
function connectionFailure(node: INode, error: NewsletterError, at: FailureOptions): NodeApiError {
  const text = sentence(error.message.slice(error.operation.length + 2));
  const [message = text, ...rest] = text.split(/(?<=\.) /);
  // n8n replaces a message that has a system's code in it.
  const [code = ''] = / \([A-Z][A-Z\d_]+\)/.exec(message) ?? [];
  const foreign = error instanceof ForeignAnswerError ? error : undefined;
  // A service may lack this operation, and knows no path of it.
  const lacked = foreign?.about === 'address' && optional.has(error.operation);
  const down = foreign ? foreign.about !== 'address' : error instanceof NetworkError || error instanceof TimeoutError;
  const misdirected =
    error instanceof RedirectError || error instanceof InvalidAnswerError || foreign?.about === 'address';
  const configured = misdirected || error instanceof ConfigurationError;
  const advice = rest
    .join(' ')
    .replace('the base URL', 'the Service or Base URL of the credential')
    // n8n has no such setting.
    .replace(/ ?Raise the timeout if the service is slow\./, '');
  return new NodeApiError(
    node,
    {},
    {
      ...at,
      message: message
        .replace(code, '')
        .replace(/\.$/, '')
        .replace(/(\d+) ms/, (_, ms: string) => `${Math.round(Number(ms) / 100) / 10} seconds`),
      description: [
        lacked ? remedyFor(node, error.operation, 404) : misdirected ? wrongAddress : advice || 'Try again later.',
        code.trim(),
      ]
        .filter(Boolean)
        .join(' '),
      ...(configured && { failure: { cause: 'configuration-invalid' } }),
      ...(down && { failure: foreign ? causeOf(503, foreign.retryAfterMs) : { cause: 'temporarily-unavailable' } }),
    },
  );
}

/** The cause by which n8n decides how long to wait before the next poll. */
function causeOf(status: number, retryAfterMs: number | undefined): Cause {
  const timing = retryAfterMs === undefined ? {} : { retryAfterMs };
  if (status === 401) return { cause: 'credential-invalid' };
  if (status === 429) return { cause: 'rate-limited', ...timing };
  if (status >= 500 || status === 408) return { cause: 'temporarily-unavailable', ...timing };
  return { cause: 'configuration-invalid' };
}

function sentence(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1);
}

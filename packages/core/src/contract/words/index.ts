/**
 * Reference documentation of the operations as plain data: what each one does, what its parameters mean, what its
 * errors say, and what the specification leaves open. The schemas, the TSDoc of the client, `api.md`, the OpenAPI
 * document and the n8n nodes take their texts from here. Apart from the operations, so that a bundle of the engine does
 * not carry it.
 */
import type { OperationId, ResourceOf } from '../operations.ts';
import { automationAssumptions, automationWords } from './automations.ts';
import { contentAssumptions, contentWords } from './content.ts';
import { oauthAssumptions, oauthWords } from './oauth.ts';
import type { OperationWords } from './shared.ts';
import { subscriptionAssumptions, subscriptionWords } from './subscriptions.ts';
import { workspaceAssumptions, workspaceWords } from './workspace.ts';

export { filterWords, type OperationWords, type ParametersWords, type ParameterWords } from './shared.ts';
export {
  bulkUpdateItemWords,
  customFieldChangeWords,
  customFieldValueWords,
  statusUpdateWords,
  subscriptionListWords,
  subscriptionRequestWords,
} from './subscriptions.ts';
export { customFieldWords, deletionRequestWords } from './workspace.ts';

/** The documentation of every operation. */
export const words = /* @__PURE__ */ joinWords();

// Functions, so that a bundler can drop what they make: it keeps an object that spreads imported ones.
function joinWords() {
  return {
    ...subscriptionWords,
    ...automationWords,
    ...contentWords,
    ...workspaceWords,
    ...oauthWords,
  } as const satisfies Readonly<Record<OperationId, OperationWords>>;
}

/**
 * What the specification leaves open, operation by operation, and how it is filled here. Empty where nothing is open.
 */
export const assumed = /* @__PURE__ */ joinAssumptions();

function joinAssumptions(): Readonly<Record<OperationId, readonly string[]>> {
  const none = Object.fromEntries(Object.keys(words).map((id) => [id, []]));
  return {
    ...(none as unknown as Readonly<Record<OperationId, readonly string[]>>),
    ...subscriptionAssumptions,
    ...automationAssumptions,
    ...contentAssumptions,
    ...workspaceAssumptions,
    ...oauthAssumptions,
  };
}

/** When 403 is answered by an operation whose errors the specification lists without it. */
export const missingScope = 'The access token lacks the scope of the operation.';

/** A documented error status. */
export interface StatusWords {
  /** Name of the shared response in the OpenAPI document. */
  readonly name: string;
  /** `statusText` of the error body. Values are not shown in the specification. */
  readonly statusText: string;
  /** When it is answered. */
  readonly description: string;
  /** The class of error that the client throws for it. */
  readonly errorClass: string;
  /** When a list that is paged answers it, where that is more. */
  readonly lists?: string;
  /** When an OAuth endpoint answers it (RFC 6749, section 5.2; RFC 7009). */
  readonly oauth?: string;
}

/** The documented error statuses (specification, Errors). */
export const statuses = {
  400: {
    name: 'BadRequest',
    statusText: 'bad_request',
    description: 'The request is invalid.',
    lists: 'The request is invalid, the page is beyond 100, or the cursor is invalid.',
    errorClass: 'BadRequestError',
    oauth: 'The request, its grant or its scope is invalid.',
  },
  401: {
    name: 'Unauthorized',
    statusText: 'unauthorized',
    description: 'The API key or access token is missing, invalid or expired.',
    errorClass: 'UnauthorizedError',
    oauth: 'The client or the token is unknown, or the client failed to authenticate.',
  },
  403: {
    name: 'Forbidden',
    statusText: 'forbidden',
    description: 'The API key or access token is valid but has no access: the scope or the access right is missing.',
    errorClass: 'ForbiddenError',
    oauth: 'The token belongs to another client.',
  },
  404: {
    name: 'NotFound',
    statusText: 'not_found',
    description: 'The addressed resource does not exist, or the API key cannot reach its publication.',
    errorClass: 'NotFoundError',
  },
  409: {
    name: 'Conflict',
    statusText: 'conflict',
    description: 'The request conflicts with an existing record.',
    errorClass: 'ConflictError',
  },
  429: {
    name: 'TooManyRequests',
    statusText: 'too_many_requests',
    description: 'The rate limit is exceeded.',
    errorClass: 'RateLimitError',
  },
  500: {
    name: 'InternalServerError',
    statusText: 'internal_server_error',
    description: 'The service failed.',
    errorClass: 'ServerError',
  },
} as const satisfies Readonly<Record<number, StatusWords>>;

/** Each resource, the part of an operation's id before the dot. */
export const resources = {
  subscriptions: {
    title: 'Subscriptions',
    description: 'The subscribers of a publication: create, list and update them, singly or in bulk.',
  },
  bulkSubscriptionUpdates: {
    title: 'Bulk subscription updates',
    description: 'The jobs started by bulk updates: their status and their error logs.',
  },
  automations: {
    title: 'Automations',
    description: 'Series of e-mails started by a trigger, and the statistics of those e-mails.',
  },
  journeys: { title: 'Journeys', description: "A subscriber's way through an automation." },
  authors: { title: 'Authors', description: 'The authors of a publication.' },
  advertisementOpportunities: {
    title: 'Advertisement opportunities',
    description: 'Offers of advertisers that the publication has accepted.',
  },
  complimentaryAccess: { title: 'Complimentary access', description: 'Gifts of a premium tier.' },
  conditionSets: { title: 'Condition sets', description: 'Reusable audience segments.' },
  customFields: {
    title: 'Custom fields',
    description: "A publication's own fields, with a value per subscription.",
  },
  deletionRequests: {
    title: 'Deletion requests',
    description: "Redaction of a subscriber's data from every publication, 14 days after the request.",
  },
  publicationFields: {
    title: 'Publication fields',
    description: 'Fields of the workspace with a value per publication, for use in content through merge tags.',
  },
  publications: {
    title: 'Publications',
    description: 'The publications that the API key or the account may use. An extension of the specification.',
  },
  oauth: {
    title: 'OAuth 2.0',
    description: 'Authorization code flow with refresh, revocation and introspection of tokens.',
  },
} as const satisfies Readonly<
  Record<ResourceOf<OperationId>, { readonly title: string; readonly description: string }>
>;

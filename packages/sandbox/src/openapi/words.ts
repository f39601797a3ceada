/** What the OpenAPI document says in words where the contract has only a name: resources, parameters, statuses. */
import { publicationId } from '../world/fixed.ts';

/** Each resource – the part of an operation's id before the dot – as a tag. */
export const resources: Readonly<Record<string, { readonly title: string; readonly description: string }>> = {
  subscriptions: {
    title: 'Subscriptions',
    description: 'The people who receive a publication: create, list, and change them singly or in bulk.',
  },
  bulkSubscriptionUpdates: {
    title: 'Bulk subscription updates',
    description: 'The jobs behind bulk changes: their state and what failed.',
  },
  automations: {
    title: 'Automations',
    description: 'Series of e-mails that something sets off, and how those e-mails fared.',
  },
  journeys: { title: 'Journeys', description: 'The way of one subscriber through an automation.' },
  authors: { title: 'Authors', description: 'Who writes a publication.' },
  advertisementOpportunities: {
    title: 'Advertisement opportunities',
    description: 'Offers of advertisers that were accepted.',
  },
  complimentaryAccess: { title: 'Complimentary access', description: 'Gifts of a premium tier.' },
  conditionSets: { title: 'Condition sets', description: 'Audience segments for use in more than one place.' },
  customFields: {
    title: 'Custom fields',
    description: 'What a publication keeps of its subscribers beyond the usual.',
  },
  deletionRequests: {
    title: 'Deletion requests',
    description: 'Erasing a person from every publication, after 14 days.',
  },
  publicationFields: {
    title: 'Publication fields',
    description: 'A value per publication that content refers to by a merge tag.',
  },
  oauth: {
    title: 'OAuth 2.0',
    description: 'Authorization code flow with refresh tokens, revocation and introspection.',
  },
};

/** The parameters of paths, each with an example that the standard seeds hold where there is a fixed one. */
export const pathParameters: Readonly<Record<string, { readonly description: string; readonly example?: string }>> = {
  publicationId: { description: 'Prefixed id of the publication, pub_<uuid>.', example: publicationId },
  automationId: { description: 'Id of the automation.' },
  automationJourneyId: { description: 'Id of the journey.' },
  authorId: { description: 'UUID, full name or first name of the author.' },
  complimentaryAccessId: { description: 'Id of the complimentary access object.' },
  conditionSetId: { description: 'Id of the condition set.' },
  id: { description: 'Id of the record.' },
};

/** The parameters of queries; one name means one thing wherever it stands, unless `operation.name` says otherwise. */
export const queryParameters: Readonly<Record<string, string>> = {
  'expand[]': 'What to add to each record; repeat it for more than one.',
  limit: 'Records per page; 10 when left out.',
  cursor: 'The next_cursor of the page before. Treat it as opaque.',
  page: 'Offset pagination, deprecated: reaches no further than page 100. Use cursor where there is one.',
  status: 'Keeps records of this status.',
  tier: 'Keeps subscriptions of this tier.',
  'premium_tiers[]': 'Keeps subscriptions in one of these premium tiers, by name.',
  'premium_tier_ids[]': 'Keeps subscriptions in one of these premium tiers, by id.',
  email: 'Keeps the subscription of this address, in any case of its letters.',
  order_by: 'What the list is ordered by.',
  direction: 'asc, smallest first, is the default.',
  creation_date: 'Keeps subscriptions created on this day, YYYY/MM/DD.',
  name: 'Keeps authors of this full or first name.',
  purpose: 'Keeps condition sets of this purpose.',
  client_id: "The client's uid.",
  redirect_uri: 'Where the code is sent; exactly as registered.',
  response_type: 'Always code.',
  scope: 'What is asked for, separated by spaces.',
  state: 'Comes back unchanged; guards against forged requests.',
  code_challenge: 'PKCE (RFC 7636); required for public clients.',
  code_challenge_method: 'How the challenge was made from the verifier.',
};

/** Each documented error status: its name as a component, and when it is answered. */
export const errorStatuses: Readonly<
  Record<number, { readonly name: string; readonly statusText: string; readonly description: string }>
> = {
  400: {
    name: 'BadRequest',
    statusText: 'bad_request',
    description: 'The request is invalid, its page is beyond 100, or its cursor is not one.',
  },
  401: {
    name: 'Unauthorized',
    statusText: 'unauthorized',
    description: 'The API key or access token is missing, invalid or expired.',
  },
  403: { name: 'Forbidden', statusText: 'forbidden', description: 'The key or token is valid, but not for this.' },
  404: { name: 'NotFound', statusText: 'not_found', description: 'What is addressed does not exist.' },
  409: { name: 'Conflict', statusText: 'conflict', description: 'An open deletion request for this address exists.' },
  429: { name: 'TooManyRequests', statusText: 'too_many_requests', description: 'Too many requests.' },
  500: { name: 'InternalServerError', statusText: 'internal_server_error', description: 'The service failed.' },
};

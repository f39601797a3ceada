/**
 * The schemas: what each operation takes and answers, in zod, as the specification has it. Answers are strict: what it
 * requires is required, enums are closed, no other key is allowed. {@link tolerant} derives the reading of the client
 * from them. The TypeScript types are generated from here (`types.ts`).
 */
import * as z from 'zod/mini';
import type { OperationId } from '../contract/index.ts';
import * as automations from './automations.ts';
import * as content from './content.ts';
import * as oauth from './oauth.ts';
import * as shape from './shapes.ts';
import * as subscriptions from './subscriptions.ts';
import * as workspace from './workspace.ts';

export { fieldOf, fieldPath, fieldsIn, type DeclaredField } from './fields.ts';
export { oauthError } from './oauth.ts';
export { errorBody } from './shapes.ts';
export { address, bulkUpdateItem, customFieldValue, subscription, subscriptionRequest } from './subscriptions.ts';
export { tolerant } from './tolerant.ts';
export type * from './types.ts';

/** An answer without a body. */
const empty = z.null();

/** What one operation takes in its query (repeatable names without `[]`) and body, and what it answers. */
export interface OperationSchemas {
  readonly query?: z.ZodMiniObject;
  readonly body?: z.ZodMiniObject;
  /** The strict reading. */
  readonly answer: z.ZodMiniType;
}

const bulkUpdate = { body: subscriptions.bulkUpdate, answer: subscriptions.bulkUpdateStarted };
const updateStatus = { body: subscriptions.statusUpdate, answer: empty };
const oneAutomation = shape.enveloped(automations.automation, 'The automation.');
const oneCustomField = shape.enveloped(workspace.customField, 'The custom field.');
const oneDeletionRequest = shape.enveloped(workspace.deletionRequest, 'The deletion request.');
const oneJourney = shape.enveloped(automations.journey, 'The journey.');

/** Schemas of every operation, by its id in the contract. */
export const schemas = {
  'subscriptions.create': { body: subscriptions.subscriptionRequest, answer: subscriptions.createdSubscription },
  'subscriptions.list': {
    query: subscriptions.subscriptionQuery,
    answer: shape.cursorOrOffsetList(subscriptions.subscription),
  },
  'subscriptions.bulkCreate': { body: subscriptions.bulkCreation, answer: subscriptions.bulkCreated },
  'subscriptions.bulkUpdate': bulkUpdate,
  'subscriptions.bulkUpdatePut': bulkUpdate,
  'subscriptions.updateStatus': updateStatus,
  'subscriptions.updateStatusPut': updateStatus,
  'bulkSubscriptionUpdates.list': { answer: shape.wholeList(subscriptions.bulkSubscriptionUpdate) },
  'bulkSubscriptionUpdates.get': { answer: shape.enveloped(subscriptions.bulkSubscriptionUpdate, 'The update job.') },
  'automations.list': { query: automations.automationListQuery, answer: shape.offsetList(automations.automation) },
  'automations.get': { query: automations.automationQuery, answer: oneAutomation },
  'automations.listEmails': {
    query: automations.automationEmailsQuery,
    answer: shape.cursorOrOffsetList(automations.automationEmail),
  },
  'journeys.enroll': { body: automations.enrollment, answer: oneJourney },
  'journeys.list': { query: automations.journeysQuery, answer: shape.offsetList(automations.journey) },
  'journeys.get': { answer: oneJourney },
  'authors.list': { query: content.authorQuery, answer: shape.offsetList(content.author) },
  'authors.get': { answer: shape.enveloped(content.author, 'The author.') },
  'advertisementOpportunities.list': { answer: shape.countedList(content.advertisementOpportunity) },
  'complimentaryAccess.list': {
    query: content.complimentaryAccessListQuery,
    answer: shape.cursorList(content.complimentaryAccess),
  },
  'complimentaryAccess.get': {
    query: content.complimentaryAccessQuery,
    answer: shape.enveloped(content.complimentaryAccess, 'The complimentary access object.'),
  },
  'conditionSets.list': {
    query: content.conditionSetListQuery,
    answer: shape.cursorOrOffsetList(content.conditionSet),
  },
  'conditionSets.get': {
    query: content.conditionSetQuery,
    answer: shape.enveloped(content.conditionSet, 'The condition set.'),
  },
  'customFields.create': { body: workspace.customFieldRequest, answer: oneCustomField },
  'customFields.list': { answer: shape.offsetList(workspace.customField) },
  'customFields.get': { answer: oneCustomField },
  'customFields.update': { body: workspace.customFieldRename, answer: oneCustomField },
  'customFields.updatePut': { body: workspace.customFieldRename, answer: oneCustomField },
  'customFields.delete': { answer: empty },
  'deletionRequests.create': { body: workspace.deletionRequestBody, answer: oneDeletionRequest },
  'deletionRequests.list': { answer: shape.cursorList(workspace.deletionRequest) },
  'deletionRequests.get': { answer: oneDeletionRequest },
  'publicationFields.list': {
    query: workspace.publicationFieldQuery,
    answer: shape.cursorOrOffsetList(workspace.publicationField, { total: true }),
  },
  'publications.list': { query: workspace.publicationQuery, answer: shape.offsetList(workspace.publication) },
  'oauth.authorize': { query: oauth.authorizeQuery, answer: empty },
  'oauth.exchange': { body: oauth.exchangeBody, answer: oauth.tokens },
  'oauth.refresh': { body: oauth.refreshBody, answer: oauth.tokens },
  'oauth.revoke': { body: oauth.tokenBody, answer: oauth.revoked },
  'oauth.introspect': { body: oauth.tokenBody, answer: oauth.introspection },
  'oauth.tokenInfo': { answer: oauth.tokenInfo },
} as const satisfies Record<OperationId, OperationSchemas>;

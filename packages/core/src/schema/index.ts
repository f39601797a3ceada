/**
 * The schemas: what each operation takes and answers, in zod. Requests are strict, answers loose (unknown keys are
 * kept, enums are open, absent equals null). The TypeScript types of the client come from here.
 */
import * as z from 'zod';
import type { OperationId } from '../contract/index.ts';
import { bulkUpdateLimit, newStatuses } from '../contract/values.ts';
import * as automations from './automations.ts';
import * as content from './content.ts';
import * as oauth from './oauth.ts';
import * as shape from './shapes.ts';
import * as subscriptions from './subscriptions.ts';
import * as workspace from './workspace.ts';

export * from './automations.ts';
export * from './content.ts';
export * from './oauth.ts';
export { errorBody, errorDetail, listOf } from './shapes.ts';
export * from './subscriptions.ts';
export * from './workspace.ts';

/** An answer without a body. */
const empty = z.null();

const none = {};

/** What one operation takes in its query (repeatable names without `[]`) and body, and what it answers. */
export interface OperationSchemas {
  readonly query?: z.ZodObject;
  readonly body?: z.ZodObject;
  readonly answer: z.ZodType;
}

const bulkUpdate = {
  body: z.strictObject({ subscriptions: z.array(subscriptions.bulkUpdateItem).min(1).max(bulkUpdateLimit) }),
  answer: subscriptions.bulkUpdateStarted,
};
const updateStatus = {
  body: z.strictObject({
    subscription_ids: z.array(z.string()).min(1),
    new_status: z.enum(newStatuses),
  }),
  answer: empty,
};
const oneCustomField = shape.enveloped(workspace.customField);

/** Schemas of every operation, by its id in the contract. */
export const schemas = {
  'subscriptions.create': { body: subscriptions.subscriptionRequest, answer: subscriptions.createdSubscription },
  'subscriptions.list': { query: subscriptions.subscriptionQuery, answer: shape.listOf(subscriptions.subscription) },
  'subscriptions.bulkCreate': {
    body: z.strictObject({ subscriptions: z.array(subscriptions.subscriptionRequest).min(1) }),
    answer: subscriptions.bulkCreated,
  },
  'subscriptions.bulkUpdate': bulkUpdate,
  'subscriptions.bulkUpdatePut': bulkUpdate,
  'subscriptions.updateStatus': updateStatus,
  'subscriptions.updateStatusPut': updateStatus,
  'bulkSubscriptionUpdates.list': { answer: shape.listOf(subscriptions.bulkSubscriptionUpdate) },
  'bulkSubscriptionUpdates.get': { answer: shape.enveloped(subscriptions.bulkSubscriptionUpdate) },
  'automations.list': { query: automations.automationListQuery, answer: shape.listOf(automations.automation) },
  'automations.get': { query: automations.automationQuery, answer: shape.enveloped(automations.automation) },
  'automations.listEmails': {
    query: automations.automationEmailsQuery,
    answer: shape.listOf(automations.automationEmail),
  },
  'journeys.enroll': { body: automations.enrollment, answer: shape.enveloped(automations.journey) },
  'journeys.list': { query: automations.journeysQuery, answer: shape.listOf(automations.journey) },
  'journeys.get': { answer: shape.enveloped(automations.journey) },
  'authors.list': { query: content.authorQuery, answer: shape.listOf(content.author) },
  'authors.get': { answer: shape.enveloped(content.author) },
  'advertisementOpportunities.list': { answer: shape.listOf(content.advertisementOpportunity) },
  'complimentaryAccess.list': {
    query: content.complimentaryAccessListQuery,
    answer: shape.listOf(content.complimentaryAccess),
  },
  'complimentaryAccess.get': {
    query: content.complimentaryAccessQuery,
    answer: shape.enveloped(content.complimentaryAccess),
  },
  'conditionSets.list': { query: content.conditionSetListQuery, answer: shape.listOf(content.conditionSet) },
  'conditionSets.get': { query: content.conditionSetQuery, answer: shape.enveloped(content.conditionSet) },
  'customFields.create': { body: workspace.customFieldRequest, answer: oneCustomField },
  'customFields.list': { answer: shape.listOf(workspace.customField) },
  'customFields.get': { answer: oneCustomField },
  'customFields.update': { body: workspace.customFieldRename, answer: oneCustomField },
  'customFields.updatePut': { body: workspace.customFieldRename, answer: oneCustomField },
  'customFields.delete': { answer: empty },
  'deletionRequests.create': {
    body: workspace.deletionRequestBody,
    answer: shape.enveloped(workspace.deletionRequest),
  },
  'deletionRequests.list': { answer: shape.listOf(workspace.deletionRequest) },
  'deletionRequests.get': { answer: shape.enveloped(workspace.deletionRequest) },
  'publicationFields.list': {
    query: workspace.publicationFieldQuery,
    answer: shape.listOf(workspace.publicationField),
  },
  'oauth.authorize': { query: oauth.authorizeQuery, answer: empty },
  'oauth.exchange': { body: oauth.exchangeBody, answer: oauth.tokens },
  'oauth.refresh': { body: oauth.refreshBody, answer: oauth.tokens },
  'oauth.revoke': { body: oauth.tokenBody, answer: oauth.revoked },
  'oauth.introspect': { body: oauth.tokenBody, answer: oauth.introspection },
  'oauth.tokenInfo': { answer: oauth.tokenInfo },
} as const satisfies Record<OperationId, OperationSchemas>;

/** The schemas of all operations, typed per id. */
export type Schemas = typeof schemas;

type QueryOf<S> = S extends { readonly query: infer Q extends z.ZodType } ? z.input<Q> : typeof none;
type BodyOf<S> = S extends { readonly body: infer B extends z.ZodType } ? z.input<B> : typeof none;

/** Query of one operation, as its caller writes it. */
export type Query<Id extends OperationId> = QueryOf<Schemas[Id]>;
/** Body of one operation, as its caller writes it. */
export type RequestBody<Id extends OperationId> = BodyOf<Schemas[Id]>;
/** Answer of one operation. */
export type Answer<Id extends OperationId> = z.output<Schemas[Id]['answer']>;

export type Subscription = z.output<typeof subscriptions.subscription>;
export type SubscriptionRequest = z.input<typeof subscriptions.subscriptionRequest>;
export type CustomFieldValue = z.output<typeof subscriptions.customFieldValue>;
export type CustomField = z.output<typeof workspace.customField>;
export type BulkUpdateItem = z.input<typeof subscriptions.bulkUpdateItem>;
export type BulkSubscriptionUpdate = z.output<typeof subscriptions.bulkSubscriptionUpdate>;
export type Automation = z.output<typeof automations.automation>;
export type AutomationEmail = z.output<typeof automations.automationEmail>;
export type Journey = z.output<typeof automations.journey>;
export type Author = z.output<typeof content.author>;
export type AdvertisementOpportunity = z.output<typeof content.advertisementOpportunity>;
export type ComplimentaryAccess = z.output<typeof content.complimentaryAccess>;
export type ConditionSet = z.output<typeof content.conditionSet>;
export type DeletionRequest = z.output<typeof workspace.deletionRequest>;
export type PublicationField = z.output<typeof workspace.publicationField>;
export type Tokens = z.output<typeof oauth.tokens>;
export type ErrorDetail = z.output<typeof shape.errorDetail>;

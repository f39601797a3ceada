/** The schemas that have a name in the OpenAPI document, each with core's schema of it. */
import * as schema from '@newsletter-kit/core/schema';
import type * as z from 'zod';

/** Every name is used once: what a request holds is described as it is sent, everything else as it is answered. */
export const named = {
  SubscriptionRequest: schema.subscriptionRequest,
  CustomFieldValue: schema.customFieldInput,
  BulkUpdateItem: schema.bulkUpdateItem,
  Enrollment: schema.enrollment,
  CustomFieldRequest: schema.customFieldRequest,
  CustomFieldRename: schema.customFieldRename,
  DeletionRequestBody: schema.deletionRequestBody,
  OAuthCodeExchange: schema.exchangeBody,
  OAuthRefresh: schema.refreshBody,
  OAuthTokenRequest: schema.tokenBody,

  Subscription: schema.subscription,
  CustomFieldOnSubscription: schema.customFieldOnSubscription,
  SubscriptionTierInfo: schema.subscriptionTierInfo,
  SubscriptionStats: schema.subscriptionStats,
  BulkSubscriptionUpdate: schema.bulkSubscriptionUpdate,
  Automation: schema.automation,
  AutomationEmail: schema.automationEmail,
  EmailStats: schema.emailStats,
  Journey: schema.journey,
  Author: schema.author,
  AdvertisementOpportunity: schema.advertisementOpportunity,
  ComplimentaryAccess: schema.complimentaryAccess,
  Tier: schema.tier,
  ConditionSet: schema.conditionSet,
  CustomField: schema.customField,
  DeletionRequest: schema.deletionRequest,
  PublicationField: schema.publicationField,
  ErrorDetail: schema.errorDetail,
  ErrorBody: schema.errorBody,
  OAuthTokens: schema.tokens,
  OAuthIntrospection: schema.introspection,
  OAuthTokenInfo: schema.tokenInfo,
  OAuthError: schema.oauthError,
} as const satisfies Readonly<Record<string, z.ZodType>>;

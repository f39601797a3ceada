/**
 * Reference documentation of the operations as plain data: what each one does, what its parameters mean, what its
 * errors say. The schemas, the TSDoc of the client, `api.md`, the OpenAPI document and the n8n nodes take their words
 * from here. Apart from the operations, so that a bundle of the engine does not carry it.
 */
import type { OperationId } from './operations.ts';

/** What the documentation says about one parameter or field of a request. */
export interface ParameterWords {
  /** Meaning, unit and limits, in whole sentences. The default value stands in `default`. */
  readonly text: string;
  /** The value the service uses when none is sent. */
  readonly default?: string | number | boolean;
}

/** Parameters by name; repeatable ones without their `[]`. */
export type ParametersWords = Readonly<Record<string, ParameterWords>>;

/** What the documentation says about one operation, beyond its one line `doc`. */
export interface OperationWords {
  /** What it does, and what to know before calling it. */
  readonly description: string;
  /** What the answer holds. */
  readonly returns: string;
  /** The part of the specification that the operation comes from. */
  readonly section: string;
  /** Path, query and body parameters, in the order of the contract. */
  readonly parameters: ParametersWords;
  /** What an error status means here, where it says more than {@link statuses}. */
  readonly errors?: Readonly<Partial<Record<number, string>>>;
  /** Arguments of a call that succeeds, as TypeScript. */
  readonly example?: string;
}

const publicationId = {
  text: 'Prefixed ID of the publication, for example `pub_00000000-0000-4000-8000-000000000001`.',
} as const satisfies ParameterWords;

const limit = {
  text: 'Number of records per page, from 1 to 100.',
  default: 10,
} as const satisfies ParameterWords;

const cursor = {
  text: 'Where the page starts: the `next_cursor` of the previous answer, unchanged. Cannot be combined with `page`.',
} as const satisfies ParameterWords;

const page = {
  text: 'Number of the page, from 1 to 100. Offset pagination is deprecated; use `cursor` where the list has one.',
  default: 1,
} as const satisfies ParameterWords;

const cursorOrPage = { limit, cursor, page } as const;

const automationId = { text: 'Prefixed ID of the automation, `aut_<uuid>`.' } as const satisfies ParameterWords;

const customFieldId = { text: 'ID of the custom field, a UUID without a prefix.' } as const satisfies ParameterWords;

/** Body of the creation of a custom field. */
export const customFieldWords = {
  kind: { text: 'Type of the values. It cannot be changed later.' },
  display: {
    text: 'Label of the field, unique within the publication. Subscriptions refer to the field by this label.',
  },
} as const satisfies ParametersWords;

const doubleOptOverride =
  '`on` sends the double opt-in confirmation e-mail, and the subscriber must confirm before becoming active. `off` activates the subscription immediately without a confirmation e-mail. `not_set` applies the setting of the publication.';

/** Fields of a SubscriptionRequest: the body of subscription creation and the item of bulk creation. */
export const subscriptionRequestWords = {
  email: { text: 'E-mail address of the subscriber.' },
  reactivate_existing: {
    text: 'Whether to reactivate a subscription that has unsubscribed. Use it only when the subscriber knowingly subscribes again.',
    default: false,
  },
  send_welcome_email: { text: 'Whether to send the welcome e-mail of the publication.', default: false },
  utm_source: { text: 'Acquisition source, for example `google`.' },
  utm_medium: { text: 'Acquisition medium, for example `cpc`.' },
  utm_campaign: { text: 'Acquisition campaign, for example `spring_sale`.' },
  utm_term: { text: 'Acquisition keyword or search term.' },
  utm_content: { text: 'Content or A/B variation that led to the subscription.' },
  referring_site: { text: 'Website the subscriber came from.' },
  referral_code: {
    text: 'The `referral_code` of another subscriber, who receives credit for the referral.',
  },
  custom_fields: {
    text: 'Values of custom fields. The fields must already exist on the publication; unknown ones are dropped and reported in `warnings`.',
  },
  double_opt_override: { text: doubleOptOverride },
  tier: { text: 'Subscription tier. `premium_tiers` and `premium_tier_ids` take precedence.' },
  premium_tiers: {
    text: 'Names of the premium tiers to assign. Combined with `premium_tier_ids` without duplicates; takes precedence over `tier`.',
  },
  premium_tier_ids: {
    text: 'Prefixed IDs of the premium tiers to assign, `tier_<uuid>`. Combined with `premium_tiers` without duplicates; takes precedence over `tier`.',
  },
  payments_customer_id: { text: 'Customer ID of the subscriber at the payment processor.' },
  automation_ids: {
    text: 'Prefixed IDs of automations to enroll the subscriber into, `aut_<uuid>`. Each needs an active Add by API trigger.',
  },
  newsletter_list_ids: {
    text: 'Prefixed IDs of the newsletter lists to subscribe to, `nl_list_<uuid>`. They must belong to the same publication.',
  },
  skip_newsletter_list_auto_subscribe: {
    text: 'Whether to leave out the newsletter lists that new subscribers join automatically.',
    default: false,
  },
  complimentary_gift_id: {
    text: 'Prefixed ID of a complimentary access object of the same publication to apply, `comp_access_<uuid>`.',
  },
} as const satisfies ParametersWords;

/** Query of the subscription list. */
export const subscriptionListWords = {
  expand: {
    text: 'Data to add to each subscription: `subscription_premium_tiers` (its premium tiers), `referrals` (ID, address and status of the subscriptions it referred), `stats` (e-mail engagement), `custom_fields`, `newsletter_lists` (adds `newsletter_list_ids`), `tags`.',
  },
  status: { text: 'Only subscriptions of this status.', default: 'all' },
  tier: { text: 'Only subscriptions of this tier.', default: 'all' },
  premium_tiers: { text: 'Only subscriptions in at least one of the premium tiers with these names.' },
  premium_tier_ids: { text: 'Only subscriptions in at least one of the premium tiers with these prefixed IDs.' },
  ...cursorOrPage,
  email: { text: 'Only the subscription with this address. Exact match, case-insensitive.' },
  order_by: {
    text: 'Field the list is sorted by: `created`, the time the subscription was first created.',
    default: 'created',
  },
  direction: { text: 'Sort direction: `asc` is smallest to largest, `desc` largest to smallest.', default: 'asc' },
  creation_date: { text: 'Only subscriptions created on this day, as `YYYY/MM/DD` in UTC.' },
} as const satisfies ParametersWords;

/** Fields of a CustomFieldValue: a custom field as it is set on a subscription. */
export const customFieldValueWords = {
  name: { text: 'The `display` label of an existing custom field, spelled exactly.' },
  value: {
    text: 'Value to store: a string, number or boolean, or a list of strings for fields of kind `list`.',
  },
} as const satisfies ParametersWords;

/** Fields of one item of the bulk subscription update. */
export const bulkUpdateItemWords = {
  subscription_id: { text: 'Prefixed ID of the subscription to update, `sub_<uuid>`.' },
  tier: { text: 'New subscription tier.' },
  payments_customer_id: { text: 'New customer ID at the payment processor.' },
  unsubscribe: {
    text: 'Whether to unsubscribe the subscriber. False does not reactivate an inactive subscription.',
    default: false,
  },
  custom_fields: { text: 'Custom field values to set or to remove. Fields that are not named keep their values.' },
  newsletter_list_ids: {
    text: 'Prefixed IDs of newsletter lists to add, `nl_list_<uuid>`. Existing memberships are kept. Cannot be combined with `unsubscribe`.',
  },
  unsubscribe_newsletter_list_ids: {
    text: 'Prefixed IDs of newsletter lists to leave, `nl_list_<uuid>`. A list must not appear in `newsletter_list_ids` as well.',
  },
  complimentary_gift_id: { text: 'Prefixed ID of a complimentary access object to apply, `comp_access_<uuid>`.' },
} as const satisfies ParametersWords;

/** Fields of a custom field in an item of the bulk subscription update. */
export const customFieldChangeWords = {
  ...customFieldValueWords,
  delete: { text: "Whether to remove the field's value from the subscription.", default: false },
} as const satisfies ParametersWords;

/** Body of the status update. */
export const statusUpdateWords = {
  subscription_ids: { text: 'Prefixed IDs of the subscriptions, `sub_<uuid>`, at least one.' },
  new_status: { text: 'The status to set.' },
} as const satisfies ParametersWords;

/** Body of a deletion request. */
export const deletionRequestWords = {
  email: { text: 'Address of the subscriber to delete.' },
} as const satisfies ParametersWords;

/** Filters of the lists beside that of subscriptions. */
export const filterWords = {
  authorName: { text: 'Only authors with this full name or first name. Case-insensitive.' },
  conditionSetPurpose: { text: 'Only condition sets for this purpose. All purposes when left out.' },
  journeyStatus: { text: 'Only journeys of this status.', default: 'all' },
  publicationFieldStatus: { text: 'Only fields of this status; `all` includes archived ones.', default: 'active' },
} as const satisfies ParametersWords;

const bulkUpdate = {
  description:
    'Starts a job that updates tiers, custom fields, newsletter lists or consent, each subscription with its own values. The job runs after the answer: read its status and error log with `bulkSubscriptionUpdates.get`.',
  returns: 'The ID of the update job.',
  section: 'Endpoints, Subscriptions',
  parameters: {
    publicationId,
    subscriptions: { text: 'The updates, at least 1 and at most 1000.' },
  },
  example: "{ subscriptions: [{ subscription_id: 'sub_00000000-0000-4000-8000-000000000001', tier: 'premium' }] }",
} as const satisfies OperationWords;

const updateStatus = {
  description:
    'Starts a job that sets the same status on every subscription named. The answer carries no job ID: find the job with `bulkSubscriptionUpdates.list`.',
  returns: 'Nothing: the answer has no body.',
  section: 'Endpoints, Subscriptions',
  parameters: {
    publicationId,
    ...statusUpdateWords,
  },
  example: "{ subscription_ids: ['sub_00000000-0000-4000-8000-000000000001'], new_status: 'inactive' }",
} as const satisfies OperationWords;

const rename = {
  description: 'Changes the label of a custom field. Values stored on subscriptions are kept.',
  returns: 'The custom field.',
  section: 'Endpoints, Custom fields',
  parameters: {
    publicationId,
    id: customFieldId,
    display: { text: 'New label of the field. Subscriptions refer to the field by this label.' },
  },
  example: "{ id: '00000000-0000-4000-8000-000000000001', display: 'First name' }",
} as const satisfies OperationWords;

const automationExpand = {
  text: 'Data to add to each automation: `stats` adds journey and e-mail statistics.',
} as const satisfies ParameterWords;

const noDeletionForbidden =
  'The scope is missing, the organization has no access to data deletion, or the API key is restricted to specific publications.';

const clientId = { text: "The OAuth client's ID (uid)." } as const satisfies ParameterWords;
const clientSecret = {
  text: "The OAuth client's secret. Required for confidential clients; public clients leave it out.",
} as const satisfies ParameterWords;
const oauthSection = 'Authentication, OAuth 2.0 authorization code flow';
const tokenParameters = {
  token: { text: 'The access token or refresh token.' },
  token_type_hint: { text: 'Kind of the token. A wrong hint does not make the call fail.' },
  client_id: clientId,
  client_secret: clientSecret,
} as const satisfies ParametersWords;

/** The documentation of every operation. */
export const words = {
  'subscriptions.create': {
    description:
      'Creates a subscription, or updates and returns the existing one when the address is already known; which fields are applied then is not specified. Custom fields that are unknown or have no name are dropped, and `warnings` describes them; this is not an error. `automation_ids` enrolls the subscriber after creation.',
    returns: 'The subscription, and `warnings` for custom fields that could not be resolved.',
    section: 'Endpoints, Subscriptions; Resources, SubscriptionRequest',
    parameters: { publicationId, ...subscriptionRequestWords },
    example: "{ email: 'ada@example.com', utm_source: 'landing-page' }",
  },
  'subscriptions.list': {
    description:
      'Lists the subscriptions of a publication, oldest first unless `direction` says otherwise. Filters combine: a subscription must match all of them. `expand` adds data that is left out by default.',
    returns: 'Subscriptions, page by page.',
    section: 'Endpoints, Subscriptions; Pagination',
    parameters: {
      publicationId,
      ...subscriptionListWords,
    },
    example: "{ status: 'active', expand: ['custom_fields'] }",
  },
  'subscriptions.bulkCreate': {
    description:
      'Starts an import of many subscriptions. It runs after the answer, and no operation reads its result: rows that the service refuses are not reported.',
    returns: 'A message, and the ID of the import.',
    section: 'Endpoints, Subscriptions; Resources, SubscriptionRequest',
    parameters: {
      publicationId,
      subscriptions: {
        text: 'The subscriptions to create, at least one. Each takes the fields of `subscriptions.create`.',
      },
    },
    example: "{ subscriptions: [{ email: 'ada@example.com' }, { email: 'grace@example.com' }] }",
  },
  'bulkSubscriptionUpdates.list': {
    description:
      'Lists the jobs started by bulk updates and status updates. Imports by `subscriptions.bulkCreate` are not among them.',
    returns: 'The update jobs, all in one page.',
    section: 'Endpoints, Subscriptions',
    parameters: { publicationId },
  },
  'bulkSubscriptionUpdates.get': {
    description: 'Reads the status of a bulk update job, and the error log of the items that failed.',
    returns: 'The update job.',
    section: 'Endpoints, Subscriptions',
    parameters: { publicationId, id: { text: 'ID of the update job, without a prefix.' } },
    example: "{ id: '00000000-0000-4000-8000-000000000001' }",
  },
  'subscriptions.bulkUpdate': bulkUpdate,
  'subscriptions.bulkUpdatePut': bulkUpdate,
  'subscriptions.updateStatus': updateStatus,
  'subscriptions.updateStatusPut': updateStatus,
  'automations.list': {
    description: 'Lists the automations of a publication.',
    returns: 'Automations, page by page.',
    section: 'Endpoints, Automations; Pagination',
    parameters: { publicationId, expand: automationExpand, limit, page },
  },
  'automations.get': {
    description: 'Reads one automation.',
    returns: 'The automation.',
    section: 'Endpoints, Automations',
    parameters: { publicationId, automationId, expand: automationExpand },
    example: "{ automationId: 'aut_00000000-0000-4000-8000-000000000001', expand: ['stats'] }",
  },
  'automations.listEmails': {
    description: 'Lists the e-mails that an automation sends, each with its engagement statistics.',
    returns: 'Automation e-mails, page by page.',
    section: 'Endpoints, Automations; Pagination',
    parameters: { publicationId, automationId, ...cursorOrPage },
    example: "{ automationId: 'aut_00000000-0000-4000-8000-000000000001' }",
  },
  'journeys.enroll': {
    description:
      'Enrolls an existing subscriber into an automation, immediately. The automation needs an active Add by API trigger. Name the subscriber by `email` or by `subscription_id`; one of the two is required. New subscribers are enrolled with `automation_ids` of `subscriptions.create`.',
    returns: 'The journey that has begun.',
    section: 'Endpoints, Automations',
    parameters: {
      publicationId,
      automationId,
      email: { text: 'Address of the existing subscriber. Required unless `subscription_id` is given.' },
      subscription_id: {
        text: 'Prefixed ID of the existing subscription, `sub_<uuid>`. Required unless `email` is given.',
      },
      double_opt_override: { text: doubleOptOverride },
    },
    errors: {
      400: 'The request is invalid, or the automation has no active Add by API trigger.',
      404: 'The publication, the automation or the subscriber does not exist.',
    },
    example: "{ automationId: 'aut_00000000-0000-4000-8000-000000000001', email: 'ada@example.com' }",
  },
  'journeys.list': {
    description: 'Lists the journeys of an automation: one for each time a subscriber entered it.',
    returns: 'Journeys, page by page.',
    section: 'Endpoints, Automations; Pagination',
    parameters: {
      publicationId,
      automationId,
      status: filterWords.journeyStatus,
      limit,
      page,
    },
    example: "{ automationId: 'aut_00000000-0000-4000-8000-000000000001', status: 'in_progress' }",
  },
  'journeys.get': {
    description: 'Reads one journey of an automation.',
    returns: 'The journey.',
    section: 'Endpoints, Automations',
    parameters: {
      publicationId,
      automationId,
      automationJourneyId: { text: 'Prefixed ID of the journey, `aj_<uuid>`.' },
    },
    example:
      "{ automationId: 'aut_00000000-0000-4000-8000-000000000001', automationJourneyId: 'aj_00000000-0000-4000-8000-000000000001' }",
  },
  'authors.list': {
    description: 'Lists the authors of a publication.',
    returns: 'Authors, page by page.',
    section: 'Endpoints, Authors; Pagination',
    parameters: {
      publicationId,
      limit,
      page,
      name: filterWords.authorName,
    },
  },
  'authors.get': {
    description: 'Reads one author. Where several authors share a first name, the oldest is returned.',
    returns: 'The author.',
    section: 'Endpoints, Authors',
    parameters: { publicationId, authorId: { text: 'UUID, full name or first name of the author.' } },
    example: "{ authorId: 'Ada Lovelace' }",
  },
  'advertisementOpportunities.list': {
    description: 'Lists the advertisement opportunities that the publication has accepted.',
    returns: 'Advertisement opportunities, all in one page.',
    section: 'Endpoints, Advertisement opportunities',
    parameters: { publicationId },
  },
  'complimentaryAccess.list': {
    description: 'Lists the complimentary access objects of a publication: gifts of a premium tier.',
    returns: 'Complimentary access objects, page by page.',
    section: 'Endpoints, Complimentary access; Pagination',
    parameters: {
      publicationId,
      expand: {
        text: 'Data to add to each object: `tier` (the full tier), `stats` (counts of granted subscriptions).',
      },
      limit,
      cursor,
    },
  },
  'complimentaryAccess.get': {
    description: 'Reads one complimentary access object.',
    returns: 'The complimentary access object.',
    section: 'Endpoints, Complimentary access',
    parameters: {
      publicationId,
      complimentaryAccessId: { text: 'Prefixed ID of the complimentary access object, `comp_access_<uuid>`.' },
      expand: { text: 'Data to add to the object: `tier` (the full tier).' },
    },
    example: "{ complimentaryAccessId: 'comp_access_00000000-0000-4000-8000-000000000001', expand: ['tier'] }",
  },
  'conditionSets.list': {
    description:
      'Lists the active condition sets (reusable audience segments) of a publication, for all purposes unless `purpose` is given.',
    returns: 'Active condition sets, page by page.',
    section: 'Endpoints, Condition sets; Pagination',
    parameters: {
      publicationId,
      ...cursorOrPage,
      purpose: filterWords.conditionSetPurpose,
    },
  },
  'conditionSets.get': {
    description:
      "Reads one active condition set. With `expand: ['stats']` the service counts the active subscribers while the call waits.",
    returns: 'The condition set.',
    section: 'Endpoints, Condition sets',
    parameters: {
      publicationId,
      conditionSetId: { text: 'ID of the condition set, a UUID without a prefix.' },
      expand: { text: 'Data to add: `stats` (the active subscriber count).' },
    },
    errors: { 404: 'The publication does not exist, or it has no active condition set with this ID.' },
    example: "{ conditionSetId: '00000000-0000-4000-8000-000000000001', expand: ['stats'] }",
  },
  'customFields.create': {
    description: 'Creates a custom field on the publication. Subscriptions can then store a value for it.',
    returns: 'The custom field.',
    section: 'Endpoints, Custom fields',
    parameters: {
      publicationId,
      ...customFieldWords,
    },
    example: "{ kind: 'string', display: 'First Name' }",
  },
  'customFields.list': {
    description: 'Lists the custom fields of a publication.',
    returns: 'Custom fields.',
    section: 'Endpoints, Custom fields',
    parameters: { publicationId },
  },
  'customFields.get': {
    description: 'Reads one custom field.',
    returns: 'The custom field.',
    section: 'Endpoints, Custom fields',
    parameters: { publicationId, id: customFieldId },
    example: "{ id: '00000000-0000-4000-8000-000000000001' }",
  },
  'customFields.update': rename,
  'customFields.updatePut': rename,
  'customFields.delete': {
    description: 'Deletes a custom field and the values that subscriptions store for it.',
    returns: 'Nothing: the answer has no body.',
    section: 'Endpoints, Custom fields',
    parameters: { publicationId, id: customFieldId },
    example: "{ id: '00000000-0000-4000-8000-000000000001' }",
  },
  'deletionRequests.create': {
    description:
      "Requests the deletion of a subscriber. After a safety delay of 14 days the subscriber's data is redacted from every publication of the organization; once processing begins this cannot be undone. The feature must be enabled for the organization.",
    returns: 'The deletion request.',
    section: 'Endpoints, Data deletion; Limits',
    parameters: { publicationId, ...deletionRequestWords },
    errors: {
      403: noDeletionForbidden,
      409: 'The request conflicts with an existing one, for example an open request for the same address.',
    },
    example: "{ email: 'ada@example.com' }",
  },
  'deletionRequests.list': {
    description:
      'Lists the deletion requests of the whole organization. The feature must be enabled for the organization.',
    returns: 'Deletion requests, all in one page.',
    section: 'Endpoints, Data deletion',
    parameters: { publicationId },
    errors: { 403: noDeletionForbidden },
  },
  'deletionRequests.get': {
    description:
      'Reads one deletion request with its current status. The feature must be enabled for the organization.',
    returns: 'The deletion request.',
    section: 'Endpoints, Data deletion',
    parameters: { publicationId, id: { text: 'ID of the deletion request, without a prefix.' } },
    errors: { 403: noDeletionForbidden },
    example: "{ id: '00000000-0000-4000-8000-000000000001' }",
  },
  'publicationFields.list': {
    description:
      'Lists the publication fields of the workspace; content refers to their values through merge tags. Archived fields are left out unless `status` asks for them. The operation is in beta and may change.',
    returns: 'Publication fields, page by page.',
    section: 'Endpoints, Workspace; Pagination',
    parameters: {
      ...cursorOrPage,
      status: filterWords.publicationFieldStatus,
    },
    errors: {
      403: 'The scope is missing, or the API key does not have access to every publication of the workspace.',
    },
  },
  'publications.list': {
    description:
      'Lists the publications that the API key or the account may use; a key restricted to some publications sees those only. An extension: the specification does not show this endpoint, and a service may lack it and answer 404.',
    returns: 'Publications, page by page.',
    section: 'None; the scope `publications:read` stands under Authentication',
    parameters: { limit, page },
  },
  'oauth.authorize': {
    description:
      'Returns the address to send a person to. After login and consent the browser is redirected to `redirect_uri` with `code` and `state`. No request is sent.',
    returns: 'The address.',
    section: oauthSection,
    parameters: {
      client_id: clientId,
      redirect_uri: { text: 'Address the code is sent to, exactly as registered.' },
      response_type: { text: 'Always `code`.' },
      scope: { text: 'The scopes asked for, separated by spaces.', default: 'identify:read' },
      state: { text: 'Value that comes back unchanged; protects against cross-site request forgery. Recommended.' },
      code_challenge: { text: 'PKCE code challenge (RFC 7636). Required for public clients.' },
      code_challenge_method: {
        text: 'How the code challenge was derived from the verifier. Required for public clients.',
      },
    },
    example:
      "{ client_id: 'sandbox-app', redirect_uri: 'http://localhost:8080/callback', response_type: 'code', state: 'xyz' }",
  },
  'oauth.exchange': {
    description: 'Exchanges an authorization code for tokens. A code can be used once.',
    returns: 'Access token, its lifetime, and a refresh token when available.',
    section: oauthSection,
    parameters: {
      grant_type: { text: 'Always `authorization_code`.' },
      code: { text: 'The code that came to the `redirect_uri`.' },
      redirect_uri: { text: 'The same address as in the authorization request.' },
      client_id: clientId,
      client_secret: clientSecret,
      code_verifier: { text: 'PKCE code verifier (RFC 7636). Required for public clients.' },
    },
    example:
      "{ grant_type: 'authorization_code', code: 'the code', redirect_uri: 'http://localhost:8080/callback', client_id: 'sandbox-app', client_secret: 'sandbox-secret' }",
  },
  'oauth.refresh': {
    description: 'Exchanges a refresh token for new tokens. Store the new refresh token when the answer has one.',
    returns: 'Access token, its lifetime, and a refresh token when available.',
    section: oauthSection,
    parameters: {
      grant_type: { text: 'Always `refresh_token`.' },
      refresh_token: { text: 'The refresh token.' },
      client_id: clientId,
      client_secret: clientSecret,
    },
    example:
      "{ grant_type: 'refresh_token', refresh_token: 'the refresh token', client_id: 'sandbox-app', client_secret: 'sandbox-secret' }",
  },
  'oauth.revoke': {
    description: 'Revokes an access token or refresh token. An unknown token is not an error (RFC 7009).',
    returns: 'An empty object.',
    section: oauthSection,
    parameters: tokenParameters,
    example: "{ token: 'the token', client_id: 'sandbox-app', client_secret: 'sandbox-secret' }",
  },
  'oauth.introspect': {
    description: 'Checks whether a token is active, and reads its metadata (RFC 7662). The client must authenticate.',
    returns: 'Whether the token is active, and its metadata if it is.',
    section: oauthSection,
    parameters: tokenParameters,
    example: "{ token: 'the token', client_id: 'sandbox-app', client_secret: 'sandbox-secret' }",
  },
  'oauth.tokenInfo': {
    description: 'Reads the metadata of the bearer token in use.',
    returns: 'Owner, scopes, application and remaining lifetime of the token.',
    section: oauthSection,
    parameters: {},
  },
} as const satisfies Readonly<Record<OperationId, OperationWords>>;

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
} as const satisfies Readonly<Record<string, { readonly title: string; readonly description: string }>>;

/** A body to start from for each operation that takes one; used in the OpenAPI document. */
import type { OperationId } from '@newsletter-kit/core/contract';
import { oauthClients } from '../world/ids.ts';

const { uid: client_id, secret: client_secret } = oauthClients.confidential;
const subscription_id = 'sub_00000000-0000-4000-8000-000000000000';

const bulkUpdate = {
  subscriptions: [{ subscription_id, tier: 'free', custom_fields: [{ name: 'First Name', value: 'Ada' }] }],
};
const updateStatus = { subscription_ids: [subscription_id], new_status: 'inactive' };
const token = { token: 'the access or refresh token', client_id, client_secret };

export const bodyExamples: Readonly<Partial<Record<OperationId, Readonly<Record<string, unknown>>>>> = {
  'subscriptions.create': {
    email: 'ada@example.com',
    utm_source: 'landing page',
    double_opt_override: 'not_set',
    custom_fields: [{ name: 'First Name', value: 'Ada' }],
  },
  'subscriptions.bulkCreate': {
    subscriptions: [{ email: 'ada@example.com' }, { email: 'grace@example.com', utm_source: 'conference' }],
  },
  'subscriptions.bulkUpdate': bulkUpdate,
  'subscriptions.bulkUpdatePut': bulkUpdate,
  'subscriptions.updateStatus': updateStatus,
  'subscriptions.updateStatusPut': updateStatus,
  'journeys.enroll': { email: 'ada@example.com', double_opt_override: 'not_set' },
  'customFields.create': { kind: 'string', display: 'Harbour' },
  'customFields.update': { display: 'Home harbour' },
  'customFields.updatePut': { display: 'Home harbour' },
  'deletionRequests.create': { email: 'ada@example.com' },
  'oauth.exchange': {
    grant_type: 'authorization_code',
    code: 'the code',
    redirect_uri: 'http://localhost:8080/callback',
    client_id,
    client_secret,
  },
  'oauth.refresh': { grant_type: 'refresh_token', refresh_token: 'the refresh token', client_id, client_secret },
  'oauth.revoke': token,
  'oauth.introspect': token,
};

/** The body and the headers of a webhook message. */
import { describe, expect, it } from 'vitest';
import { sampleBody, webhookBody, webhookHeaders } from '../../src/webhooks/message.ts';
import { secret, verify } from './receiver.ts';

const at = Date.UTC(2026, 10, 20, 12, 0, 5);
const message = {
  seq: 1,
  id: 'one',
  type: 'signup.delivered',
  signup: '019aa1b2-7c00-7000-8000-000000000001',
  form: 'default',
  at,
  reason: 'The API answered 503.',
  attempts: 0,
  submission: { email: 'ada@example.com' },
  receivedAt: at - 1000,
  status: 'validating',
} as const;

describe('the body of a webhook', () => {
  it('has the attribution and the custom fields of the signup, and nothing else that the visitor sent', () => {
    const submission = {
      email: 'ada@example.com',
      utm_source: 'spring',
      referral_code: 'abc',
      custom_fields: [{ name: 'First Name', value: 'Ada' }],
      consent: 'I agree.',
    };
    expect(webhookBody({ ...message, submission }, 'pub_1')).toEqual({
      type: 'signup.delivered',
      timestamp: '2026-11-20T12:00:05.000Z',
      data: {
        signup: message.signup,
        form: 'default',
        publication_id: 'pub_1',
        email: 'ada@example.com',
        received_at: '2026-11-20T12:00:04.000Z',
        status: 'validating',
        utm_source: 'spring',
        referral_code: 'abc',
        custom_fields: [{ name: 'First Name', value: 'Ada' }],
      },
    });
  });

  it('has the status of the subscription, also where it is unknown, in what tells of a delivery alone', () => {
    expect(webhookBody({ ...message, type: 'signup.status', status: null }, null).data.status).toBe(null);
    for (const type of ['signup.refused', 'signup.confirmed'] as const)
      expect(webhookBody({ ...message, type }, null).data).not.toHaveProperty('status');
  });

  it('has a reason in signup.refused alone', () => {
    expect(webhookBody(message, null).data).not.toHaveProperty('reason');
    expect(webhookBody({ ...message, type: 'signup.refused' }, null).data.reason).toBe('The API answered 503.');
    expect(webhookBody({ ...message, type: 'signup.refused', reason: null }, null).data.reason).toBeUndefined();
  });

  it('names only the signup once it is erased', () => {
    const erased = { ...message, type: 'signup.erased', submission: null, receivedAt: null } as const;
    expect(webhookBody(erased, 'pub_1').data).toEqual({
      signup: message.signup,
      form: 'default',
      publication_id: 'pub_1',
      email: null,
      received_at: null,
    });
  });

  it('of a test has a value for every field', () => {
    expect(sampleBody(at)).toEqual({
      type: 'webhook.test',
      timestamp: '2026-11-20T12:00:05.000Z',
      data: {
        signup: '01890a5d-ac96-774b-bcce-b302099a8057',
        form: 'default',
        publication_id: 'pub_00000000-0000-4000-8000-000000000001',
        email: 'test@example.com',
        received_at: '2026-11-20T12:00:05.000Z',
        status: 'active',
        utm_source: 'test',
        custom_fields: [{ name: 'First Name', value: 'Test' }],
      },
    });
  });
});

describe('the headers of a webhook', () => {
  it('have a signature of each secret', () => {
    const other = `whsec_${Buffer.alloc(32, 7).toString('base64')}`;
    const headers = webhookHeaders('one', '{"a":1}', [secret, other], Date.now());
    expect(headers).toMatchObject({
      'content-type': 'application/json',
      'user-agent': 'newsletter-relay',
      'webhook-id': 'one',
    });
    expect(headers['webhook-signature']?.split(' ')).toHaveLength(2);
    for (const key of [secret, other]) expect(verify('{"a":1}', headers, key)).toEqual({ a: 1 });
  });
});

/**
 * What CRMs answer when they do not take a contact, as their vendors document it. Data for the test of `readAnswer` and
 * for the fakes of the vendors (test/n8n/harness).
 */
import type { RefusalReason } from '@newsletter-kit/core/sync';

export interface CrmFault {
  readonly vendor: string;
  readonly fault: string;
  readonly status: number;
  readonly headers?: Readonly<Record<string, string>>;
  /** A text is a page or no JSON. */
  readonly body: unknown;
  /** Contacts written in spite of it; default none. */
  readonly accepted?: number;
  readonly reason: RefusalReason;
  /** Part of the words that a person reads. */
  readonly words: string;
  /** The contacts that the answer names. */
  readonly contacts?: readonly string[];
  readonly retryAfterMs?: number;
}

/** The moment of these answers. */
export const answeredAt = Date.UTC(2026, 0, 15, 12);

const page = (title: string): string =>
  `<!DOCTYPE html>\n<html><head><title>${title}</title></head><body><h1>${title}</h1></body></html>`;

const hubspotError = (category: string, message: string, more: object = {}): object => ({
  status: 'error',
  message,
  correlationId: '8f0c6f8e-7a65-4b43-9f0d-6f1f2a3b4c5d',
  category,
  ...more,
});

const hubspotLimits = {
  'X-HubSpot-RateLimit-Max': '100',
  'X-HubSpot-RateLimit-Remaining': '0',
  'X-HubSpot-RateLimit-Interval-Milliseconds': '10000',
};

export const crmFaults: readonly CrmFault[] = [
  {
    vendor: 'HubSpot',
    fault: 'a short limit',
    status: 429,
    headers: hubspotLimits,
    body: {
      status: 'error',
      message: 'You have reached your ten_secondly_rolling limit.',
      errorType: 'RATE_LIMIT',
      correlationId: 'c033cdaa-2c40-4a64-ae48-b4cec88dad24',
      policyName: 'TEN_SECONDLY_ROLLING',
    },
    reason: 'limit',
    words: 'ten_secondly_rolling limit',
  },
  {
    vendor: 'HubSpot',
    fault: 'the limit of a day',
    status: 429,
    headers: { ...hubspotLimits, 'X-HubSpot-RateLimit-Daily': '250000', 'X-HubSpot-RateLimit-Daily-Remaining': '0' },
    body: {
      status: 'error',
      message: 'You have reached your daily limit.',
      errorType: 'RATE_LIMIT',
      correlationId: 'c033cdaa-2c40-4a64-ae48-b4cec88dad24',
      policyName: 'DAILY',
    },
    reason: 'limit',
    words: 'daily limit',
  },
  {
    vendor: 'HubSpot',
    fault: 'a wrong credential',
    status: 401,
    body: hubspotError('INVALID_AUTHENTICATION', 'Authentication credentials not found.'),
    reason: 'access',
    words: 'credentials not found',
  },
  {
    vendor: 'HubSpot',
    fault: 'an address that exists',
    status: 409,
    body: hubspotError('CONFLICT', 'Contact already exists. Existing ID: 100007'),
    reason: 'duplicate',
    words: 'Existing ID: 100007',
  },
  {
    vendor: 'HubSpot',
    fault: 'a batch of which some are refused',
    status: 207,
    body: {
      status: 'COMPLETE',
      startedAt: '2026-01-15T12:00:00.000Z',
      completedAt: '2026-01-15T12:00:00.000Z',
      results: [{ id: '100001', properties: { email: 'ada@example.com' } }],
      numErrors: 2,
      errors: [
        {
          status: 'error',
          category: 'VALIDATION_ERROR',
          message: 'Property values were not valid: [{"isValid":false,"error":"INVALID_EMAIL"}]',
          context: { objectWriteTraceId: ['grace@example'] },
        },
        {
          status: 'error',
          category: 'CONFLICT',
          message: 'Contact already exists',
          context: { objectWriteTraceId: ['joan@example.com'] },
        },
      ],
    },
    accepted: 1,
    reason: 'value',
    words: 'INVALID_EMAIL',
    contacts: ['grace@example', 'joan@example.com'],
  },
  {
    vendor: 'HubSpot',
    fault: 'a batch with unknown ids',
    status: 207,
    body: {
      status: 'COMPLETE',
      results: [],
      numErrors: 1,
      errors: [
        {
          status: 'error',
          category: 'OBJECT_NOT_FOUND',
          message: 'Could not get some CONTACT objects, they may be deleted or not exist.',
          context: { ids: ['100001', '100002'] },
        },
      ],
    },
    reason: 'value',
    words: 'may be deleted',
    contacts: ['100001', '100002'],
  },
  {
    vendor: 'HubSpot',
    fault: 'a bad value',
    status: 400,
    body: hubspotError('VALIDATION_ERROR', 'Property "newsletter_topic" does not exist', {
      errors: [{ message: 'Property "newsletter_topic" does not exist', code: 'PROPERTY_DOESNT_EXIST' }],
    }),
    reason: 'value',
    words: 'does not exist',
  },
  {
    vendor: 'HubSpot',
    fault: 'a migration',
    status: 477,
    headers: { 'Retry-After': '3600' },
    body: hubspotError('MIGRATION_IN_PROGRESS', 'The account is being moved.'),
    reason: 'busy',
    words: 'being moved',
    retryAfterMs: 3_600_000,
  },
  {
    vendor: 'HubSpot',
    fault: 'a gateway that gave up',
    status: 502,
    body: page('502 Bad Gateway'),
    reason: 'busy',
    words: '502 Bad Gateway',
  },
  {
    vendor: 'Salesforce',
    fault: 'the limit of a day',
    status: 403,
    body: [{ message: 'TotalRequests Limit exceeded.', errorCode: 'REQUEST_LIMIT_EXCEEDED' }],
    reason: 'access',
    words: 'Limit exceeded',
  },
  {
    vendor: 'Salesforce',
    fault: 'a locked record among others',
    status: 200,
    body: [
      { id: '003000000000001AAA', success: true, errors: [], created: false },
      {
        id: '003000000000002AAA',
        success: false,
        errors: [{ statusCode: 'UNABLE_TO_LOCK_ROW', message: 'unable to obtain exclusive access to this record' }],
      },
    ],
    accepted: 1,
    reason: 'value',
    words: 'exclusive access',
    contacts: ['003000000000002AAA'],
  },
  {
    vendor: 'Salesforce',
    fault: 'a duplicate by a rule',
    status: 200,
    body: [
      {
        success: false,
        errors: [{ statusCode: 'DUPLICATES_DETECTED', message: 'Use one of these records?', fields: [] }],
      },
    ],
    reason: 'value',
    words: 'Use one of these records?',
  },
  {
    vendor: 'Salesforce',
    fault: 'a deleted or merged contact',
    status: 200,
    body: [
      {
        id: '003000000000003AAA',
        success: false,
        errors: [{ statusCode: 'ENTITY_IS_DELETED', message: 'entity is deleted', fields: [] }],
      },
    ],
    reason: 'value',
    words: 'entity is deleted',
    contacts: ['003000000000003AAA'],
  },
  {
    vendor: 'Salesforce',
    fault: 'a validation rule',
    status: 200,
    body: [
      {
        success: false,
        errors: [
          {
            statusCode: 'FIELD_CUSTOM_VALIDATION_EXCEPTION',
            message: 'First names need two letters',
            fields: ['FirstName'],
          },
        ],
      },
    ],
    reason: 'value',
    words: 'First names need two letters',
  },
  {
    vendor: 'Pipedrive',
    fault: 'a short limit',
    status: 429,
    headers: { 'x-ratelimit-limit': '20', 'x-ratelimit-remaining': '0', 'x-ratelimit-reset': '2' },
    body: { success: false, error: 'Rate limit exceeded', error_info: 'Please slow down.', data: null },
    reason: 'limit',
    words: 'Rate limit exceeded',
    retryAfterMs: 2000,
  },
  {
    vendor: 'Pipedrive',
    fault: 'the budget of a day',
    status: 429,
    headers: { 'x-daily-requests-left': '0' },
    body: { success: false, error: 'Request over limit', data: null },
    reason: 'limit',
    words: 'Request over limit',
  },
  {
    vendor: 'Pipedrive',
    fault: 'a block after too many calls',
    status: 403,
    body: page('Access denied'),
    reason: 'access',
    words: 'Access denied',
  },
  {
    vendor: 'Pipedrive',
    fault: 'a refusal inside a success',
    status: 200,
    body: { success: false, error: 'The field cannot be set', error_info: '', data: null },
    reason: 'value',
    words: 'The field cannot be set',
  },
  {
    vendor: 'Airtable',
    fault: 'a short limit',
    status: 429,
    body: { errors: [{ error: 'RATE_LIMIT_REACHED', message: 'Rate limit exceeded. Please try again later' }] },
    reason: 'limit',
    words: 'try again later',
  },
  {
    vendor: 'Airtable',
    fault: 'a record that is gone',
    status: 404,
    body: { error: 'NOT_FOUND' },
    reason: 'gone',
    words: 'NOT_FOUND',
  },
  {
    vendor: 'Airtable',
    fault: 'a bad value',
    status: 422,
    body: { error: { type: 'INVALID_VALUE_FOR_COLUMN', message: 'Field "Email" cannot accept the provided value' } },
    reason: 'value',
    words: 'cannot accept',
  },
  {
    vendor: 'Google Sheets',
    fault: 'a short limit',
    status: 429,
    body: {
      error: {
        code: 429,
        message: "Quota exceeded for quota metric 'Write requests' and limit 'Write requests per minute per user'",
        status: 'RESOURCE_EXHAUSTED',
        details: [{ reason: 'RATE_LIMIT_EXCEEDED', domain: 'googleapis.com' }],
      },
    },
    reason: 'limit',
    words: 'Quota exceeded',
  },
  {
    vendor: 'Google Sheets',
    fault: 'a missing right',
    status: 403,
    body: { error: { code: 403, message: 'The caller does not have permission', status: 'PERMISSION_DENIED' } },
    reason: 'access',
    words: 'does not have permission',
  },
  {
    vendor: 'Zoho',
    fault: 'a duplicate among others',
    status: 207,
    body: {
      data: [
        { code: 'SUCCESS', status: 'success', message: 'record added', details: { id: '4150868000001144001' } },
        { code: 'DUPLICATE_DATA', status: 'error', message: 'duplicate data', details: { id: '4150868000001144002' } },
      ],
    },
    accepted: 1,
    reason: 'value',
    words: 'duplicate data',
    contacts: ['4150868000001144002'],
  },
  {
    vendor: 'Attio',
    fault: 'a short limit',
    status: 429,
    headers: { 'Retry-After': new Date(answeredAt + 5000).toUTCString() },
    body: { status_code: 429, type: 'rate_limit_error', code: 'rate_limit_exceeded', message: 'Rate limit exceeded' },
    reason: 'limit',
    words: 'Rate limit exceeded',
    retryAfterMs: 5000,
  },
  {
    vendor: 'Notion',
    fault: 'a short limit',
    status: 429,
    headers: { 'Retry-After': '7' },
    body: { object: 'error', status: 429, code: 'rate_limited', message: 'You have been rate limited.' },
    reason: 'limit',
    words: 'rate limited',
    retryAfterMs: 7000,
  },
];

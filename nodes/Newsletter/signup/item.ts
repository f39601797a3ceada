/** Builds the output item of a signup: the API's SubscriptionRequest, with consent and origin beside it. */
import type { KeptSubmission } from '@newsletter-kit/core/endpoint';
import type { IDataObject, INodeExecutionData } from 'n8n-workflow';

/** An admitted signup. */
export interface Signup {
  readonly submission: KeptSubmission;
  /** True where the honeypot was filled in. */
  readonly suspected: boolean;
  readonly origin: string;
  readonly idempotencyKey: string | null;
}

/**
 * The request has the API's own field names and no privileged field. `signup` repeats the custom fields by name, for
 * expressions, and holds the evidence of consent.
 *
 * @param now - seconds since 1970
 */
export function toItem({ submission, suspected, origin }: Signup, now: number): INodeExecutionData {
  const { consent, custom_fields: fields = [], ...request } = submission;
  return {
    json: {
      ...request,
      custom_fields: fields.map(({ name, value }) => ({ name, value: toJson(value) })),
      signup: {
        fields: Object.fromEntries(fields.map(({ name, value }) => [name, toJson(value)])),
        consent: consent ?? null,
        origin,
        received_at: new Date(now * 1000).toISOString(),
        suspected,
      },
    } satisfies IDataObject,
  };
}

type FieldValue = NonNullable<KeptSubmission['custom_fields']>[number]['value'];

/** Copies a list, since n8n's type of JSON has no read-only arrays. */
function toJson(value: FieldValue): string | number | boolean | string[] {
  return typeof value === 'object' ? [...value] : value;
}

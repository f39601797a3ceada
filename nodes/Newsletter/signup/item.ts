/** The item a signup becomes: the API's SubscriptionRequest, and beside it what is not the API's. */
import type { KeptSubmission } from '@newsletter-kit/core/endpoint';
import type { IDataObject, INodeExecutionData } from 'n8n-workflow';
import type { Signup } from './admit.ts';

/**
 * The request stands under the API's own names; nothing privileged can be in it. `signup` holds the custom fields once
 * more by their names, for expressions, and the evidence of consent.
 *
 * @param now - seconds since 1970
 */
export function toItem({ submission, suspected, origin }: Signup, now: number): INodeExecutionData {
  const { consent, custom_fields: fields = [], ...request } = submission;
  return {
    json: {
      ...request,
      custom_fields: fields.map(({ name, value }) => ({ name, value: plain(value) })),
      signup: {
        fields: Object.fromEntries(fields.map(({ name, value }) => [name, plain(value)])),
        consent: consent ?? null,
        origin,
        received_at: new Date(now * 1000).toISOString(),
        suspected,
      },
    } satisfies IDataObject,
  };
}

type Value = NonNullable<KeptSubmission['custom_fields']>[number]['value'];

function plain(value: Value): string | number | boolean | string[] {
  return typeof value === 'object' ? [...value] : value;
}
